// Expected features of sequences, summed: the second half of a gradient.
#pragma once

#include <vector>

#include "learn/chain_scores.hpp"
#include "learn/move_counts.hpp"
#include "learn/task.hpp"
#include "score/weight_table.hpp"

namespace seqlab {

template <class F>
class ChainCounts : public MoveCounts<F> {
public:
    // hot_rows: the first rows of the weight table, whose float32 sums are moved to float64 by settle().
    ChainCounts(const Task& task, const ChainRows<F>& rows, std::size_t hot_rows);

    // Adds marginals of tokens [from, to) to the sums of attributes.
    void count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma);
    void settle() { sums_.move_first_rows(hot_rows_, hot_.data()); }

    // Adds everything to other counts, or to the gradient, and begins again from zero.
    void move_into(ChainCounts& total);
    void move_to(double* gradient, std::size_t threads);

private:
    const ChainRows<F>& rows_;
    std::size_t hot_rows_;
    WeightTable<F> sums_;
    std::vector<double> hot_;  // sums of the hot rows' weights
};

// Rows that so many tokens use that their float32 sums are moved to float64 now and then.
std::size_t count_hot_rows(const Entries& entries, const RowPlan& plan);

}  // namespace seqlab
