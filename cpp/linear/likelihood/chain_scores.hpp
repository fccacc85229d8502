// Sequences of a task as trellises under given weights, with memory for their marginals.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "inference/plan.hpp"
#include "linear/data/chain_rows.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_weights.hpp"

namespace seqlab {

// Write -inf into node (T, L) wherever the lists from `row` on do not allow a label.
template <class F>
void mask_rows(const ActiveLists& lists, std::size_t row, std::size_t T, std::size_t L, F* node);

template <class F>
class ChainScores {
public:
    ChainScores(const Task& task, const ChainRows<F>& rows) : task_(task), rows_(rows) {}

    // Score sequences [first, last) of the task, with their lists of allowed labels. Valid until the next call.
    Batch<F> operator()(const ChainWeights<F>& weights, std::size_t first, std::size_t last);
    // The sequence of partial labels c, restricted to their lists; valid after operator() on a block that holds it.
    const Trellis<F>& restricted(std::size_t c);
    // Partial labels c as lists only: the scores of other labels are not set to -inf.
    Trellis<F> listed(std::size_t c) const;

    F* gamma(std::size_t s) { return gamma_ + row(s) * rows_.L; }
    F* gamma() { return gamma_; }

private:
    std::size_t row(std::size_t s) const { return task_.sequences.begin(s) - from_; }
    void score_nodes(const ChainWeights<F>& weights, std::size_t to);
    void score_edges(const ChainWeights<F>& weights, std::size_t first, std::size_t last);
    void mask_ends(std::size_t first, std::size_t last);
    void grow_iota(std::size_t first, std::size_t last);
    void restrict(Trellis<F>& trellis, const ActiveLists& lists, std::size_t row, F* node);
    void list(Trellis<F>& trellis, const ActiveLists& lists, std::size_t row) const;

    const Task& task_;
    const ChainRows<F>& rows_;
    std::size_t from_ = 0, first_ = 0;
    Buffer<F> node_room_, gamma_room_, restricted_room_;
    F *node_ = nullptr, *gamma_ = nullptr;
    std::vector<F> slabs_;
    std::vector<std::int64_t> iota_;
    std::vector<Trellis<F>> batch_;
    Trellis<F> restricted_;
};

}  // namespace seqlab
