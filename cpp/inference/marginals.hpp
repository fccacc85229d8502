// Sums over paths for a ragged batch: log Z, node marginals, expected counts.
#pragma once

#include <cstdint>

#include "inference/plan.hpp"

namespace seqlab {

// Target of expected edge counts: a tensor of L^(k+1) (slab = 0: summed over positions) or one per position.
struct CountTarget {
    double* edge = nullptr;
    std::size_t slab = 0;
    double* head[2] = {nullptr, nullptr};
    // pairs: counts of the last two labels of every transition of one sequence, (T - 1, L, L), or null. weight: factor
    // of all transition counts. The dense kernels support neither.
    double* pairs = nullptr;
    double weight = 1.0;
};

// Compute log_z[i], -inf for a sequence without a legal path.
template <class F>
void log_partition(Batch<F> batch, double* log_z, std::size_t threads);

// Compute γ into node[i] (T_i, L_i); log_space[i] is set when the scaled passes were rejected.
template <class F>
void node_marginals(Batch<F> batch, F* const* node, double* log_z, std::uint8_t* log_space,
                    std::size_t threads);

// Compute γ and the expected counts of transitions. `shared`: all sequences add to targets[0]; otherwise each has its
// own.
template <class F>
void expected_counts(Batch<F> batch, F* const* node, const CountTarget* targets, bool shared, double* log_z,
                     std::uint8_t* log_space, std::size_t threads);

// eq:entropy   H = Σ_s P(s) (H_{T-1}(s) - log P(s)) over the last states s; NaN if it cannot be computed, -inf without
// a legal path
template <class F>
double entropy(const Trellis<F>& trellis);

// Number of sequences of this process recomputed in log space because scaling would have lost precision.
std::size_t fallback_count();
// Number of long chains whose division into chunks failed (eq:mixing).
std::size_t unjoined_count();

}  // namespace seqlab
