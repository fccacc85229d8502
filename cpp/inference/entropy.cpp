#include "inference/marginals.hpp"
#include "inference/path_sum.hpp"

namespace seqlab {

namespace {

// Σ p (h - log p) of a distribution given by unnormalised logs. No term is negative, so no digits cancel.
double mean_surprise(const std::vector<double>& logs, const std::vector<double>& h) {
    const double top = *std::max_element(logs.begin(), logs.end());
    if (top == IMPOSSIBLE) return 0.0;
    double total = 0.0, weighted = 0.0;
    for (std::size_t i = 0; i < logs.size(); ++i)
        if (const double weight = std::exp(logs[i] - top); weight > 0.0) {
            total += weight;
            weighted += weight * (h[i] + (top - logs[i]));
        }
    return weighted / total + std::log(total);
}

}  // namespace

// eq:entropy
// h holds H_t(s), the entropy of the labels before state s given that the path goes through it:
// H_t(rest, y) = Σ_a P(a | rest, y) (H_{t-1}(a, rest) - log P(a | rest, y)),
// P(a | rest, y) ∝ α_{t-1}(a, rest) ψ_t(a, rest, y)
template <class F>
double entropy(const Trellis<F>& trellis) {
    if (trellis.T == 0) return 0.0;
    const Steps<F> steps(trellis);
    PathSum<F, LogSpace> sum(steps);
    if (const double log_z = sum.forward(); !(log_z > IMPOSSIBLE)) return log_z;
    std::vector<double> h(steps.states(0), 0.0), next, logs, before;
    for (std::size_t t = 1; t < trellis.T; ++t) {
        const Step step = steps.into(t);
        sum.algebra().enter(t);
        next.resize(step.after());
        logs.resize(step.from);
        before.resize(step.from);
        for (std::size_t r = 0; r < step.rest; ++r) {
            const Block<double> M = sum.algebra().block(t, r);
            for (std::size_t a = 0; a < step.from; ++a) before[a] = h[a * step.rest + r];
            for (std::size_t y = 0; y < step.to; ++y) {
                for (std::size_t a = 0; a < step.from; ++a)
                    logs[a] = sum.alpha(t - 1)[a * step.rest + r] + M.data[a * M.stride + y];
                next[r * step.to + y] = mean_surprise(logs, before);
            }
        }
        h.swap(next);
    }
    logs.assign(sum.alpha(trellis.T - 1), sum.alpha(trellis.T - 1) + h.size());
    return mean_surprise(logs, h);
}

template double entropy<float>(const Trellis<float>&);
template double entropy<double>(const Trellis<double>&);

}  // namespace seqlab
