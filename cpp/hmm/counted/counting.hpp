// Count labelled sentences (eq:counting).
#pragma once

#include <cstddef>
#include <cstdint>

#include "hmm/counted/sparse_counts.hpp"

namespace seqlab {

// Sentences end to end: sentence s is offset[s] .. offset[s + 1]. `weight` may be null: every token counts 1.
struct Labelled {
    const std::int32_t* word;
    const Label* label;
    const double* weight;
    const std::int64_t* offset;
    std::size_t sentences;

    std::size_t tokens() const { return static_cast<std::size_t>(offset[sentences]); }
    double weight_of(std::size_t t) const { return weight ? weight[t] : 1.0; }
};

// Count the labels of each of V words.
SparseCounts count_words(const Labelled& data, std::size_t V, std::size_t L);

// Count transitions: table[a, ..., b, y] += occurrences of y after the labels a, ..., b: (L + 1)^order x L entries,
// where L as a label before y means the start of the sentence. last[y] += occurrences of y as the last label.
void count_moves(const Labelled& data, std::size_t order, std::size_t L, double* table, double* last);

}  // namespace seqlab
