// The definition of the backward recursion: scores of all suffixes after a state (see forward.hpp for prefixes).
#pragma once

#include "inference/definition/forward.hpp"

namespace seqlab::definition {

// eq:backward   β_{t-1}(a, rest) = ⊕_y ψ_t(a, rest, y) ⊗ ψ_t(y) ⊗ β_t(rest, y), where β_{T-1} is the empty suffix, one
template <class S, class F>
std::vector<Row> backward(const Steps<F>& trellis) {
    std::vector<Row> beta(trellis.T());
    if (trellis.T() > 0) beta.back().assign(trellis.states(trellis.T() - 1), S::one);
    for (std::size_t t = trellis.T(); t-- > 1;) {
        const Step n = trellis.into(t);
        poll_at(t, n.before() * n.to);
        beta[t - 1].resize(n.before());
        for (std::size_t a = 0; a < n.from; ++a)
            for (std::size_t rest = 0; rest < n.rest; ++rest) {
                double total = S::zero;
                for (std::size_t y = 0; y < n.to; ++y)
                    total = S::plus(total, S::times(S::times(trellis.move(t, a, rest, y), trellis.node(t, y)),
                                                    beta[t][rest * n.to + y]));
                beta[t - 1][a * n.rest + rest] = total;
            }
    }
    return beta;
}

}  // namespace seqlab::definition
