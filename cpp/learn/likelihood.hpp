// The likelihood of a linear-chain CRF and its slope.
//
// eq:crf-likelihood   -log p = Σ_s w_s (log Z_s - θ·F_s(y_s)),   slope = Σ_s w_s (E_θ[F_s] - F_s(y_s))
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "learn/problem.hpp"
#include "score/weight_table.hpp"

namespace seqlab {

template <class F>
class Likelihood {
public:
    // The arrays behind observed, moves and sequences must outlive this; those behind entries need not.
    Likelihood(const Entries& entries, const Observed& observed, const Moves& moves,
               const Sequences& sequences);

    ~Likelihood();

    std::size_t size() const { return empirical_.size(); }

    // -log p at theta; gradient (size()) is overwritten.
    double operator()(const double* theta, double* gradient, std::size_t threads);

private:
    struct Worker;

    void load(const double* theta);
    double run(std::size_t first, std::size_t last, Worker& worker) const;
    double run_block(std::size_t first, std::size_t last, Worker& worker) const;
    double count_paths(std::size_t first, std::size_t last, Worker& worker) const;
    void mask_ends(std::size_t first, std::size_t last, F* node) const;

    Observed observed_;
    Moves moves_;
    Sequences sequences_;
    std::size_t L_, LP_;
    RowPlan plan_;
    FeatureRows<F> rows_;
    std::size_t
        hot_rows_;  // rows so many tokens use that their float32 sums are moved to float64 now and then
    std::vector<double> empirical_;
    std::vector<std::size_t> cuts_;
    WeightTable<F> weights_;
    std::vector<F> edge_;
    std::vector<std::unique_ptr<Worker>> workers_;  // one per thread, kept from call to call
};

}  // namespace seqlab
