// Bundles of features that are looked up together: features that depend on the same cells of a corpus share one sum of
// weight rows.
//
// A cell is a column at an offset from the token. All features that read one cell only (a word, its lower case,
// prefixes, suffixes, shape) are one row for every distinct string, summed once. Features over several cells whose
// values are few (tags, shapes, scripts) are summed once for every combination that occurs, window by window; a window
// includes the features on parts of it. The rest (pairs of words) is looked up token by token. On the chunk preset 32
// look-ups become 5 + 3 + 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "encode/feature.hpp"

namespace seqlab {

// Features on one cell.
struct CellBundle {
    std::size_t column;
    std::int64_t offset;
    bool absolute;
    std::vector<std::size_t> features;
};

// Cells of one column at several offsets. A string needs one look-up for all of them: its rows, one for each cell, are
// adjacent.
struct CellFamily {
    std::size_t column;
    std::vector<std::size_t> cells;    // numbers in BundlePlan::cells
    std::vector<std::size_t> values;   // values that their features read
    std::int64_t least = 0, most = 0;  // range of their offsets
    bool absolute = false;             // one cell at a fixed position, the same for all tokens of a sentence
};

// Features on atoms that have few values each. A combination has the key Σ_i (value_i + 1) · radix_i.
struct WindowBundle {
    std::vector<std::size_t> atoms;  // numbers in BundlePlan::atoms, rising
    std::vector<std::uint64_t> radix;
    std::vector<std::size_t> features;
    std::vector<std::vector<std::size_t>> places;  // for each feature, the indices of its atoms in the window
};

// Features that are looked up one by one, with the numbers of their atoms.
struct LoneFeature {
    std::size_t feature;
    std::vector<std::size_t> atoms;
};

// Every feature is in one of these.
struct BundlePlan {
    BundlePlan(const std::vector<Values>& values, const std::vector<Feature>& features);

    // Values of a column that windows or lone features read, at every token.
    std::vector<std::size_t> values_at_tokens(const std::vector<Values>& values, std::size_t column) const;

    std::vector<Atom> atoms;  // distinct, of windows and lone features
    std::vector<CellBundle> cells;
    std::vector<CellFamily> families;  // every cell is in one
    std::vector<WindowBundle> windows;
    std::vector<LoneFeature> lone;
    std::vector<std::size_t> always;  // features without atoms, when there is no cell to include them

private:
    using AllValues = std::vector<Values>;

    std::size_t number_of(const Atom& atom);
    CellBundle* cell_of(const AllValues& values, const Atom& atom);
    void add_to_cell(const AllValues& values, const Feature& feature, std::size_t number);
    bool add_to_window(const Feature& feature, std::size_t number);
    void add_several(const AllValues& values, const Feature& feature, std::size_t number);
    void join_cells();
    void list_values(const AllValues& values, const std::vector<Feature>& features);
};

}  // namespace seqlab
