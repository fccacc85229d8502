// The likelihood of a linear-chain CRF and its gradient.
//
// eq:crf-likelihood   -log p = Σ_s w_s (log Z_s - θ·F_s(y_s)),   gradient = Σ_s w_s (E_θ[F_s] - F_s(y_s))
// eq:partial-labels   where labels are partly known, θ·F_s(y_s) becomes log Z over the consistent labellings
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/parallel/spare.hpp"
#include "linear/data/partition.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_counts.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/loss.hpp"

namespace seqlab {

template <class F>
class Likelihood final : public Loss {
public:
    // The task must outlive this.
    Likelihood(const Task& task, std::size_t threads);
    ~Likelihood() override;

    std::size_t size() const override { return task_.size(); }
    double operator()(const double* theta, double* gradient, std::size_t threads) override;
    void curvature(const double* theta, double* diagonal, std::size_t threads) override;

private:
    struct Worker;

    void load(const double* theta, std::size_t threads);
    double total(double* counts, std::size_t threads, Wanted wanted);
    template <class Turn>
    double run(std::size_t first, std::size_t last, Worker& worker, Turn& turn, Wanted wanted) const;
    template <class Turn>
    double run_block(std::size_t first, std::size_t last, Worker& worker, Turn& turn, Wanted wanted) const;
    void curve(std::size_t first, std::size_t last, Worker& worker) const;
    std::size_t block_end(std::size_t first, std::size_t last) const;

    const Task& task_;
    ChainRows<F> rows_;
    std::unique_ptr<ChainRows<F>>
        squared_;  // rows with value² in place of value, built when the curvature is computed
    FrequentRows hot_rows_;
    std::vector<double> empirical_;
    Partition partition_;
    ChainWeights<F> weights_;
    ChainCounts<F> sum_;           // of all shards
    Spare<ChainCounts<F>> spare_;  // sums of a shard
    Spare<Worker> workers_;        // one per thread, kept between calls
};

}  // namespace seqlab
