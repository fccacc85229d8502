// The definition of the forward recursion: scores of all prefixes of a sequence, summed or maximised, for every order,
// with masks and with per-position edges. All faster versions are tested against it
// (tests/agreement/test_definition.py): the normalised recursion for every shape in inference/path_sum.hpp, and the
// kernels for first order.
//
// A state at t is (rest, y), the last k labels; the step into t drops the oldest label a (trellis/steps.hpp). For order
// 1 rest is empty and this is the textbook's α_t(y) = ψ_t(y) ⊗ ⊕_a α_{t-1}(a) ⊗ ψ_t(a, y). Cost: O(T L^(k+1)).
#pragma once

#include <cmath>
#include <limits>

#include "base/parallel/poll.hpp"
#include "trellis/steps.hpp"

namespace seqlab::definition {

// Semirings on natural logs: ⊗ adds scores. In LogSum ⊕ is log-sum-exp, and the result is log Z; in Max it is the
// maximum, and the result is the score of the best path (eq:viterbi).
struct LogSum {
    static constexpr double zero = -std::numeric_limits<double>::infinity(), one = 0.0;
    static double times(double x, double y) { return x + y; }
    static double plus(double x, double y) {
        const double top = std::max(x, y), low = std::min(x, y);
        return low == zero ? top : top + std::log1p(std::exp(low - top));
    }
};
struct Max : LogSum {
    static double plus(double x, double y) { return std::max(x, y); }
};

using Row = std::vector<double>;  // one number for each state of a position

// eq:forward   α_t(rest, y) = ψ_t(y) ⊗ ⊕_a α_{t-1}(a, rest) ⊗ ψ_t(a, rest, y), where α_{-1} is the empty prefix, one
template <class S, class F>
std::vector<Row> forward(const Steps<F>& trellis) {
    std::vector<Row> alpha(trellis.T());
    for (std::size_t t = 0; t < trellis.T(); ++t) {
        const Row before = t > 0 ? alpha[t - 1] : Row{S::one};
        const Step n = trellis.into(t);
        poll_at(t, n.after() * n.from);
        alpha[t].resize(n.after());
        for (std::size_t rest = 0; rest < n.rest; ++rest)
            for (std::size_t y = 0; y < n.to; ++y) {
                double total = S::zero;
                for (std::size_t a = 0; a < n.from; ++a)
                    total = S::plus(total, S::times(before[a * n.rest + rest], trellis.move(t, a, rest, y)));
                alpha[t][rest * n.to + y] = S::times(trellis.node(t, y), total);
            }
    }
    return alpha;
}

}  // namespace seqlab::definition
