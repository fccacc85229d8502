// The long loops of L-BFGS (eq:lbfgs): sums in float64 over steps stored in float32 or float64.
//
// With n = 456,000 and ten steps in float32 the last two loops read 36 MB each. Two doubles at a time they take 4.6 and
// 3.9 ms, more than the memory needs; with the registers of AVX-512 2.6 and 2.2 ms.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/rows/rows.hpp"

namespace seqlab::SEQLAB_ISA {

// Sum lane by lane, not in halves: this order keeps the bits of earlier versions.
SEQLAB_INLINE double sum_in_order(Wide v) {
    double total = 0.0;
    for (size_t i = 0; i < W<double>; ++i) total += v[i];
    return total;
}

// Store v rounded to F at p; returns the rounded values.
template <class F>
SEQLAB_INLINE Wide write_rounded(F* p, Wide v) {
    if constexpr (sizeof(F) == 8) {
        store(p, v);
        return v;
    } else {
        typedef float Narrow __attribute__((vector_size(VECTOR_BYTES / 2)));
        const Narrow rounded = __builtin_convertvector(v, Narrow);
        __builtin_memcpy(p, &rounded, sizeof rounded);
        return __builtin_convertvector(rounded, Wide);
    }
}

template <class F>
void take_step(const StepEnds& move, size_t at, size_t n, F* s, F* y, double* wide, double* squares) {
    const double *x0 = move.x0 + at, *x1 = move.x1 + at, *g0 = move.g0 + at, *g1 = move.g1 + at;
    Wide ss = {}, yy = {};
    size_t i = 0;
    for (; i + W<double> <= n; i += W<double>) {
        const Wide si = write_rounded(s + i, load(x1 + i) - load(x0 + i));
        const Wide yi = write_rounded(y + i, load(g1 + i) - load(g0 + i));
        store(wide + i, yi);
        ss += si * si;
        yy += yi * yi;
    }
    squares[0] += sum_in_order(ss);
    squares[1] += sum_in_order(yy);
    for (; i < n; ++i) {
        s[i] = static_cast<F>(x1[i] - x0[i]);
        y[i] = static_cast<F>(g1[i] - g0[i]);
        wide[i] = static_cast<double>(y[i]);
        squares[0] += static_cast<double>(s[i]) * static_cast<double>(s[i]);
        squares[1] += wide[i] * wide[i];
    }
}

template <size_t K, class F>
SEQLAB_INLINE void project_some(const F* const* rows, const double* a, const double* b, size_t n,
                                double* out) {
    Wide p[K] = {}, q[K] = {};
    size_t i = 0;
    for (; i + W<double> <= n; i += W<double>) {
        const Wide x = load(a + i), y = load(b + i);
        for (size_t k = 0; k < K; ++k) {
            const Wide row = widen(rows[k] + i);
            p[k] += row * x;
            q[k] += row * y;
        }
    }
    for (size_t k = 0; k < K; ++k) {
        double rest_p = 0.0, rest_q = 0.0;
        for (size_t j = i; j < n; ++j) {
            const double row = static_cast<double>(rows[k][j]);
            rest_p += row * a[j];
            rest_q += row * b[j];
        }
        out[2 * k] += sum_in_order(p[k]) + rest_p;
        out[2 * k + 1] += sum_in_order(q[k]) + rest_q;
    }
}

template <size_t K, class F>
SEQLAB_INLINE void combine_some(const F* const* rows, const double* c, size_t n, double* q) {
    size_t i = 0;
    for (; i + W<double> <= n; i += W<double>) {
        Wide x = load(q + i);
        for (size_t k = 0; k < K; ++k) x += c[k] * widen(rows[k] + i);
        store(q + i, x);
    }
    for (; i < n; ++i)
        for (size_t k = 0; k < K; ++k) q[i] += c[k] * static_cast<double>(rows[k][i]);
}

// Up to five rows at a time, in groups of nearly equal size: the data they share are loaded once.
SEQLAB_INLINE size_t rows_at_once(size_t left) {
    const size_t groups = (left + 4) / 5;
    return (left + groups - 1) / groups;
}

template <class F>
void project_history(const F* const* rows, size_t count, const double* a, const double* b, size_t n,
                     double* out) {
    while (count > 0) {
        const size_t now = rows_at_once(count);
        if (now == 5) project_some<5>(rows, a, b, n, out);
        if (now == 4) project_some<4>(rows, a, b, n, out);
        if (now == 3) project_some<3>(rows, a, b, n, out);
        if (now == 2) project_some<2>(rows, a, b, n, out);
        if (now == 1) project_some<1>(rows, a, b, n, out);
        rows += now, out += 2 * now, count -= now;
    }
}

template <class F>
void combine_history(const F* const* rows, size_t count, const double* c, size_t n, double* q) {
    while (count > 0) {
        const size_t now = rows_at_once(count);
        if (now == 5) combine_some<5>(rows, c, n, q);
        if (now == 4) combine_some<4>(rows, c, n, q);
        if (now == 3) combine_some<3>(rows, c, n, q);
        if (now == 2) combine_some<2>(rows, c, n, q);
        if (now == 1) combine_some<1>(rows, c, n, q);
        rows += now, c += now, count -= now;
    }
}

}  // namespace seqlab::SEQLAB_ISA
