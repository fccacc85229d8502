// Sum of outer products, E += Σ_n x_n ⊗ g_n: the edge expectations of a whole group of chains before they are
// multiplied, once per batch, by the edge potentials. A block of E stays in registers while n runs.
#pragma once

#include "base/numerics/lanes.hpp"

namespace seqlab::SEQLAB_ISA {

template <class F, size_t R, size_t N>
SEQLAB_INLINE void outer_block(F* E, const F* x, const F* g, size_t LP, size_t count) {
    Vec<F> sum[R][N] = {};
    for (size_t n = 0; n < count; ++n, x += LP, g += LP) {
        Vec<F> row[N];
        for (size_t v = 0; v < N; ++v) row[v] = load(g + v * W<F>);
        for (size_t i = 0; i < R; ++i) {
            const Vec<F> a = splat(x[i]);
            for (size_t v = 0; v < N; ++v) sum[i][v] += a * row[v];
        }
    }
    for (size_t i = 0; i < R; ++i)
        for (size_t v = 0; v < N; ++v) {
            F* const at = E + i * LP + v * W<F>;
            store(at, load(at) + sum[i][v]);
        }
}

// All rows of E for N vectors of its columns, R rows at a time, then half as many, ...
template <class F, size_t R, size_t N>
SEQLAB_INLINE void outer_rows(F* E, const F* x, const F* g, size_t LP, size_t count, size_t L) {
    size_t i = 0;
    for (; i + R <= L; i += R) outer_block<F, R, N>(E + i * LP, x + i, g, LP, count);
    if constexpr (R > 1) outer_rows<F, R / 2, N>(E + i * LP, x + i, g, LP, count, L - i);
}

template <class F>
void outer_products(F* E, const F* x, const F* g, size_t LP, size_t count, size_t L) {
    constexpr bool many = VECTOR_BYTES == 64;
    const size_t NV = LP / W<F>;
    size_t v = 0;
    for (; v + 3 <= NV; v += 3) {
        if (NV - v == 4) break;  // two and two is faster than three and one
        outer_rows<F, many ? 8 : 4, 3>(E + v * W<F>, x, g + v * W<F>, LP, count, L);
    }
    for (; v + 2 <= NV; v += 2) outer_rows<F, many ? 8 : 4, 2>(E + v * W<F>, x, g + v * W<F>, LP, count, L);
    for (; v < NV; ++v) outer_rows<F, 8, 1>(E + v * W<F>, x, g + v * W<F>, LP, count, L);
}

}  // namespace seqlab::SEQLAB_ISA
