// What a thread keeps of its sums from corpus to corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "score/sum_cache.hpp"
#include "score/template_scorer.hpp"

namespace seqlab {

// Blocks of rows: a string of a column has one block, with a row for each of the cells that look at that column. A block stands
// for no value, for a string that training met, or for a place before a sentence or after it; and behind them, for one
// corpus only, for a string that training did not meet.
struct TemplateSums::Kept {
    explicit Kept(const TemplateScorer& scorer);

    static std::size_t most_new(const TemplateScorer& scorer);
    void clear();

    std::vector<std::size_t> lasting;  // of each family of cells: blocks that mean the same in every corpus
    std::vector<std::vector<std::int32_t>> blocks;  // first row of each; -1 when not made yet
    std::size_t most_new_rows;                      // that one piece may make
    std::vector<KeyTable> windows;
    SumRows sums;
};

}  // namespace seqlab
