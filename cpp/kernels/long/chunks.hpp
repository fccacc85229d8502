// One long chain divided into chunks, one chunk per lane, all of them advanced together.
//
// In a single chain every step waits for the row before it. Chunks are independent of each other, and with a chunk in
// every lane a product of a row with M needs no permutation of lanes. A chunk needs no result of the chunk before: it
// begins some steps earlier (a warm-up), with an arbitrary row, because recursions forget their start (eq:mixing). This
// is checked afterwards, at every border.
#pragma once

#include "kernels/long/rows.hpp"
#include "kernels/rows/rings.hpp"

namespace seqlab::SEQLAB_ISA {

inline constexpr size_t CHUNKS = W<double>;

// One position of every chunk: vector y holds label y, lane c chunk c.
template <size_t N>
using Labels = Wide[N];

// Side of a square that is transposed: N is a multiple of the number of lanes, or smaller.
template <size_t N>
inline constexpr size_t TILE = CHUNKS < N ? CHUNKS : N;

// Positions of the chunks. All have n steps; the first lacks the first `late` of them, so that T need not be divisible.
struct Cut {
    std::ptrdiff_t T, n, late;

    explicit Cut(size_t length)
        : T(static_cast<std::ptrdiff_t>(length)),
          n((T + static_cast<std::ptrdiff_t>(CHUNKS) - 1) / static_cast<std::ptrdiff_t>(CHUNKS)),
          late(n * static_cast<std::ptrdiff_t>(CHUNKS) - T) {}

    // The position of chunk c at step j; warm-ups beyond either end of the chain stay at its end.
    SEQLAB_INLINE std::ptrdiff_t at(size_t c, std::ptrdiff_t j) const {
        const std::ptrdiff_t t = static_cast<std::ptrdiff_t>(c) * n - late + j;
        return t < 0 ? 0 : t < T ? t : T - 1;
    }
    // True if all chunks have this step.
    SEQLAB_INLINE bool inside(std::ptrdiff_t j) const { return j >= late && j < n; }
};

// Length of the warm-up, and the number of steps whose potentials are kept: nearly every chain forgets its start within
// the first number of steps, and the others are detected at their first border.
struct WarmUp {
    std::ptrdiff_t ring, warm;
};
inline constexpr WarmUp LONGEST_WARM_UP{1024, 512}, WARM_UPS[] = {{512, 64}, LONGEST_WARM_UP};

// Replace lane 0 of x by `first`: the chunk at the beginning of the chain.
SEQLAB_INLINE Wide with_first(Wide x, double first) {
    return lane_numbers<double>() == 0 ? splat(first) : x;
}

// Scores of one position of every chunk, -inf for labels from L on. INSIDE: all chunks have this step.
template <bool INSIDE, class G, size_t N>
SEQLAB_INLINE void chunk_scores(Labels<N>& x, const Chain<G>& chain, size_t L, const Cut& cut,
                                std::ptrdiff_t j) {
    const G* const first = chain.node + (j - cut.late) * static_cast<std::ptrdiff_t>(L);
    const size_t gap = static_cast<size_t>(cut.n) * L;
#pragma GCC unroll 4
    for (size_t v = 0; v * CHUNKS < N; ++v) {
        if (v * CHUNKS >= L) {
            for (size_t i = 0; i < TILE<N>; ++i) x[v * CHUNKS + i] = splat(MINUS_INFINITY<double>);
            continue;
        }
        Wide tile[CHUNKS];
#pragma GCC unroll 8
        for (size_t c = 0; c < CHUNKS; ++c)
            tile[c] =
                wide_scores(INSIDE ? first + c * gap : chain.node + static_cast<size_t>(cut.at(c, j)) * L,
                            chain.node_end, L, v);
        transpose(tile);
#pragma GCC unroll 8
        for (size_t i = 0; i < TILE<N>; ++i) x[v * CHUNKS + i] = tile[i];
    }
}

// Transpose the label vectors of step j into rows of L, for the chunks that have this step.
template <class G, size_t N>
SEQLAB_INLINE void write_chunk_rows(G* out, const Labels<N>& x, size_t L, const Cut& cut, std::ptrdiff_t j) {
    G* const first = out + (j - cut.late) * static_cast<std::ptrdiff_t>(L);
    const size_t gap = static_cast<size_t>(cut.n) * L;
#pragma GCC unroll 4
    for (size_t v = 0; v * CHUNKS < N; ++v) {
        if (v * CHUNKS >= L) return;
        Wide tile[CHUNKS] = {};
#pragma GCC unroll 8
        for (size_t i = 0; i < TILE<N>; ++i) tile[i] = x[v * CHUNKS + i];
        transpose(tile);
        if (j >= cut.late) store_part_of_row(first + v * CHUNKS, tile[0], L - v * CHUNKS);
#pragma GCC unroll 8
        for (size_t c = 1; c < CHUNKS; ++c)
            store_part_of_row(first + c * gap + v * CHUNKS, tile[c], L - v * CHUNKS);
    }
}

// Copy of M (N x N) from a table with other padding.
template <size_t N>
struct SmallMatrix {
    double m[N * N];

    SmallMatrix(const double* M, size_t L, size_t LP, double padding) {
        for (size_t a = 0; a < N; ++a)
            for (size_t y = 0; y < N; ++y) m[a * N + y] = a < L && y < L ? M[a * LP + y] : padding;
    }
    // Return the matrix through a pointer that the compiler cannot see through: it then broadcasts each number where it
    // is used (which costs nothing there) instead of keeping all N² broadcast vectors in memory.
    SEQLAB_INLINE const double* fresh() const {
        const double* p = m;
        asm("" : "+r"(p));
        return p;
    }
};

// True if two sets of rows are proportional, lane by lane, up to `slack`, which is below rounding.
template <size_t N>
SEQLAB_INLINE Mask<double> same(const Labels<N>& x, const Labels<N>& y, double tolerance, double slack) {
    Mask<double> ok = lane_numbers<double>() >= 0;
    for (size_t i = 0; i < N; ++i) {
        const Wide d = x[i] - y[i];
        ok &= (d > 0.0 ? d : -d) <= y[i] * tolerance + slack;
    }
    return ok;
}

// Move every chunk to the lane of the one before it, to compare it with the end of that one; the last lane is
// unchanged.
SEQLAB_INLINE Wide one_lane_down(Wide x) {
    for (size_t c = 0; c + 1 < CHUNKS; ++c) x[c] = x[c + 1];
    return x;
}

SEQLAB_INLINE bool everywhere(const Mask<double>& ok) {
    for (size_t c = 0; c < CHUNKS; ++c)
        if (!ok[c]) return false;
    return true;
}

// All lanes but the last, whose chunk has no border after it.
SEQLAB_INLINE bool joined(Mask<double> ok) {
    ok[CHUNKS - 1] = -1;
    return everywhere(ok);
}

}  // namespace seqlab::SEQLAB_ISA
