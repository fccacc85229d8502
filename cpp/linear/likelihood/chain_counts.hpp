// Expected features of sequences, summed: the second half of a gradient.
#pragma once

#include <vector>

#include "linear/data/task.hpp"
#include "linear/data/weight_table.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/move_counts.hpp"

namespace seqlab {

// What so many tokens use that its float32 sums are moved to float64 now and then: the first of the attributes, and the first of
// the clusters. None in float64.
struct HotRows {
    std::size_t attributes = 0, clusters = 0;

    template <class F>
    static HotRows of(const Task& task, const ChainRows<F>& rows);
};

template <class F>
class ChainCounts : public MoveCounts<F> {
public:
    ChainCounts(const Task& task, const ChainRows<F>& rows, HotRows hot);

    // Adds marginals of tokens [from, to) to the sums of attributes.
    void count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma);
    // Moves the sums of what is hot to float64.
    void settle();

    // Adds everything to other counts, or to the gradient, and begins again from zero.
    void move_into(ChainCounts& total, std::size_t threads = 1);
    void move_to(double* gradient, std::size_t threads);
    void clear();

private:
    void spread_clusters(std::size_t threads);

    const ChainRows<F>& rows_;
    HotRows hot_rows_;
    WeightTable<F> sums_;
    std::vector<double> hot_;           // sums of the hot attributes' weights
    std::vector<double> hot_clusters_;  // (hot clusters, L)
};

}  // namespace seqlab
