// Viterbi of S chains of one length in lockstep, first order, one shared slab.
//
// No back pointers for sentences: the backtrace recomputes the best predecessor of the chosen label, T * L work against
// the T * L * L of the recursion. M holds scores, padded with -inf.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/rows/rows.hpp"

namespace seqlab::SEQLAB_ISA {

// The lowest label with the largest value of x[y] + m[y], and that value.
template <class F>
struct Best {
    F value;
    size_t label;
};

template <class F, size_t NV>
SEQLAB_INLINE Best<F> best_of(const F* x, const F* m, size_t LP) {
    const size_t nv = NV ? NV : LP / W<F>;
    Vec<F> top = load(x) + load(m);
    for (size_t v = 1; v < nv; ++v) top = larger<F>(top, load(x + v * W<F>) + load(m + v * W<F>));
    const F value = max_lanes<F>(top);
    const Mask<F> lanes = lane_numbers<F>();
    Mask<F> first = lanes + static_cast<Integer<F>>(LP);
    for (size_t v = 0; v < nv; ++v) {
        const Mask<F> here = lanes + static_cast<Integer<F>>(v * W<F>);
        const Mask<F> found = load(x + v * W<F>) + load(m + v * W<F>) == value;
        const Mask<F> candidate = found ? here : first;
        first = candidate < first ? candidate : first;
    }
    const auto label = static_cast<size_t>(min_index<F>(first));
    return {value, label < LP ? label : 0};
}

// float32 scores of a long chain would lose their digits in the sum: every few steps the maximum of the row is
// subtracted. That changes no comparison, and the caller sums the score of the path again in float64.
template <class F, size_t NV, size_t S>
SEQLAB_INLINE void settle(F* row, size_t LP, size_t t) {
    if (sizeof(F) > 4 || t % 16 != 0) return;
    const size_t nv = NV ? NV : LP / W<F>;
    for (size_t s = 0; s < S; ++s) {
        Vec<F> top = load(row + s * LP);
        for (size_t v = 1; v < nv; ++v) top = larger<F>(top, load(row + s * LP + v * W<F>));
        const F shift = max_lanes<F>(top);
        if (shift == MINUS_INFINITY<F>) continue;
        for (size_t v = 0; v < nv; ++v) store(row + s * LP + v * W<F>, load(row + s * LP + v * W<F>) - shift);
    }
}

// δ_t(y) = node_t(y) + max_a δ_{t-1}(a) + edge(a, y), from the row before (none at t = 0)
template <class F, size_t NV, size_t S>
SEQLAB_INLINE void best_row(F* now, const F* before, const DenseEdges<F>& edges, const Chain<F>* chain,
                            size_t t) {
    const size_t L = edges.L, LP = NV ? NV * W<F> : edges.LP, nv = LP / W<F>;
    if (before) product<F, MaxPlus, NV, S>(now, before, LP, edges.M, LP, L);
    for (size_t s = 0; s < S; ++s)
        for (size_t v = 0; v < nv; ++v) {
            const Vec<F> node = score_lanes(chain[s].node + t * L, chain[s].node_end, L, v);
            F* const at = now + s * LP + v * W<F>;
            store(at, before ? load(at) + node : node);
        }
    if (t > 0) settle<F, NV, S>(now, LP, t);
}

// Step back from label y at t to its best predecessor; row is δ_{t-1}.
template <class F, size_t NV>
SEQLAB_INLINE size_t predecessor(const F* row, size_t y, const DenseEdges<F>& edges, size_t LP) {
    return best_of<F, NV>(row, edges.MT + y * LP, LP).label;
}

// A row of zeros, for the argmax of a row alone: row 0 of the workspace.
template <class F>
SEQLAB_INLINE F* zero_row(F* room, size_t LP) {
    for (size_t v = 0; v < LP; v += W<F>) store(room + v, Vec<F>{});
    return room;
}

// eq:viterbi
template <class F, size_t NV, size_t S>
void lockstep_viterbi(const DenseEdges<F>& edges, size_t T, Chain<F>* chain, F* room) {
    const size_t LP = NV ? NV * W<F> : edges.LP, gap = S * LP;
    const F* const zeros = zero_row(room, LP);
    F* const delta = room + LP;
    best_row<F, NV, S>(delta, nullptr, edges, chain, 0);
    for (size_t t = 1; t < T; ++t)
        best_row<F, NV, S>(delta + t * gap, delta + (t - 1) * gap, edges, chain, t);
    size_t y[S];
    for (size_t s = 0; s < S; ++s) {
        const Best<F> end = best_of<F, NV>(delta + (T - 1) * gap + s * LP, zeros, LP);
        chain[s].log_z = static_cast<double>(end.value);
        y[s] = end.label;
        chain[s].path[T - 1] = static_cast<std::int32_t>(y[s]);
    }
    for (size_t t = T - 1; t > 0; --t)
        for (size_t s = 0; s < S; ++s) {
            y[s] = predecessor<F, NV>(delta + (t - 1) * gap + s * LP, y[s], edges, LP);
            chain[s].path[t - 1] = static_cast<std::int32_t>(y[s]);
        }
}

}  // namespace seqlab::SEQLAB_ISA
