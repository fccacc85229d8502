// The log-linear classifier of an MEMM at each token, given the previous labels; used by likelihood and initial
// weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/numerics/sum.hpp"
#include "base/parallel/poll.hpp"
#include "kernels/kernels.hpp"
#include "linear/likelihood/loss.hpp"
#include "linear/likelihood/transition_counts.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

// A normaliser: the largest score, and the sum of exp(score - largest), between 1 and L; 0 when nothing is allowed.
template <class F>
struct Normaliser {
    F top, total;
};

// The probabilities of a local model: p_t(y | previous labels), which are numbered as in Transitions::cell.
template <class F>
class Choices {
public:
    // Scores of the transitions into t >= 1 (L), with a spare vector after them; valid until the next call.
    const F* moves(const Trellis<F>& trellis, std::size_t t, std::size_t before) {
        const std::size_t L = trellis.L;
        const F* const edge = trellis.scores_into(t) + before * L;
        if (!trellis.pairs) return edge;
        const F* const pair = trellis.pairs_into(t, static_cast<Label>(before % L));
        sum_.resize(L + spare);
        for (std::size_t y = 0; y < L; ++y) sum_[y] = edge[y] + pair[y];
        return sum_.data();
    }
    // p (L, with a spare vector after it) = p_t(y | before); 0 if nothing is allowed.
    Normaliser<F> operator()(const Trellis<F>& trellis, std::size_t t, std::size_t before, F* p) {
        Normaliser<F> z;
        const F* const edge = t > 0 ? moves(trellis, t, before) : nullptr;
        kernels().of<F>().choose(p, trellis.row(t), edge, trellis.L, &z.top, &z.total);
        return z;
    }

    static constexpr std::size_t spare = 16;

private:
    std::vector<F> sum_;
};

// Σ weight · log x for many x, with one log for a product of several.
class SumOfLogs {
public:
    void add(double x, double weight) {
        if (weight != weight_ || product_ > enough) settle(weight);
        product_ *= x;
    }
    double value() {
        settle(weight_);
        return sum_.value();
    }

private:
    static constexpr double enough =
        1e200;  // limit of a product: one more float32 sum of exp over any number of labels still fits

    void settle(double weight) {
        sum_.add(weight_ * std::log(product_));
        product_ = 1.0;
        weight_ = weight;
    }

    CompensatedSum sum_;
    double product_ = 1.0, weight_ = 1.0;
};

// eq:memm-likelihood: the loss of one sequence whose labels are known, its first token being token `begin` of the
// corpus. residual (T, L) gets  w_t (p_t(y) - [y = y_t]), or w_t p_t(y) (1 - p_t(y)) for the curvature; transition rows
// go to `moves`.
template <class F, class Weight>
double local_choices(const Trellis<F>& trellis, const Label* gold, std::size_t begin, Weight weight_of,
                     Wanted wanted, F* residual, TransitionCounts<F>& moves) {
    const std::size_t L = trellis.L;
    CompensatedSum loss;
    SumOfLogs logs;
    Choices<F> choose;
    for (std::size_t t = 0; t < trellis.T; ++t) {
        poll_at(t, L);
        const double weight = weight_of(t);
        F* const p = residual + t * L;
        const auto y = static_cast<std::size_t>(gold[t]);
        std::size_t before = 0;
        for (std::size_t back = std::min(t, trellis.order); back > 0; --back)
            before = before * L + static_cast<std::size_t>(gold[t - back]);
        F score = trellis.row(t)[y];
        if (t > 0) score += choose.moves(trellis, t, before)[y];
        const Normaliser<F> z = choose(trellis, t, before, p);
        loss.add(weight * (static_cast<double>(z.top) - static_cast<double>(score)));
        logs.add(static_cast<double>(z.total), weight);
        if (wanted == Wanted::slope) {
            p[y] -= F{1};
        } else {
            for (std::size_t j = 0; j < L; ++j) p[j] *= F{1} - p[j];
        }
        if (weight != 1.0)
            for (std::size_t j = 0; j < L; ++j) p[j] *= static_cast<F>(weight);
        if (t > 0) moves.count_row(t, before, begin + t, p);
    }
    loss.add(logs.value());
    return loss.value();
}

}  // namespace seqlab
