// Sums of weight rows by number, and the way back: the two halves of a linear model's work.
//
// A row has LP lanes, L of them in use. Rows of node and gamma have L numbers and follow each other, so a store runs over
// into the next row, which is written after it, and a load sees a piece of the next row, which lands in lanes nobody uses.
// Both arrays therefore need LP - L numbers behind their last row.
#pragma once

#include "inference/kernels/kernels.hpp"
#include "numerics/lanes.hpp"

namespace seqlab::SEQLAB_ISA {

template <class F>
SEQLAB_INLINE Vec<F> weighed(Vec<F> x, const F* value, std::int64_t i) {
    return value ? x * splat(value[i]) : x;
}

// node[t - from] = Σ_i value_i · weights[row_i] over the rows of token t. NV = 0: any width, four vectors at a time.
template <class F, size_t NV>
void gather_rows(const F* weights, size_t LP, size_t L, const RowList<F>& rows, size_t from, size_t to,
                 F* node) {
    constexpr size_t N = NV == 0 ? 4 : NV;
    for (size_t t = from; t < to; ++t, node += L)
        for (size_t lane = 0; lane < LP; lane += N * W<F>) {
            const size_t count = NV == 0 && LP - lane < N * W<F> ? (LP - lane) / W<F> : N;
            Vec<F> total[N] = {};
            for (std::int64_t i = rows.begin[t]; i < rows.begin[t + 1]; ++i) {
                const F* row = weights + static_cast<size_t>(rows.row[i]) * LP + lane;
                for (size_t v = 0; v < N; ++v)
                    if (NV != 0 || v < count) total[v] += weighed<F>(load(row + v * W<F>), rows.value, i);
            }
            for (size_t v = 0; v < N; ++v)
                if (NV != 0 || v < count) store(node + lane + v * W<F>, total[v]);
        }
}

// sums[row_i] += value_i · gamma[t - from]
template <class F, size_t NV>
void scatter_rows(F* sums, size_t LP, size_t L, const RowList<F>& rows, size_t from, size_t to,
                  const F* gamma) {
    constexpr size_t N = NV == 0 ? 4 : NV;
    for (size_t t = from; t < to; ++t, gamma += L)
        for (size_t lane = 0; lane < LP; lane += N * W<F>) {
            const size_t count = NV == 0 && LP - lane < N * W<F> ? (LP - lane) / W<F> : N;
            Vec<F> x[N] = {};
            for (size_t v = 0; v < N; ++v)
                if (NV != 0 || v < count) x[v] = load(gamma + lane + v * W<F>);
            for (std::int64_t i = rows.begin[t]; i < rows.begin[t + 1]; ++i) {
                F* row = sums + static_cast<size_t>(rows.row[i]) * LP + lane;
                for (size_t v = 0; v < N; ++v)
                    if (NV != 0 || v < count)
                        store(row + v * W<F>, load(row + v * W<F>) + weighed<F>(x[v], rows.value, i));
            }
        }
}

template <class F, size_t NV>
struct Gather {
    template <class... Args>
    static void run(Args... args) {
        gather_rows<F, NV>(args...);
    }
};
template <class F, size_t NV>
struct Scatter {
    template <class... Args>
    static void run(Args... args) {
        scatter_rows<F, NV>(args...);
    }
};

}  // namespace seqlab::SEQLAB_ISA
