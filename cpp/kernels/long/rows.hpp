// Rows of a long chain: arithmetic in float64 for scores of either type.
//
// A single long chain is bound by latency, so float64 costs no more than float32 would, and its range and precision are
// needed: over a million positions float32 sums drift and its exponents overflow.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/rows/rows.hpp"

namespace seqlab {
void poll();  // base/parallel/poll.hpp, whose inline functions must not be compiled here
}

namespace seqlab::SEQLAB_ISA {

// Vector v of a row of L scores of float32 or float64, padded with -inf.
template <class G>
SEQLAB_INLINE Wide wide_scores(const G* row, const G* end, size_t L, size_t v) {
    if constexpr (sizeof(G) == 8) {
        return score_lanes(row, end, L, v);
    } else {
        const G* p = row + v * W<double>;
        const size_t left = L - v * W<double>;
        if (left >= W<double>) return widen(p);
        const Mask<double> used = lane_numbers<double>() < static_cast<std::int64_t>(left);
        if (p + W<double> <= end) return used ? widen(p) : splat(MINUS_INFINITY<double>);
        Wide x = splat(MINUS_INFINITY<double>);
        for (size_t i = 0; i < W<double> && i < left; ++i) x[i] = static_cast<double>(p[i]);
        return x;
    }
}

// Load the next vector of a row with `left` numbers left, padded with 0; and store one.
SEQLAB_INLINE Wide part_of_row(const double* p, size_t left) {
    return load_part(p, left < W<double> ? left : W<double>, 0.0);
}
template <class G>
SEQLAB_INLINE void store_part_of_row(G* p, Wide v, size_t left) {
    const size_t n = left < W<double> ? left : W<double>;
    if constexpr (sizeof(G) == 8) {
        store_part(p, v, n);
    } else {
        for (size_t i = 0; i < n; ++i) p[i] = static_cast<G>(v[i]);
    }
}

// Compute e = exp(node - max) into `e` and return the maximum (0 for a row of -inf).
SEQLAB_INLINE double wide_potentials(Wide* e, const double* row, const double* end, size_t L, size_t nv) {
    Wide top = score_lanes(row, end, L, 0);
    e[0] = top;
    for (size_t v = 1; v < nv; ++v) {
        e[v] = score_lanes(row, end, L, v);
        top = larger<double>(top, e[v]);
    }
    double largest = max_lanes<double>(top);
    if (largest == MINUS_INFINITY<double>) largest = 0.0;
    for (size_t v = 0; v < nv; ++v) e[v] = weight_of<double>(e[v], largest, faintest<double>);
    return largest;
}

// Lower limits of the sums of the two directions, where they are normalised and where they meet, for eq:certificate:
// far above the floor, and far above the smallest float32 number in which a row can be stored.
inline constexpr double LEAST_SUM = 1e-40, LEAST_MEETING = 1e-25;

}  // namespace seqlab::SEQLAB_ISA
