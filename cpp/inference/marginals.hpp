// Sums over paths for a ragged batch: log Z, node marginals, expected counts.
#pragma once

#include <cstdint>

#include "inference/plan.hpp"

namespace seqlab {

// Where expected edge counts go: a tensor of L^(k+1) (slab = 0: summed over positions) or one per position.
struct CountTarget {
    double* edge = nullptr;
    std::size_t slab = 0;
    double* head[2] = {nullptr, nullptr};
};

// log_z[i], -inf for a sequence without a legal path.
template <class F>
void log_partition(Batch<F> batch, double* log_z, std::size_t threads);

// node[i] (T_i, L_i) receives γ; log_space[i] says that the scaled passes were refused.
template <class F>
void node_marginals(Batch<F> batch, F* const* node, double* log_z, std::uint8_t* log_space,
                    std::size_t threads);

// γ and the expected counts of moves. `shared`: all sequences add to targets[0]; otherwise each has its own.
template <class F>
void expected_counts(Batch<F> batch, F* const* node, const CountTarget* targets, bool shared, double* log_z,
                     std::uint8_t* log_space, std::size_t threads);

// eq:entropy   H = log Z - Σ_t Σ_y γ_t(y) node_t(y) - Σ expected counts · edge scores
template <class F>
double entropy(const Trellis<F>& trellis);

// How many sequences of this process were redone in log space because scaling would have lost something.
std::size_t fallback_count();
// Long chains that were cut into chunks in vain (eq:mixing).
std::size_t unjoined_count();

}  // namespace seqlab
