// Suffix trees: word endings, read from the last letter backwards, with the label counts of the words that have each
// ending. Words of different classes have separate trees.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text/hash.hpp"
#include "hmm/counted/sparse_counts.hpp"
#include "hmm/counted/word_class.hpp"

namespace seqlab {

class SuffixTrie {
public:
    SuffixTrie(std::size_t L, std::size_t longest);

    // Reserve memory for the endings of this many words of typical length.
    void reserve(std::size_t words);
    void add(std::string_view word, LabelCounts counts);
    // Called after the last add() and before the first along().
    void finish();

    // Call visit(label counts of all words with this ending, their sum) for the empty ending, then for longer and
    // longer ones, until visit returns false, an ending was not seen, or it has `longest` letters.
    template <class Visit>
    void along(std::string_view word, Visit visit) const {
        std::int32_t node = find(0, static_cast<std::uint32_t>(class_of(word)));
        std::size_t end = word.size();
        for (std::size_t letters = 0; node > 0; ++letters) {
            const auto i = static_cast<std::size_t>(node);
            if (!visit(counts_.at(i), total_[i]) || letters == longest_ || end == 0) return;
            node = find(node, letter_before(word, end));
        }
    }
    std::size_t size() const { return count_; }

private:
    struct Slot {
        std::uint64_t key = none;
        std::int32_t node = 0;
    };
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    // Decode the code point that ends at `end`, and move `end` before it.
    static std::uint32_t letter_before(std::string_view word, std::size_t& end);
    // Node 0 is above all trees; the "letter" of its children is a word class.
    static std::uint64_t key(std::int32_t parent, std::uint32_t letter) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(parent)) << 21 | letter;
    }
    std::int32_t find(std::int32_t parent, std::uint32_t letter) const;
    std::int32_t intern(std::int32_t parent, std::uint32_t letter);
    std::size_t place(std::uint64_t key) const;
    void grow();

    std::size_t L_, longest_;
    std::size_t count_ = 1;
    std::vector<Slot> slots_;
    std::vector<Occurrence> occurrences_;
    SparseCounts counts_;
    std::vector<double> total_;
};

}  // namespace seqlab
