// The long loops of L-BFGS, compiled for each instruction set.
//
// With n = 456,000 and ten moves in float32 the last two read 36 MB each. Two doubles at a time they take 4.6 and 3.9 ms, more
// than the memory needs; with the registers of AVX-512 2.6 and 2.2 ms.
#pragma once

#include <cstddef>

namespace seqlab::optimise {

// The ends of a move: where from and where to, and the smooth gradients there.
struct Move {
    const double *x0, *x1, *g0, *g1;
};

template <class F>
struct Passes {
    // s = x1 - x0 and y = g1 - g0 over at <= i < at + n, rounded to F; wide = y as rounded; squares += |s|², |y|²
    void (*take)(const Move& move, std::size_t at, std::size_t n, F* s, F* y, double* wide, double* squares);
    // out[2k] += Σ_i row_k[i] a[i],  out[2k + 1] += Σ_i row_k[i] b[i]
    void (*project)(const F* const* rows, std::size_t count, const double* a, const double* b, std::size_t n,
                    double* out);
    // q[i] += Σ_k c[k] row_k[i]
    void (*combine)(const F* const* rows, std::size_t count, const double* c, std::size_t n, double* q);
};

// Those for the instruction set in use (inference/kernels).
template <class F>
Passes<F> passes();

}  // namespace seqlab::optimise
