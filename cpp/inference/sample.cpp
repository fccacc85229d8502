#include "inference/sample.hpp"

#include "inference/path_sum.hpp"
#include "numerics/random.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

namespace {

// The first index whose running sum of weights passes u times their total. Weights of zero are never chosen.
std::size_t draw(const std::vector<double>& weights, double u) {
    double total = 0.0;
    for (const double w : weights) total += w;
    double left = u * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] <= 0.0) continue;
        last = i;
        if (left < weights[i]) return i;
        left -= weights[i];
    }
    return last;
}

// exp(x - largest), in place
void to_weights(std::vector<double>& x) {
    double top = IMPOSSIBLE;
    for (const double v : x) top = std::max(top, v);
    kernels().f64.exp_row(x.data(), x.data(), top == IMPOSSIBLE ? 0.0 : top, 0.0, x.size());
}

// eq:sample   y_{T-1} from α_{T-1}; then each label that drops out from P(a | what follows) ∝ α_{t-1}(a, rest) ψ_t
template <class F>
void draw_path(PathSum<F, LogSpace>& sum, const Uniform& uniform, Label* path, std::vector<double>& weights) {
    const Steps<F>& steps = sum.steps();
    const std::size_t last = steps.trellis().T - 1;
    weights.assign(sum.alpha(last), sum.alpha(last) + steps.states(last));
    to_weights(weights);
    std::size_t state = draw(weights, uniform(last));
    for (std::size_t t = last;; --t) {
        path[t] = steps.label_of(t, state, 0);
        if (t == 0) return;
        const Step step = steps.into(t);
        const std::size_t r = state / step.to, y = state % step.to;
        sum.algebra().enter(t);
        const Block<double> M = sum.algebra().block(t, r);
        weights.resize(step.from);
        for (std::size_t a = 0; a < step.from; ++a)
            weights[a] = sum.alpha(t - 1)[a * step.rest + r] + M.data[a * M.stride + y];
        to_weights(weights);
        state = draw(weights, uniform(t - 1)) * step.rest + r;
    }
}

}  // namespace

template <class F>
void sample(Batch<F> batch, std::size_t n, std::uint64_t seed, const std::uint64_t* streams,
            Label* const* out, std::uint8_t* possible, std::size_t threads) {
    parallel_for(batch.size(), threads, [&](std::size_t i) {
        possible[i] = 1;
        if (batch[i].T == 0) return;
        const Steps<F> steps(batch[i]);
        PathSum<F, LogSpace> sum(steps);
        possible[i] = sum.forward() > IMPOSSIBLE;
        std::vector<double> weights;
        for (std::size_t d = 0; possible[i] && d < n; ++d)
            draw_path(sum, Uniform(seed, streams[i], d), out[i] + d * batch[i].T, weights);
    });
}

template void sample<float>(Batch<float>, std::size_t, std::uint64_t, const std::uint64_t*, Label* const*,
                            std::uint8_t*, std::size_t);
template void sample<double>(Batch<double>, std::size_t, std::uint64_t, const std::uint64_t*, Label* const*,
                             std::uint8_t*, std::size_t);

}  // namespace seqlab
