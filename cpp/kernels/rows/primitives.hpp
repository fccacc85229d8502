// One step of a recursion on one block: the routines that serve every order and every mask.
#pragma once

#include "base/numerics/exp.hpp"
#include "base/numerics/lanes.hpp"
#include "kernels/rows/rings.hpp"

namespace seqlab::SEQLAB_ISA {

// out[y] = ⊕_a in[a] ⊗ M[a, y] for the lanes [0, count) of N vectors; the last one may be partial.
template <class F, class Ring, size_t N>
SEQLAB_INLINE void step_tile(F* out, const F* in, size_t gap, const F* M, size_t stride, size_t from,
                             size_t count) {
    const size_t last = count - (N - 1) * W<F>;
    Vec<F> total[N];
    for (size_t v = 0; v < N; ++v) total[v] = Ring::template zero<F>();
    for (size_t a = 0; a < from; ++a) {
        const Vec<F> x = splat(in[a * gap]);
        const F* row = M + a * stride;
        for (size_t v = 0; v + 1 < N; ++v)
            total[v] = Ring::template join<F>(total[v], x, load(row + v * W<F>));
        const Vec<F> end = load_part(row + (N - 1) * W<F>, last, F{0});
        total[N - 1] = Ring::template join<F>(total[N - 1], x, end);
    }
    for (size_t v = 0; v + 1 < N; ++v) store(out + v * W<F>, total[v]);
    store_part(out + (N - 1) * W<F>, total[N - 1], last);
}

template <class F, class Ring>
void step(F* out, const F* in, size_t gap, const F* M, size_t stride, size_t from, size_t to) {
    constexpr size_t TILE = 4;
    size_t y = 0;
    for (; y + TILE * W<F> <= to; y += TILE * W<F>)
        step_tile<F, Ring, TILE>(out + y, in, gap, M + y, stride, from, TILE * W<F>);
    for (; y + W<F> <= to; y += W<F>) step_tile<F, Ring, 1>(out + y, in, gap, M + y, stride, from, W<F>);
    if (y < to) step_tile<F, Ring, 1>(out + y, in, gap, M + y, stride, from, to - y);
}

// out[a] = Σ_y M[a, y] g[y]
template <class F>
void sum_back(F* out, size_t gap, const F* M, size_t stride, const F* g, size_t from, size_t to) {
    for (size_t a = 0; a < from; ++a) {
        const F* row = M + a * stride;
        Vec<F> total{};
        size_t y = 0;
        for (; y + W<F> <= to; y += W<F>) total += load(row + y) * load(g + y);
        if (y < to) total += load_part(row + y, to - y, F{0}) * load_part(g + y, to - y, F{0});
        out[a * gap] = sum_lanes<F>(total);
    }
}

template <class F>
void exp_row(F* out, const F* in, F shift, F least, size_t n) {
    for (size_t y = 0; y < n; y += W<F>) {
        const size_t count = n - y < W<F> ? n - y : W<F>;
        store_part(out + y, weight_of(load_part(in + y, count, MINUS_INFINITY<F>), shift, least), count);
    }
}

// out[y] = log Σ_a exp(in[a] + M[a, y]): the largest term is factored out, so nothing overflows and at least one term
// of the sum is 1. A column of -inf stays -inf.
inline void log_step(double* out, const double* in, size_t gap, const double* M, size_t stride, size_t from,
                     size_t to) {
    using V = Vec<double>;
    for (size_t y = 0; y < to; y += W<double>) {
        const size_t count = to - y < W<double> ? to - y : W<double>;
        V top = splat(MINUS_INFINITY<double>);
        for (size_t a = 0; a < from; ++a)
            top = larger<double>(top, splat(in[a * gap]) + load_part(M + a * stride + y, count, 0.0));
        const V shift = top == MINUS_INFINITY<double> ? V{} : top;
        V sum{};
        for (size_t a = 0; a < from; ++a)
            sum += exp_nonpositive<double>(splat(in[a * gap]) + load_part(M + a * stride + y, count, 0.0) -
                                           shift);
        for (size_t i = 0; i < count; ++i) out[y + i] = top[i] + __builtin_log(sum[i]);
    }
}

// out[a] = log Σ_y exp(M[a, y] + g[y])
inline void log_back(double* out, size_t gap, const double* M, size_t stride, const double* g, size_t from,
                     size_t to) {
    using V = Vec<double>;
    for (size_t a = 0; a < from; ++a) {
        const double* row = M + a * stride;
        V tops = splat(MINUS_INFINITY<double>);
        for (size_t y = 0; y < to; y += W<double>) {
            const size_t count = to - y < W<double> ? to - y : W<double>;
            tops = larger<double>(
                tops, load_part(row + y, count, 0.0) + load_part(g + y, count, MINUS_INFINITY<double>));
        }
        const double top = max_lanes<double>(tops);
        const double shift = top == MINUS_INFINITY<double> ? 0.0 : top;
        V sum{};
        for (size_t y = 0; y < to; y += W<double>) {
            const size_t count = to - y < W<double> ? to - y : W<double>;
            sum += exp_nonpositive<double>(load_part(row + y, count, 0.0) +
                                           load_part(g + y, count, MINUS_INFINITY<double>) - shift);
        }
        out[a * gap] = top + __builtin_log(sum_lanes<double>(sum));
    }
}

}  // namespace seqlab::SEQLAB_ISA
