// Node scores of a linear model directly from columns: features are looked up in bundles, and no list of attributes is
// made.
//
// The scores are those of Bank::look_up and Scorer<float>, with the weights of a token summed in another order; that
// order depends on the token alone, so neither threads nor the division into blocks change a bit.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "linear/tagging/bundles.hpp"
#include "linear/tagging/template/tables.hpp"

namespace seqlab {

class TemplateScorer {
public:
    // The arrays of the tables must outlive this.
    TemplateScorer(TemplateTables tables, PlacedWeights weights);

    const TemplateTables& tables() const { return tables_; }
    const PlacedWeights& weights() const { return weights_; }
    const BundlePlan& plan() const { return plan_; }
    // Values of a column that are read at tokens.
    const std::vector<std::size_t>& values_at_tokens(std::size_t column) const { return at_tokens_[column]; }
    // The block of a precomputed word for a family: one row for each of its cells.
    const float* word_block(const CellFamily& family, std::size_t family_number, StringId word) const {
        const WordTables& words = tables_.words[family.column];
        const auto block =
            static_cast<std::size_t>(word) * cells_[family.column] + first_cell_[family_number];
        return words.rows.data() + block * weights_.L();
    }

private:
    TemplateTables tables_;
    PlacedWeights weights_;
    BundlePlan plan_;
    std::vector<std::vector<std::size_t>> at_tokens_;  // values read at tokens, of each column
    std::vector<std::size_t> cells_;                   // of each column: number of cells of all its families
    std::vector<std::size_t> first_cell_;  // of each family: index of its first cell in its column
};

// Sums of features on single cells, for up to piece_tokens strings of a column.
class CellSums {
public:
    explicit CellSums(const TemplateScorer& scorer);

    // Read the values of these strings for the family's features.
    void read(const CellFamily& family, std::span<const std::string_view> texts);
    // Set a value that does not come from a string.
    void set(std::size_t values, std::size_t i, ValueId value) { values_[values][i] = value; }
    // Add the weights to blocks[i], i < n: L numbers for each cell of the family.
    void fill(const CellFamily& family, std::size_t n, float* const* blocks);

private:
    const TemplateScorer& scorer_;
    std::vector<Piece> values_;
    std::vector<std::string> room_;
};

// One corpus under one scorer; threads share it.
class TemplateCorpus {
public:
    TemplateCorpus(const TemplateScorer& scorer, const TableView& table);

    const TemplateScorer& scorer() const { return scorer_; }
    const TableView& table() const { return table_; }
    // For each string of a column: its number among the precomputed words, Words::new_word, or Words::unused.
    const std::vector<StringId>& known(std::size_t column) const { return known_[column]; }
    // The value of each string of the column, for values that are read at tokens.
    const ValueId* of_code(std::size_t values) const { return of_code_[values].data(); }

private:
    void look_up_words(std::size_t column);
    void look_up_values(std::size_t column);

    const TemplateScorer& scorer_;
    const TableView& table_;
    std::vector<std::vector<StringId>> known_;
    std::vector<std::vector<ValueId>> of_code_;
};

// Cached sums of one thread, for words without precomputed ones. The next corpus under the same scorer needs most of
// them again: a caller that keeps this between calls halves the time of tagging.
class TemplateSums {
public:
    explicit TemplateSums(const TemplateScorer& scorer);
    ~TemplateSums();

private:
    friend class TemplateReader;
    struct Kept;
    std::unique_ptr<Kept> kept_;
};

// Scores sentences of a corpus on one thread.
class TemplateReader {
public:
    // `sums` belong to the same scorer, and to this thread alone.
    TemplateReader(const TemplateCorpus& corpus, TemplateSums& sums);
    ~TemplateReader();
    TemplateReader(const TemplateReader&) = delete;
    TemplateReader& operator=(const TemplateReader&) = delete;

    // node (tokens of sentences first .. last, L), with LP spare numbers after its last row
    void score(std::size_t first, std::size_t last, float* node);

private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace seqlab
