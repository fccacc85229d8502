// The weights of a linear model and the tokens that use them, laid out for speed.
//
// An attribute has weights for some labels only: those it was observed with. One with more than eight labels gets a
// dense row of LP lanes (some of them unused and zero), added in registers; the rest are lists of (weight, label) per
// token: dense rows of rare attributes would fill the cache with zeros (docs/decisions/0008).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "base/numerics/unset.hpp"
#include "kernels/kernels.hpp"

namespace seqlab {

// Attribute a has weights for label[begin[a]] .. label[begin[a + 1] - 1], in rising order; weight k is that of label[k].
struct Observed {
    std::span<const std::int64_t> begin;
    std::span<const std::int32_t> label;

    std::size_t attributes() const { return begin.size() - 1; }
    std::size_t weights() const { return label.size(); }
    std::size_t count(std::size_t a) const { return static_cast<std::size_t>(begin[a + 1] - begin[a]); }
};

// Attributes of tokens from the encoder.
struct Entries {
    std::span<const std::int64_t> indptr;  // (tokens + 1)
    const std::int32_t* ids;
    const double* values;  // or null when every entry counts 1
    // For attributes with one weight for all transitions: the transition that an entry applies to; -1 for entries of
    // other attributes. Null if there are no such attributes.
    const std::int32_t* moves = nullptr;

    std::size_t tokens() const { return indptr.size() - 1; }
};

// Storage of each weight: in row r of the dense table, or in the list of weights.
class RowPlan {
public:
    static constexpr std::size_t list_up_to = 8;
    static constexpr std::int32_t listed = -1;

    // sums: number of clusters, which are numbered and get rows after the attributes (linear/data/clusters.hpp).
    // longest: attributes with more weights get rows.
    RowPlan(const Observed& observed, std::size_t L, std::size_t sums = 0, std::size_t longest = list_up_to);

    // The longest lists of training. A row costs its vectors, a list its weights: with few labels even three weights are
    // faster as a row (names with 9 labels and 20 attributes per token: 27 instead of 34 ms per iteration).
    static std::size_t longest_in_training(std::size_t L) {
        return std::clamp<std::size_t>(L / 16, 2, list_up_to);
    }

    std::int32_t row(std::size_t attribute) const { return row_[attribute]; }
    std::size_t rows() const { return rows_; }
    std::size_t rows_and_sums() const { return rows_ + sums_; }
    std::size_t labels() const { return L_; }
    std::size_t attributes() const { return row_.size() - sums_; }

private:
    std::vector<std::int32_t> row_;
    std::size_t rows_ = 0;
    std::size_t L_, sums_;
};

// For each token the listed weights that it uses, with a value for each: 1 where `value` is null.
template <class F>
struct ListedEntries {
    const std::int64_t* begin;  // token t has entries begin[t] .. begin[t + 1]
    const std::int32_t* weight;
    const std::uint16_t* label;
    const F* value;
};

// The rows and listed weights that the tokens of a corpus use. Independent of the number type, and most of the memory
// of training.
struct RowIndex {
    RowIndex() = default;
    RowIndex(const Entries& entries, const Observed& observed, const RowPlan& plan, std::size_t threads = 1);

    std::vector<std::int64_t> row_begin{0}, listed_begin{0};  // (tokens + 1)
    Unset<std::int32_t> row;
    // Separate arrays, and short label numbers: a pass over the corpus is bound by the speed of reading these from
    // memory.
    Unset<std::int32_t> weight;  // and some after the last, so that prefetching never reads beyond
    Unset<std::uint16_t> label;

private:
    // For tokens [from, to): count their rows and weights, so that offsets are known; then write all of them.
    void count(const Entries& entries, const Observed& observed, const RowPlan& plan, std::size_t from,
               std::size_t to);
    void fill(const Entries& entries, const Observed& observed, const RowPlan& plan, std::size_t from,
              std::size_t to);
};

// Rows and listed weights of some tokens; token t has the number t - first in their offsets.
template <class F>
struct RowView {
    RowList<F> rows;
    ListedEntries<F> listed;
    std::size_t first;
};

class RowWindows;

// The tokens of a corpus as rows to add and weights to add: all of them in memory, or a window at a time.
template <class F>
class FeatureRows {
public:
    FeatureRows() = default;
    FeatureRows(const Entries& entries, const Observed& observed, const RowPlan& plan,
                std::shared_ptr<const RowIndex> index);
    explicit FeatureRows(std::shared_ptr<const RowWindows> windows) : windows_(std::move(windows)) {}

    // View tokens [from, to); good until this thread asks for others.
    RowView<F> view(std::size_t from, std::size_t to) const;
    // Call visit(rows, listed weights) for all tokens, a window after the other.
    void each_use(
        const std::function<void(std::span<const std::int32_t>, std::span<const std::int32_t>)>& visit) const;

    // node[t - from, y] += Σ listed weights
    void add_listed(const F* weights, std::size_t L, std::size_t from, std::size_t to, F* node) const;
    // sums[k] += gamma[t - from, label of k]
    void count_listed(const F* gamma, std::size_t L, std::size_t from, std::size_t to, F* sums) const;

private:
    std::shared_ptr<const RowIndex> index_;
    std::vector<F> row_value_, listed_value_;  // empty when every entry counts 1
    std::shared_ptr<const RowWindows> windows_;
};

// Weights of rare attributes are scattered in memory: they are prefetched some entries before they are needed.
inline constexpr std::int64_t listed_ahead = 64;

}  // namespace seqlab
