// Softmax over L labels: scores become probabilities.
//
// Rows are read and written in whole vectors. The numbers after the rows of node and edge must be readable; those after
// `out` are overwritten, as in adjacent rows that are computed in order.
#pragma once

#include "base/numerics/exp.hpp"
#include "base/numerics/lanes.hpp"
#include "kernels/rows/by_vectors.hpp"

namespace seqlab::SEQLAB_ISA {

// Vector v of node + edge, padded with -inf; edge may be null.
template <class F>
SEQLAB_INLINE Vec<F> choice_scores(const F* node, const F* edge, size_t v, size_t L) {
    Vec<F> x = load(node + v * W<F>);
    if (edge) x += load(edge + v * W<F>);
    if ((v + 1) * W<F> <= L) return x;
    const Mask<F> used = lane_numbers<F>() < static_cast<Integer<F>>(L - v * W<F>);
    return used ? x : splat(MINUS_INFINITY<F>);
}

// out = p with p(y) ∝ exp(node[y] + edge[y]); returns the largest score and the sum of exp(score - largest). Where all
// is -inf, p and the sum are 0.
template <class F, size_t NV>
struct Choose {
    static void run(F* out, const F* node, const F* edge, size_t L, F* top, F* total) {
        const size_t vectors = NV > 0 ? NV : (L + W<F> - 1) / W<F>;
        Vec<F> tops = splat(MINUS_INFINITY<F>), sums{};
        for (size_t v = 0; v < vectors; ++v) tops = larger<F>(tops, choice_scores(node, edge, v, L));
        const F high = max_lanes<F>(tops);
        *top = high;
        const F shift = high > MINUS_INFINITY<F> ? high : F{0};
        Vec<F> p[NV > 0 ? NV : 1];
        for (size_t v = 0; v < vectors; ++v) {
            p[NV > 0 ? v : 0] = weight_of<F>(choice_scores(node, edge, v, L), shift, F{0});
            sums += p[NV > 0 ? v : 0];
            if constexpr (NV == 0) store(out + v * W<F>, p[0]);
        }
        *total = sum_lanes<F>(sums);
        const F scale = *total > 0 ? F{1} / *total : F{0};
        for (size_t v = 0; v < vectors; ++v)
            store(out + v * W<F>, (NV > 0 ? p[NV > 0 ? v : 0] : load(out + v * W<F>)) * scale);
    }
};

template <class F>
void choose(F* out, const F* node, const F* edge, size_t L, F* top, F* total) {
    by_vectors<F, Choose>((L + W<F> - 1) / W<F>, out, node, edge, L, top, total);
}

}  // namespace seqlab::SEQLAB_ISA
