// Word scores of a counted HMM: log P(word | label), for the labels that the word may have. Known words are scored by
// their counts, unknown ones by their endings.
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
    double add = 0;      // pseudo-count of every pair of word and label; used when direct
    bool direct = true;  // P(word | label) by counting; else by Bayes' rule from P(label | word)
    bool suffixes =
        false;  // score unknown words by their endings; otherwise they have equal scores for all labels
    std::size_t longest = 10;  // letters of an ending
    double rare = 10;          // words with larger counts are not used to learn about unknown ones
    double strength = 3;       // weight of the shorter ending beside a longer one; below 0: use theta
    double theta = 0;
    double known = 0;  // weight of the endings beside the counts of a known word
    double folded =
        0;  // weight of the endings beside the same word in other letter case; 0: case variants are not used
    double least = 0;  // labels less likely than this times the best one are dropped
    // True if the probabilities of known words and of one unknown word sum to at most 1; false for models of earlier
    // versions, which keep their answers.
    bool proper = true;
};

// A missing word (Python's MISSING): all labels have equal scores.
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

    // Compute the rows of the strings of `pool` with used[id] != 0. `allowed` (strings x L, or null) restricts the
    // labels of each string: all allowed labels are listed, even those without evidence.
    Rows rows(const StringPool& pool, const std::uint8_t* used, const std::uint8_t* allowed) const;

    // eq:suffix-model   P(label | ending of the word), L numbers; `own` are the counts of the word itself in the trees,
    // which are subtracted, so that the estimate comes from other words.
    void by_ending(std::string_view word, LabelCounts own, double* share) const;

    // Compute (L,) the sum of P(word | label) over all known words, those that rows() drops included.
    void known_mass(double* mass) const;

    double unseen() const { return unseen_; }
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
    double unseen_probability(const double* share) const;

    StringPool words_;
    SparseCounts counts_;
    std::size_t L_;
    LexiconSettings settings_;
    std::vector<double> label_total_, label_share_, log_share_;
    double total_ = 0;
    double unseen_ = 0;  // probability that the next word is an unseen one
    SuffixTrie trie_;
    StringPool folded_words_;
    SparseCounts folded_;
    // Rows of known words, computed on first use: a short text needs only a few of them. Several threads may call at
    // the same time.
    mutable std::mutex guard_;
    mutable Rows known_;
    mutable std::vector<std::int64_t> place_;  // offset of each word's row in known_, or -1
};

}  // namespace seqlab
