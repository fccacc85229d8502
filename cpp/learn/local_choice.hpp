// One log-linear choice at every token, given the label before: what likelihood and first guess of an MEMM share.
#pragma once

#include <cmath>
#include <limits>

#include "inference/kernels/kernels.hpp"
#include "learn/loss.hpp"
#include "learn/move_counts.hpp"
#include "numerics/sum.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

// p (L, with a vector of room behind) = p_t(y | from), whose log normaliser is returned; -inf, and p = 0, when nothing is allowed.
template <class F>
double choose_label(const Trellis<F>& trellis, std::size_t t, std::size_t from, F* p) {
    F top, total;
    const F* const edge = t > 0 ? trellis.scores_into(t) + from * trellis.L : nullptr;
    kernels().of<F>().choose(p, trellis.row(t), edge, trellis.L, &top, &total);
    if (!(total > F{0})) return -std::numeric_limits<double>::infinity();
    return static_cast<double>(top) + std::log(static_cast<double>(total));
}

// eq:memm-likelihood, one sequence whose labels are known, its first token being token `begin` of the corpus: the loss. residual (T, L)
// gets  w_t (p_t(y) - [y = y_t]), or w_t p_t(y) (1 - p_t(y)) where the curvature is wanted; rows of moves go to `moves`.
template <class F, class Weight>
double local_choices(const Trellis<F>& trellis, const Label* gold, std::size_t begin, Weight weight_of,
                     Wanted wanted, F* residual, MoveCounts<F>& moves) {
    const std::size_t L = trellis.L;
    CompensatedSum loss;
    for (std::size_t t = 0; t < trellis.T; ++t) {
        const double weight = weight_of(t);
        F* const p = residual + t * L;
        const auto y = static_cast<std::size_t>(gold[t]);
        const std::size_t from = t > 0 ? static_cast<std::size_t>(gold[t - 1]) : 0;
        F score = trellis.row(t)[y];
        if (t > 0) score += trellis.scores_into(t)[from * L + y];
        loss.add(weight * (choose_label(trellis, t, from, p) - static_cast<double>(score)));
        if (wanted == Wanted::slope) {
            p[y] -= F{1};
        } else {
            for (std::size_t j = 0; j < L; ++j) p[j] *= F{1} - p[j];
        }
        if (weight != 1.0)
            for (std::size_t j = 0; j < L; ++j) p[j] *= static_cast<F>(weight);
        if (t > 0) moves.count_row(from, begin + t, p);
    }
    return loss.value();
}

}  // namespace seqlab
