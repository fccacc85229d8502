// Expected features of sequences, summed: the second half of a gradient.
#pragma once

#include <vector>

#include "inference/plan.hpp"
#include "learn/chain_scores.hpp"
#include "learn/task.hpp"
#include "score/weight_table.hpp"

namespace seqlab {

template <class F>
class ChainCounts {
public:
    // hot_rows: the first rows of the weight table, whose float32 sums are moved to float64 by settle().
    ChainCounts(const Task& task, const ChainRows<F>& rows, std::size_t hot_rows);

    // Counts moves of `batch`, sequences from `first` on, times their weights; marginals times weights go to gamma[i].
    // Returns Σ weight · log Z.
    double count_moves(Batch<F> batch, std::size_t first, const double* weight, F* const* gamma);
    // The same for one trellis of sequence s.
    double count_one(const Trellis<F>& trellis, std::size_t s, double weight, F* gamma) {
        return counted(Batch<F>(&trellis, 1), s, weight, &gamma);
    }
    // Adds marginals of tokens [from, to) to the sums of attributes.
    void count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma);
    // Adds p (L) to the moves from one label into a token.
    void count_row(std::size_t from, std::size_t token, const F* p);
    void settle() { sums_.move_first_rows(hot_rows_, hot_.data()); }

    // Whether attributes of moves count value² in place of value (eq:curvature).
    void square_pairs(bool on) { squared_ = on; }
    // Adds everything to other counts, or to the gradient, and begins again from zero.
    void move_into(ChainCounts& total);
    void move_to(double* gradient);

private:
    double counted(Batch<F> batch, std::size_t s, double weight, F* const* gamma);
    double together(Batch<F> batch, double weight, F* const* gamma);
    double apart(const Trellis<F>& trellis, std::size_t s, double weight, F* gamma);
    const double* pairs_into(std::size_t t, std::size_t slab);
    void count_pairs(const double* pair, std::size_t token, double weight);

    const Task& task_;
    const ChainRows<F>& rows_;
    std::size_t hot_rows_;
    bool squared_ = false;
    WeightTable<F> sums_;
    std::vector<double> hot_;          // sums of the hot rows' weights
    std::vector<double> edge_, head_;  // moves, or triples and the moves into position 1
    std::vector<double> pair_;         // edge attributes
    std::vector<double> slabs_, own_head_, sum_, log_z_;
};

// Rows that so many tokens use that their float32 sums are moved to float64 now and then.
std::size_t count_hot_rows(const Entries& entries, const RowPlan& plan);

}  // namespace seqlab
