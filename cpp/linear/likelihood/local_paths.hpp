// Sums over the paths of a local model (MEMM) that are consistent with given label lists.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/likelihood/local_choice.hpp"
#include "trellis/steps.hpp"

namespace seqlab {

// p_t(y | previous labels) for all previous labels that the lists allow, and the probability of each transition given
// that the path is in the lists (eq:order-k: states are numbered as in Steps).
template <class F>
class LocalPaths {
public:
    // The trellis has the scores of all labels; its lists restrict the paths of the sum.
    explicit LocalPaths(const Trellis<F>& trellis) : steps_(trellis) {
        const std::size_t L = trellis.L;
        Choices<F> choose;
        std::vector<F> p(L + Choices<F>::spare);
        for (std::size_t t = 0; t < trellis.T; ++t) {
            first_.push_back(choice_.size());
            const Step step = steps_.into(t);
            for (std::size_t state = 0; state < step.before(); ++state) {
                choose(trellis, t, before(t, state), p.data());
                choice_.insert(choice_.end(), p.begin(), p.begin() + static_cast<std::ptrdiff_t>(L));
            }
        }
    }

    std::size_t states_before(std::size_t t) const { return steps_.into(t).before(); }
    // The previous labels at t of one state, numbered as in Transitions::cell.
    std::size_t before(std::size_t t, std::size_t state) const {
        const Step step = steps_.into(t);
        if (t == 0) return 0;
        const Label a =
            t >= steps_.trellis().order ? steps_.label(t - steps_.trellis().order, state / step.rest) : 0;
        return steps_.position(t, a, state % step.rest, 0) / steps_.trellis().L;
    }
    // p_t(· | labels of the state), (L)
    const double* choices(std::size_t t, std::size_t state) const {
        return choice_.data() + first_[t] + state * steps_.trellis().L;
    }

    // log Σ over the paths. Sums are scaled at every position, because products of many probabilities underflow.
    double sum() {
        const std::size_t T = steps_.T();
        alpha_.resize(T);
        beta_.resize(T);
        scale_.assign(T, 0.0);
        for (std::size_t t = 0; t < T; ++t) forward(t);
        for (std::size_t t = T; t-- > 0;) backward(t);
        double log_p = 0.0;
        for (const double c : scale_) log_p += std::log(c);
        return log_p;
    }
    // Write out (L) = ξ_t(state, y) and return their sum; after sum().
    double moves(std::size_t t, std::size_t state, std::vector<double>& out) const {
        const Step step = steps_.into(t);
        std::ranges::fill(out, 0.0);
        double total = 0.0;
        for (std::size_t y = 0; y < step.to; ++y) {
            const auto label = static_cast<std::size_t>(steps_.label(t, y));
            const double start = t > 0 ? alpha_[t - 1][state] : 1.0;
            out[label] =
                start * choices(t, state)[label] * beta_[t][state % step.rest * step.to + y] / scale_[t];
            total += out[label];
        }
        return total;
    }

private:
    void forward(std::size_t t) {
        const Step step = steps_.into(t);
        alpha_[t].assign(step.after(), 0.0);
        for (std::size_t state = 0; state < step.before(); ++state)
            for (std::size_t y = 0; y < step.to; ++y)
                alpha_[t][state % step.rest * step.to + y] +=
                    (t > 0 ? alpha_[t - 1][state] : 1.0) * choices(t, state)[steps_.label(t, y)];
        for (const double x : alpha_[t]) scale_[t] += x;
        for (double& x : alpha_[t]) x /= scale_[t];
    }
    void backward(std::size_t t) {
        beta_[t].assign(steps_.states(t), t + 1 == steps_.T() ? 1.0 : 0.0);
        if (t + 1 == steps_.T()) return;
        const Step next = steps_.into(t + 1);
        for (std::size_t state = 0; state < next.before(); ++state)
            for (std::size_t y = 0; y < next.to; ++y)
                beta_[t][state] += choices(t + 1, state)[steps_.label(t + 1, y)] *
                                   beta_[t + 1][state % next.rest * next.to + y] / scale_[t + 1];
    }

    Steps<F> steps_;
    std::vector<std::size_t> first_;
    std::vector<double> choice_, scale_;
    std::vector<std::vector<double>> alpha_, beta_;
};

}  // namespace seqlab
