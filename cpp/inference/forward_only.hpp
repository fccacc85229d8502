#pragma once

#include "base/numerics/flush_to_zero.hpp"
#include "inference/scaled.hpp"

namespace seqlab {

// Run the forward pass of one sequence and pass it to `use`: in scaled numbers if they are certified to be exact
// enough, otherwise in log space. Returns log Z; if that is -inf or NaN, `use` is not called.
template <class F, class Use>
double with_forward(const Trellis<F>& trellis, Use use) {
    const Steps<F> steps(trellis);
    const FlushToZero quick;
    const bool shared = wants_linear(trellis);
    const LinearTensor tensor = shared ? linear_edges(trellis) : LinearTensor{};
    PathSum<F, Scaled> scaled(steps, shared ? &tensor : nullptr);
    if (scaled.forward() > IMPOSSIBLE && scaled.algebra().forward_certified()) {
        use(scaled);
        return scaled.log_z();
    }
    PathSum<F, LogSpace> logs(steps);
    if (logs.forward() > IMPOSSIBLE) use(logs);
    return logs.log_z();
}

}  // namespace seqlab
