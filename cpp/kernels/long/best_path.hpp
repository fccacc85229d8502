// Viterbi of one long chain, in float64, in little memory (eq:viterbi).
#pragma once

#include "kernels/long/rows.hpp"
#include "kernels/sentence/best_path.hpp"

namespace seqlab::SEQLAB_ISA {

// δ_t from δ_{t-1} (null at t = 0)
SEQLAB_INLINE void long_best_row(double* now, const double* before, const DenseEdges<double>& edges,
                                 const Chain<double>& chain, size_t t) {
    const size_t LP = edges.LP, nv = LP / W<double>;
    if (before) product<double, MaxPlus, 0, 1>(now, before, LP, edges.M, LP, edges.L);
    for (size_t v = 0; v < nv; ++v) {
        const Wide node = score_lanes(chain.node + t * edges.L, chain.node_end, edges.L, v);
        store(now + v * W<double>, before ? load(now + v * W<double>) + node : node);
    }
}

// Positions in one block of a long chain: its rows fit the second-level cache.
inline size_t block_length(size_t LP) {
    const size_t rows = (size_t{1} << 18) / (LP * sizeof(double));
    return rows < 16 ? 16 : rows;
}

// The first pass keeps one row of δ per block; the second recomputes the rows of each block, last block first, and
// traces back through it. Memory: one row of zeros, a block of rows, one row per block.
inline void blocked_viterbi(const DenseEdges<double>& edges, size_t T, Chain<double>& chain, double* room) {
    const size_t LP = edges.LP, B = block_length(LP), last = T - 1;
    const double* const zeros = zero_row(room, LP);
    double* const delta = room + LP;
    double* const saved = delta + B * LP;  // saved row i is δ at the last position of block i
    const auto before = [&](size_t t, size_t start) -> const double* {
        if (t == 0) return nullptr;
        return t == start ? saved + (t / B - 1) * LP : delta + (t - 1 - start) * LP;
    };
    for (size_t t = 0; t < T; ++t) {
        if (t % 64 == 0 || LP >= 256) poll();
        double* const now = (t + 1) % B == 0 || t == last ? saved + (t / B) * LP : delta + (t % B) * LP;
        long_best_row(now, before(t, t / B * B), edges, chain, t);
    }
    const Best<double> end = best_of<double, 0>(saved + (last / B) * LP, zeros, LP);
    chain.log_z = end.value;
    size_t y = end.label;
    chain.path[last] = static_cast<std::int32_t>(y);
    for (size_t stop = last; stop > 0;) {
        const size_t start =
            (stop - 1) / B * B;  // rows start .. stop - 1 give the labels of the same positions
        poll();
        for (size_t t = start; t < stop; ++t)
            long_best_row(delta + (t - start) * LP, before(t, start), edges, chain, t);
        for (size_t t = stop; t > start; --t) {
            y = predecessor<double, 0>(delta + (t - 1 - start) * LP, y, edges, LP);
            chain.path[t - 1] = static_cast<std::int32_t>(y);
        }
        stop = start;
    }
}

// best(y) = max_a x(a) + M(a, y), and the lowest a that reaches it. The maximum is computed as a tree, and the sources
// are found by comparing with it afterwards, off the critical path.
template <size_t NV>
SEQLAB_INLINE void best_sources(Wide (&best)[NV], Mask<double> (&from)[NV], const Wide (&x)[NV],
                                const double* M) {
    constexpr size_t LP = NV * W<double>;
    for (size_t v = 0; v < NV; ++v) {
        Wide sum[LP], top[LP];
#pragma GCC unroll 16
        for (size_t a = 0; a < LP; ++a)
            top[a] = sum[a] = plus<double>(spread<double>(x[a / W<double>], a % W<double>),
                                           load(M + a * LP + v * W<double>));
#pragma GCC unroll 4
        for (size_t width = LP / 2; width > 0; width /= 2)
#pragma GCC unroll 8
            for (size_t a = 0; a < width; ++a) top[a] = larger<double>(top[a], top[a + width]);
        best[v] = top[0];
        from[v] = Mask<double>{};
#pragma GCC unroll 16
        for (size_t a = LP - 1; a > 0; --a)
            from[v] = sum[a] == best[v] ? Mask<double>{} + static_cast<std::int64_t>(a) : from[v];
        from[v] = sum[0] == best[v] ? Mask<double>{} : from[v];
    }
}

// With few labels a step is bound by latency, and the comparisons that give back pointers fit into the wait. One byte
// per label and position; the backtrace is one load per position.
template <size_t NV>
void pointed_viterbi(const DenseEdges<double>& edges, size_t T, Chain<double>& chain, double* room,
                     std::uint8_t* back) {
    constexpr size_t LP = NV * W<double>;
    typedef std::uint8_t Bytes __attribute__((vector_size(W<double>)));
    const double* const zeros = zero_row(room, LP);
    double* const delta = room + LP;
    long_best_row(delta, nullptr, edges, chain, 0);
    Wide now[NV];
    for (size_t v = 0; v < NV; ++v) now[v] = load(delta + v * W<double>);
    for (size_t t = 1; t < T; ++t) {
        Wide best[NV];
        Mask<double> from[NV];
        best_sources<NV>(best, from, now, edges.M);
        for (size_t v = 0; v < NV; ++v) {
            now[v] = best[v] + score_lanes(chain.node + t * edges.L, chain.node_end, edges.L, v);
            const Bytes bytes = __builtin_convertvector(from[v], Bytes);
            __builtin_memcpy(back + t * LP + v * W<double>, &bytes, sizeof bytes);
        }
    }
    for (size_t v = 0; v < NV; ++v) store(delta + v * W<double>, now[v]);
    const Best<double> end = best_of<double, NV>(delta, zeros, LP);
    chain.log_z = end.value;
    size_t y = end.label;
    chain.path[T - 1] = static_cast<std::int32_t>(y);
    for (size_t t = T - 1; t > 0; --t) {
        y = back[t * LP + y];
        chain.path[t - 1] = static_cast<std::int32_t>(y);
    }
}

}  // namespace seqlab::SEQLAB_ISA
