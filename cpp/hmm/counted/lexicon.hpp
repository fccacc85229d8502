// What each word says of its label: log P(word | label), for the labels that it may have. Known words by their counts,
// unknown ones by their endings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/text/string_pool.hpp"
#include "hmm/counted/sparse_counts.hpp"
#include "hmm/counted/suffix_trie.hpp"

namespace seqlab {

struct LexiconSettings {
    double add = 0;            // what every count of a word with a label gets more; for direct ones only
    bool direct = true;        // P(word | label) by counting; else by Bayes' rule from P(label | word)
    bool suffixes = false;     // whether unknown words are judged by their endings; else they say nothing
    std::size_t longest = 10;  // letters of an ending
    double rare = 10;          // words that count more than this teach nothing about unknown ones
    double strength = 3;       // what the shorter ending counts beside a longer one; below 0: theta instead
    double theta = 0;
    double known = 0;   // what the endings count beside the counts of a known word
    double folded = 0;  // what the endings count beside the same word in other letter case; 0: no such look
    double least = 0;   // labels less likely than this times the best one are left out
};

// Stands for a word that nobody saw (Python's MISSING): it says nothing about its label.
inline constexpr std::string_view missing_word{"\0", 1};

// Labels with scores, for many words: those of word i from begin[i] to begin[i + 1].
struct Rows {
    std::vector<std::int64_t> begin{0};
    std::vector<Label> label;
    std::vector<double> score;

    void close() { begin.push_back(static_cast<std::int64_t>(label.size())); }
};

class Lexicon {
public:
    Lexicon(StringPool words, SparseCounts counts, std::size_t L, const LexiconSettings& settings);

    // Rows for the strings of `pool`; only those with used[id] != 0 get one. allowed (strings x L, or null) says which
    // labels each string may have: all of these, if need be with no evidence for any.
    Rows rows(const StringPool& pool, const std::uint8_t* used, const std::uint8_t* allowed) const;

    // eq:suffix-model   P(label | ending of the word), L numbers; `own` are counts of the word itself in the trees, which
    // are left out: what others say of it.
    void by_ending(std::string_view word, LabelCounts own, double* share) const;

    const StringPool& words() const { return words_; }
    std::size_t L() const { return L_; }

private:
    void grow_trie();
    void fold();
    void mix(LabelCounts counts, LabelCounts own, double total, double strength, double* share) const;
    void by_word(std::string_view word, StringId id, double* share) const;
    void append(std::string_view word, StringId id, const std::uint8_t* allowed, Rows& rows,
                std::vector<double>& room) const;
    void append_known(std::string_view word, StringId id, Rows& rows, std::vector<double>& room) const;
    void append_nothing(double score, const std::uint8_t* allowed, Rows& rows) const;
    void append_direct(StringId id, const std::uint8_t* allowed, Rows& rows) const;
    void append_shares(const double* share, double word_probability, const std::uint8_t* allowed,
                       Rows& rows) const;

    StringPool words_;
    SparseCounts counts_;
    std::size_t L_;
    LexiconSettings settings_;
    std::vector<double> label_total_, label_share_, log_share_;
    double total_ = 0;
    double unseen_ = 0;  // the probability that the next word is a new one
    SuffixTrie trie_;
    StringPool folded_words_;
    SparseCounts folded_;
    // Rows of known words, made when they are first asked for: a short text needs a few of them only. Several threads may
    // ask at one time.
    mutable std::mutex guard_;
    mutable Rows known_;
    mutable std::vector<std::int64_t> place_;  // of each word's row in known_, or -1
};

}  // namespace seqlab
