// Batch training: L-BFGS (proximal steps with an L1 penalty) on a loss, preconditioned by its curvature, in float32 first.
#pragma once

#include <functional>

#include "linear/likelihood/loss.hpp"
#include "optimise/optimise.hpp"

namespace seqlab {

struct BatchOptions {
    optimise::LbfgsOptions lbfgs{};
    double l2 = 1.0;
    const double* centre = nullptr;  // l2 |theta - centre|²; null: 0
    bool precondition = true;
};

// Minimise loss + l2 |theta|² (+ l1 |theta|₁), from theta, in place. `exact` replaces `quick` when the decrease per
// iteration comes near the rounding errors of `quick`; null: `quick` is exact enough.
//
// eq:preconditioner   H₀⁻¹ = diag (h_k + 2 l2)^-p, h of eq:curvature; p falls from 0.8 to 0.2 during the run
optimise::Outcome descend(Loss& quick, Loss* exact, double* theta, const BatchOptions& options,
                          std::size_t threads, const optimise::Report& report, Snapshot* resumed = nullptr);

// Value and gradient of loss + l2 |theta - centre|².
double with_l2(Loss& loss, const double* theta, double* gradient, double l2, const double* centre,
               std::size_t threads);

}  // namespace seqlab
