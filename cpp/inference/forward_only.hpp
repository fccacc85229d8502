#pragma once

#include "base/numerics/flush_to_zero.hpp"
#include "inference/scaled.hpp"

namespace seqlab {

// Run the forward pass of one sequence and hand it to `use`: in scaled numbers where they are certified without a
// backward pass, else in log space. False, and nothing used, when no path is legal.
template <class F, class Use>
bool with_forward(const Trellis<F>& trellis, Use use) {
    const Steps<F> steps(trellis);
    const FlushToZero quick;
    const bool shared = wants_linear(trellis);
    const LinearTensor tensor = shared ? linear_edges(trellis) : LinearTensor{};
    PathSum<F, Scaled> scaled(steps, shared ? &tensor : nullptr);
    if (scaled.forward() > IMPOSSIBLE && scaled.algebra().forward_certified()) {
        use(scaled);
        return true;
    }
    PathSum<F, LogSpace> logs(steps);
    if (logs.forward() == IMPOSSIBLE) return false;
    use(logs);
    return true;
}

}  // namespace seqlab
