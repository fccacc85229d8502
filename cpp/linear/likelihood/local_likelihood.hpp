// The likelihood of a maximum-entropy Markov model: a log-linear classifier at every token, given the previous labels.
//
// eq:memm-likelihood   -log p = Σ_t w_t (log Σ_y exp s_t(a_t, y) - s_t(a_t, y_t)),   s_t(a, y) = node_t(y) + edge_t(a, y),
//                       a_t = y_{t-k} ... y_{t-1}: the k previous labels, fewer at the start
#pragma once

#include <memory>
#include <vector>

#include "base/parallel/spare.hpp"
#include "linear/data/partition.hpp"
#include "linear/likelihood/chain_counts.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/loss.hpp"

namespace seqlab {

template <class F>
class LocalLikelihood final : public Loss {
public:
    // The task must outlive this. For partial labels, the likelihood is summed over the paths consistent with them.
    LocalLikelihood(const Task& task, std::size_t threads);
    ~LocalLikelihood() override;

    std::size_t size() const override { return task_.size(); }
    double operator()(const double* theta, double* gradient, std::size_t threads) override;
    void curvature(const double* theta, double* diagonal, std::size_t threads) override;

private:
    struct Worker;

    void load(const double* theta, std::size_t threads);
    double total(double* counts, std::size_t threads, Wanted wanted);
    template <class Turn>
    double run(std::size_t first, std::size_t last, Worker& worker, Turn& turn, Wanted wanted) const;
    double labelled(const Trellis<F>& trellis, std::size_t s, Worker& worker, Wanted wanted) const;
    double restricted(std::size_t c, Worker& worker, Wanted wanted) const;

    const Task& task_;
    ChainRows<F> rows_;
    std::unique_ptr<ChainRows<F>> squared_;
    FrequentRows hot_rows_;
    Partition partition_;
    ChainWeights<F> weights_;
    ChainCounts<F> sum_;           // of all shards
    Spare<ChainCounts<F>> spare_;  // sums of a shard
    Spare<Worker> workers_;        // one per thread, kept between calls
};

}  // namespace seqlab
