// Rows of a long chain: arithmetic in float64 whatever the scores are stored in.
//
// A single long chain is bound by latency, so float64 costs no more than float32 would, and its range and digits are
// needed: over a million positions float32 sums drift and its exponents run out.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/rows/rows.hpp"

namespace seqlab::SEQLAB_ISA {

using Wide = Vec<double>;

template <class G>
SEQLAB_INLINE Wide widen(const G* p) {
    if constexpr (sizeof(G) == 8) {
        return load(p);
    } else {
        typedef float Narrow __attribute__((vector_size(VECTOR_BYTES / 2), aligned(4), may_alias));
        return __builtin_convertvector(*reinterpret_cast<const Narrow*>(p), Wide);
    }
}

// The first `count` values, the rest `fill`.
template <class G>
SEQLAB_INLINE Wide widen_part(const G* p, size_t count, double fill) {
    if (count >= W<double>) return widen(p);
    Wide v = splat(fill);
    for (size_t i = 0; i < W<double> && i < count; ++i) v[i] = static_cast<double>(p[i]);
    return v;
}

template <class G>
SEQLAB_INLINE void narrow_part(G* p, Wide v, size_t count) {
    if constexpr (sizeof(G) == 8) {
        store_part(p, v, count < W<double> ? count : W<double>);
    } else {
        const size_t n = count < W<double> ? count : W<double>;
        for (size_t i = 0; i < n; ++i) p[i] = static_cast<G>(v[i]);
    }
}

// Vector v of a row of L scores, -inf behind it.
template <class G>
SEQLAB_INLINE Wide wide_scores(const G* row, const G* end, size_t L, size_t v) {
    const G* p = row + v * W<double>;
    const size_t left = L - v * W<double>;
    if (left >= W<double>) return widen(p);
    if (p + W<double> > end) return widen_part(p, left, MINUS_INFINITY<double>);
    return lane_numbers<double>() < static_cast<std::int64_t>(left) ? widen(p)
                                                                    : splat(MINUS_INFINITY<double>);
}

// e = exp(node - max) into `e`, the maximum comes back (0 for a row of -inf).
template <class G>
SEQLAB_INLINE double wide_potentials(Wide* e, const G* row, const G* end, size_t L, size_t nv) {
    Wide top = wide_scores(row, end, L, 0);
    e[0] = top;
    for (size_t v = 1; v < nv; ++v) {
        e[v] = wide_scores(row, end, L, v);
        top = larger<double>(top, e[v]);
    }
    double largest = max_lanes<double>(top);
    if (largest == MINUS_INFINITY<double>) largest = 0.0;
    for (size_t v = 0; v < nv; ++v) e[v] = weight_of<double>(e[v], largest, faintest<double>);
    return largest;
}

// What the two directions must not fall below, where they are normalised and where they meet, for eq:certificate:
// far above the floor, and far above the smallest number that float32 storage of a row can hold.
inline constexpr double LEAST_SUM = 1e-40, LEAST_MEETING = 1e-25;

}  // namespace seqlab::SEQLAB_ISA
