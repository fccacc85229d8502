// Expected feature counts of sequences: the part of the gradient that depends on theta.
#pragma once

#include <vector>

#include "linear/data/task.hpp"
#include "linear/data/weight_table.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/transition_counts.hpp"

namespace seqlab {

// Attributes and clusters used by so many tokens that their float32 sums are moved to float64 regularly: the first ones
// of each. None in float64.
struct FrequentRows {
    std::size_t attributes = 0, clusters = 0;

    template <class F>
    static FrequentRows of(const Task& task, const ChainRows<F>& rows);
};

template <class F>
class ChainCounts : public TransitionCounts<F> {
public:
    ChainCounts(const Task& task, const ChainRows<F>& rows, FrequentRows frequent);

    // Add the marginals of tokens [from, to) to the sums of attributes.
    void count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma);
    // Move the sums of frequent attributes and clusters to float64.
    void settle();

    // Add everything to other counts, or to the gradient, and reset to zero.
    void move_into(ChainCounts& total, std::size_t threads = 1);
    void move_to(double* gradient, std::size_t threads);
    void clear();

private:
    void spread_clusters(std::size_t threads);

    const ChainRows<F>& rows_;
    FrequentRows hot_rows_;
    WeightTable<F> sums_;
    std::vector<double> frequent_;           // sums of the frequent attributes' weights
    std::vector<double> frequent_clusters_;  // (frequent clusters, L)
};

}  // namespace seqlab
