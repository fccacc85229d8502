// What a thread keeps of its sums from corpus to corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/tagging/sum_cache.hpp"
#include "linear/tagging/template_scorer.hpp"

namespace seqlab {

// Blocks of rows: a string of a column has one block, with a row for each of the cells that look at that column. A block stands
// for no value, or for a place before a sentence or after it; and behind them for a string that has no sums ready made:
// names and the like come again and again.
struct TemplateSums::Kept {
    explicit Kept(const TemplateScorer& scorer);

    static std::size_t most_new(const TemplateScorer& scorer);
    void clear();
    // A stranger's number. Strangers are forgotten between corpora only: numbers must last for one.
    void meet_new_corpus();

    std::vector<StringPool> strangers;  // of each column
    std::size_t lasting;                // blocks in front of those of strangers
    std::vector<std::vector<std::int32_t>>
        blocks;                 // of each family of cells: first row of each; -1 when not made yet
    std::size_t most_new_rows;  // that one piece may make
    std::vector<KeyTable> windows;
    SumRows sums;
};

}  // namespace seqlab
