// The cached sums of a thread, kept between corpora.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/tagging/sum_cache.hpp"
#include "linear/tagging/template/scorer.hpp"

namespace seqlab {

// Blocks of rows: a string of a column has one block, with a row for each of the cells on that column. The first blocks
// are for no value and for positions before or after a sentence; the others are for strings without precomputed sums,
// such as names, which recur.
struct TemplateSums::Kept {
    explicit Kept(const TemplateScorer& scorer);

    static std::size_t most_new(const TemplateScorer& scorer);
    void clear();
    // Start a new corpus. Unknown strings are dropped only here, because their numbers must stay valid within a corpus.
    void start_corpus();

    std::vector<StringPool> unknown;  // unknown strings of each column
    std::size_t lasting;              // blocks before those of unknown strings
    std::vector<std::vector<std::int32_t>>
        blocks;                 // of each family of cells: first row of each block; -1 when not computed yet
    std::size_t most_new_rows;  // maximum for one piece
    std::vector<KeyTable> windows;
    SumRows sums;
};

}  // namespace seqlab
