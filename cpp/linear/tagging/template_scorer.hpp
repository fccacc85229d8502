// Node scores of a linear model straight from columns: the features are looked up bundle by bundle, and no list of attributes
// is ever made.
//
// It gives what Bank::look_up and Scorer<float> give, with the weights of a token summed in another order; that order
// depends on the token alone, so neither threads nor the cut into blocks change a bit.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "linear/tagging/bundles.hpp"
#include "linear/tagging/template_tables.hpp"

namespace seqlab {

class TemplateScorer {
public:
    // What the tables look at must outlive this.
    TemplateScorer(TemplateTables tables, PlacedWeights weights);

    const TemplateTables& tables() const { return tables_; }
    const PlacedWeights& weights() const { return weights_; }
    const BundlePlan& plan() const { return plan_; }
    // Numbers of the values of a column that are read at tokens.
    const std::vector<std::size_t>& values_at_tokens(std::size_t column) const { return at_tokens_[column]; }
    // The block of a ready-made word for a family: one row for each of its cells.
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
    std::vector<std::vector<std::size_t>> at_tokens_;  // of each column
    std::vector<std::size_t> cells_;                   // of each column: of all its families
    std::vector<std::size_t> first_cell_;              // of each family: among those of its column
};

// Sums of features on single cells, for up to piece_tokens strings of a column.
class CellSums {
public:
    explicit CellSums(const TemplateScorer& scorer);

    // What the family's features read of these strings.
    void read(const CellFamily& family, std::span<const std::string_view> texts);
    // The same of one that is no string.
    void set(std::size_t values, std::size_t i, ValueId value) { values_[values][i] = value; }
    // Adds the weights to blocks[i], i < n: L numbers for each cell of the family.
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
    // Of each string of a column: its number among the ready-made words, Words::new_word, or Words::unused.
    const std::vector<StringId>& known(std::size_t column) const { return known_[column]; }
    // Of each string of the column of these values, which are read at tokens.
    const ValueId* of_code(std::size_t values) const { return of_code_[values].data(); }

private:
    void look_up_words(std::size_t column);
    void look_up_values(std::size_t column);

    const TemplateScorer& scorer_;
    const TableView& table_;
    std::vector<std::vector<StringId>> known_;
    std::vector<std::vector<ValueId>> of_code_;
};

// The sums that a thread has made, of words that have none ready made. The next corpus under the same scorer needs most of them
// again: whoever keeps this from call to call tags text at half the price.
class TemplateSums {
public:
    explicit TemplateSums(const TemplateScorer& scorer);
    ~TemplateSums();

private:
    friend class TemplateReader;
    struct Kept;
    std::unique_ptr<Kept> kept_;
};

// A thread's way through a corpus.
class TemplateReader {
public:
    // sums: of the same scorer, and nobody else's meanwhile
    TemplateReader(const TemplateCorpus& corpus, TemplateSums& sums);
    ~TemplateReader();
    TemplateReader(const TemplateReader&) = delete;
    TemplateReader& operator=(const TemplateReader&) = delete;

    // node (tokens of sentences first .. last, L), with LP numbers of room behind its last row
    void score(std::size_t first, std::size_t last, float* node);

private:
    class Work;
    std::unique_ptr<Work> work_;
};

}  // namespace seqlab
