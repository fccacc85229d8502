// Operations on padded label rows that the dense kernels share.
#pragma once

#include "base/numerics/exp.hpp"
#include "base/numerics/lanes.hpp"
#include "kernels/rows/rings.hpp"

namespace seqlab::SEQLAB_ISA {

using Wide = Vec<double>;

// Load a vector of float32 or float64 numbers as float64.
template <class F>
SEQLAB_INLINE Wide widen(const F* p) {
    if constexpr (sizeof(F) == 8) {
        return load(p);
    } else {
        typedef float Narrow __attribute__((vector_size(VECTOR_BYTES / 2), aligned(4), may_alias));
        return __builtin_convertvector(*reinterpret_cast<const Narrow*>(p), Wide);
    }
}

// The number of vector registers of an instruction set limits the partial sums in a loop.
inline constexpr bool MANY_REGISTERS = VECTOR_BYTES == 64;

// Partial sums per output vector: in a single chain of multiply-adds each waits for the one before. The number depends
// on the width of the row alone, never on the number of chains in lockstep, so that a sequence gets the same bits in
// any batch.
template <size_t NV>
inline constexpr size_t SETS = NV == 1 ? 2 : 1;

// Lower limit of the potential of an allowed score: it never becomes an exact zero. So a zero always means "forbidden",
// and the floor of the backward pass leaves zeros unchanged. (Edges: see faintest_edge in kernels.hpp.)
template <class F>
inline constexpr F faintest = sizeof(F) == 4 ? F(1e-37) : F(1e-300);

// Log of a long product, with one logarithm per few hundred factors.
class LogProduct {
public:
    SEQLAB_INLINE void times(double x) {
        product_ *= x;
        if (!(product_ > 1e-200 && product_ < 1e200)) settle();
    }
    SEQLAB_INLINE void plus(double x) {  // Neumaier's sum, as in base/numerics/sum.hpp
        const double t = sum_ + x;
        lost_ += __builtin_fabs(sum_) >= __builtin_fabs(x) ? (sum_ - t) + x : (x - t) + sum_;
        sum_ = t;
    }
    // n times x, exactly: the rounding error of the product is added too
    SEQLAB_INLINE void plus(double x, size_t n) {
        const double count = static_cast<double>(n), product = count * x;
        plus(product);
        plus(__builtin_fma(count, x, -product));
    }
    SEQLAB_INLINE double log() {
        settle();
        return sum_ + lost_;
    }

private:
    SEQLAB_INLINE void settle() {
        plus(__builtin_log(product_));
        product_ = 1.0;
    }
    double product_ = 1.0, sum_ = 0.0, lost_ = 0.0;
};

// Vector v of a row of L scores, padded with -inf. Loads of whole vectors that end inside the array are masked
// afterwards; only the last rows of the array are read lane by lane.
template <class F>
SEQLAB_INLINE Vec<F> score_lanes(const F* row, const F* end, size_t L, size_t v) {
    const F* p = row + v * W<F>;
    const size_t left = L - v * W<F>;
    if (left >= W<F>) return load(p);
    if (p + W<F> > end) return load_part(p, left, MINUS_INFINITY<F>);
    return lane_numbers<F>() < static_cast<Integer<F>>(left) ? load(p) : splat(MINUS_INFINITY<F>);
}

// Scores to potentials: e = exp(node - max). Returns the maximum (0 for a row of -inf, whose potentials are 0).
template <class F>
SEQLAB_INLINE F potentials(F* e, const F* row, const F* end, size_t L, size_t NV) {
    Vec<F> top = score_lanes(row, end, L, 0);
    for (size_t v = 1; v < NV; ++v) top = larger<F>(top, score_lanes(row, end, L, v));
    F largest = max_lanes<F>(top);
    if (largest == MINUS_INFINITY<F>) largest = F{0};
    for (size_t v = 0; v < NV; ++v)
        store(e + v * W<F>, weight_of(score_lanes(row, end, L, v), largest, faintest<F>));
    return largest;
}

template <class F>
SEQLAB_INLINE void store_row(F* out, const F* padded, size_t L, size_t NV) {
    for (size_t v = 0; v + 1 < NV; ++v) store(out + v * W<F>, load(padded + v * W<F>));
    store_part(out + (NV - 1) * W<F>, load(padded + (NV - 1) * W<F>), L - (NV - 1) * W<F>);
}

// S products of a row with the same matrix, N vectors of each: acc[s] = ⊕_a in[s, a] ⊗ M[a, :].
template <class F, class Ring, size_t N, size_t S, size_t SUMS>
SEQLAB_INLINE void multiply(Vec<F> (&acc)[S][N], const F* in, size_t in_gap, const F* M, size_t LP,
                            size_t L) {
    Vec<F> part[SUMS][S][N];
    for (size_t q = 0; q < SUMS; ++q)
        for (size_t s = 0; s < S; ++s)
            for (size_t v = 0; v < N; ++v) part[q][s][v] = Ring::template zero<F>();
    size_t a = 0;
    for (; a + SUMS <= L; a += SUMS)
        for (size_t q = 0; q < SUMS; ++q) {
            const F* row = M + (a + q) * LP;
            Vec<F> x[S];
            for (size_t s = 0; s < S; ++s) x[s] = splat(in[s * in_gap + a + q]);
            for (size_t v = 0; v < N;
                 ++v) {  // one vector of M at a time, used by all chains, so that it fits the registers
                const Vec<F> m = load(row + v * W<F>);
                for (size_t s = 0; s < S; ++s) part[q][s][v] = Ring::template join<F>(part[q][s][v], x[s], m);
            }
        }
    for (; a < L; ++a)
        for (size_t s = 0; s < S; ++s) {
            const Vec<F> x = splat(in[s * in_gap + a]);
            for (size_t v = 0; v < N; ++v)
                part[0][s][v] = Ring::template join<F>(part[0][s][v], x, load(M + a * LP + v * W<F>));
        }
    for (size_t s = 0; s < S; ++s)
        for (size_t v = 0; v < N; ++v) {
            acc[s][v] = part[0][s][v];
            for (size_t q = 1; q < SUMS; ++q) acc[s][v] = Ring::template merge<F>(acc[s][v], part[q][s][v]);
        }
}

// Process the vectors of a row from v on, N at a time as long as there are N; advances v past the last one.
template <class F, class Ring, size_t S, size_t N>
SEQLAB_INLINE void multiply_tiles(F* out, const F* in, size_t gap, const F* M, size_t LP, size_t L,
                                  size_t& v) {
    for (; v + N <= LP / W<F>; v += N) {
        Vec<F> acc[S][N];
        multiply<F, Ring, N, S, 1>(acc, in, gap, M + v * W<F>, LP, L);
        for (size_t s = 0; s < S; ++s)
            for (size_t i = 0; i < N; ++i) store(out + s * gap + (v + i) * W<F>, acc[s][i]);
    }
}

// Multiply rows of any width, in tiles that fit the registers. Not inlined, so that all recursions share the code.
template <class F, class Ring, size_t S>
__attribute__((noinline)) void multiply_wide(F* out, const F* in, size_t gap, const F* M, size_t LP,
                                             size_t L) {
    size_t v = 0;
    if (LP == W<F>) {  // as many partial sums as the fixed-width code: equal bits
        Vec<F> acc[S][1];
        multiply<F, Ring, 1, S, SETS<1>>(acc, in, gap, M, LP, L);
        for (size_t s = 0; s < S; ++s) store(out + s * gap, acc[s][0]);
        return;
    }
    if constexpr (MANY_REGISTERS) {
        multiply_tiles<F, Ring, S, 6>(out, in, gap, M, LP, L, v);
        multiply_tiles<F, Ring, S, 4>(out, in, gap, M, LP, L, v);
        multiply_tiles<F, Ring, S, 3>(out, in, gap, M, LP, L, v);
    } else if constexpr (S < 4) {
        multiply_tiles<F, Ring, S, 4>(out, in, gap, M, LP, L, v);
    }
    multiply_tiles<F, Ring, S, 2>(out, in, gap, M, LP, L, v);
    multiply_tiles<F, Ring, S, 1>(out, in, gap, M, LP, L, v);
}

// out[s, :] = ⊕_a in[s, a] ⊗ M[a, :]; NV > 0 is the row's width known to the compiler, 0 means any.
template <class F, class Ring, size_t NV, size_t S>
SEQLAB_INLINE void product(F* out, const F* in, size_t gap, const F* M, size_t LP, size_t L) {
    if constexpr (NV == 0) {
        multiply_wide<F, Ring, S>(out, in, gap, M, LP, L);
    } else {
        Vec<F> acc[S][NV];
        multiply<F, Ring, NV, S, SETS<NV>>(acc, in, gap, M, LP, L);
        for (size_t s = 0; s < S; ++s)
            for (size_t v = 0; v < NV; ++v) store(out + s * gap + v * W<F>, acc[s][v]);
    }
}

}  // namespace seqlab::SEQLAB_ISA
