#include "inference/sample.hpp"

#include <algorithm>
#include <numeric>

#include "base/numerics/random.hpp"
#include "base/parallel/parallel.hpp"
#include "inference/forward_only.hpp"

namespace seqlab {

namespace {

// Cumulative weights for drawing, computed once for all draws from a state.
class Wheel {
public:
    template <class Algebra>
    void fill(const std::vector<double>& values) {
        Algebra::weights(values, sums_);
        std::partial_sum(sums_.begin(), sums_.end(), sums_.begin());
    }
    bool empty() const { return sums_.empty(); }

    // The first index whose cumulative weight passes u times the total; an index of weight zero is never chosen.
    std::size_t draw(double u) const {
        const auto found = std::upper_bound(sums_.begin(), sums_.end(), u * sums_.back());
        const auto last = std::lower_bound(sums_.begin(), sums_.end(), sums_.back());
        return static_cast<std::size_t>(std::min(found, last) - sums_.begin());
    }

private:
    std::vector<double> sums_;
};

// eq:sample   y_{T-1} from α_{T-1}; then each label that drops out from P(a | later labels) ∝ α_{t-1}(a, rest) ψ_t. All
// draws go back through the positions together: draws in equal states share the cumulative weights.
template <class F, template <class> class AlgebraOf>
void draw_paths(PathSum<F, AlgebraOf>& sum, const std::vector<Uniform>& draws, Label* out) {
    using Algebra = AlgebraOf<F>;
    const Steps<F>& steps = sum.steps();
    const std::size_t T = steps.trellis().T, last = T - 1;
    std::vector<double> weights(sum.alpha(last), sum.alpha(last) + steps.states(last));
    std::vector<Wheel> wheels(1);
    wheels[0].template fill<Algebra>(weights);
    std::vector<std::size_t> state(draws.size());
    for (std::size_t d = 0; d < draws.size(); ++d) state[d] = wheels[0].draw(draws[d](last));
    for (std::size_t t = last;; --t) {
        for (std::size_t d = 0; d < draws.size(); ++d) out[d * T + t] = steps.label_of(t, state[d], 0);
        if (t == 0) return;
        const Step step = steps.into(t);
        poll_at(t, draws.size() + step.after() * step.from);
        sum.algebra().enter(t);
        wheels.assign(step.after(), Wheel{});
        weights.resize(step.from);
        for (std::size_t d = 0; d < draws.size(); ++d) {
            const std::size_t r = state[d] / step.to, y = state[d] % step.to;
            Wheel& wheel = wheels[state[d]];
            if (wheel.empty()) {
                const Block<double> M = sum.algebra().block(t, r);
                for (std::size_t a = 0; a < step.from; ++a)
                    weights[a] =
                        Algebra::times(sum.alpha(t - 1)[a * step.rest + r], M.data[a * M.stride + y]);
                wheel.template fill<Algebra>(weights);
            }
            state[d] = wheel.draw(draws[d](t - 1)) * step.rest + r;
        }
    }
}

}  // namespace

template <class F>
void sample(Batch<F> batch, std::size_t n, std::uint64_t seed, const std::uint64_t* streams,
            Label* const* out, double* log_z, std::size_t threads) {
    parallel_for(batch.size(), threads, [&](std::size_t i) {
        log_z[i] = 0.0;
        if (batch[i].T == 0) return;
        std::vector<Uniform> draws;
        for (std::size_t d = 0; d < n; ++d) draws.emplace_back(seed, streams[i], d);
        log_z[i] = with_forward(batch[i], [&](auto& sum) { draw_paths(sum, draws, out[i]); });
    });
}

template void sample<float>(Batch<float>, std::size_t, std::uint64_t, const std::uint64_t*, Label* const*,
                            double*, std::size_t);
template void sample<double>(Batch<double>, std::size_t, std::uint64_t, const std::uint64_t*, Label* const*,
                             double*, std::size_t);

}  // namespace seqlab
