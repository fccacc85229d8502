// Sum weight rows by number (gather), and add to them (scatter): the main work of a linear model.
//
// A row has LP lanes, L of them in use; LP is a multiple of a half or quarter vector, so that little is wasted, and the
// last vector of a row begins W lanes before its end: some lanes are summed twice, to equal values. Rows of node and
// gamma have L numbers and are adjacent, so a store overwrites a part of the next row, which is written after it, and a
// load reads a part of the next row into unused lanes. Both need LP - L spare numbers after their last row.
#pragma once

#include "base/numerics/lanes.hpp"
#include "kernels/kernels.hpp"
#include "kernels/rows/by_vectors.hpp"

namespace seqlab::SEQLAB_ISA {

// Granularity of a row: at least 32 bytes, unless the vector is narrower.
template <class F>
inline constexpr size_t ROW_STEP = (VECTOR_BYTES < 32 ? VECTOR_BYTES : 32) / sizeof(F);

template <class F>
size_t row_lanes(size_t L) {
    const size_t lanes = (L + ROW_STEP<F> - 1) / ROW_STEP<F> * ROW_STEP<F>;
    return lanes < W<F> ? W<F> : lanes;
}

// Offset of vector v of a row.
template <class F>
SEQLAB_INLINE size_t lane_of(size_t v, size_t LP) {
    return (v + 1) * W<F> <= LP ? v * W<F> : LP - W<F>;
}

// Mask of the last vector: 0 in the lanes that the vector before it also has, 1 in the others.
template <class F>
SEQLAB_INLINE Vec<F> own_lanes(size_t v, size_t LP) {
    const size_t shared = v * W<F> - lane_of<F>(v, LP);
    Vec<F> own{};
    for (size_t i = 0; i < W<F>; ++i) own[i] = i < shared ? F{0} : F{1};
    return own;
}

template <class F>
SEQLAB_INLINE Vec<F> weighed(Vec<F> x, const F* value, std::int64_t i) {
    return value ? x * splat(value[i]) : x;
}

// node = Σ_i value_i · weights[row_i] over entries [begin, end), for the N vectors of a row from `first` on.
template <class F, size_t N>
SEQLAB_INLINE void gather_part(const F* weights, size_t LP, const RowList<F>& rows, std::int64_t begin,
                               std::int64_t end, size_t first, F* node) {
    Vec<F> total[N] = {};
    for (std::int64_t i = begin; i < end; ++i) {
        const F* row = weights + static_cast<size_t>(rows.row[i]) * LP;
        for (size_t v = 0; v < N; ++v)
            total[v] += weighed<F>(load(row + lane_of<F>(first + v, LP)), rows.value, i);
    }
    for (size_t v = 0; v < N; ++v) store(node + lane_of<F>(first + v, LP), total[v]);
}

// sums[row_i] += value_i · gamma. All vectors of a row are loaded before any is stored: a load that overlaps a recent
// store would wait for it. Lanes that two vectors share get the same sum twice, unless they belong to different parts
// (`apart`); then the later one leaves them unchanged.
template <class F, size_t N>
SEQLAB_INLINE void scatter_part(F* sums, size_t LP, const RowList<F>& rows, std::int64_t begin,
                                std::int64_t end, size_t first, bool apart, const F* gamma) {
    Vec<F> x[N];
    for (size_t v = 0; v < N; ++v) {
        x[v] = load(gamma + lane_of<F>(first + v, LP));
        if (apart) x[v] *= own_lanes<F>(first + v, LP);
    }
    for (std::int64_t i = begin; i < end; ++i) {
        F* row = sums + static_cast<size_t>(rows.row[i]) * LP;
        Vec<F> sum[N];
        for (size_t v = 0; v < N; ++v)
            sum[v] = load(row + lane_of<F>(first + v, LP)) + weighed<F>(x[v], rows.value, i);
        for (size_t v = 0; v < N; ++v) store(row + lane_of<F>(first + v, LP), sum[v]);
    }
}

// One bit mask per vector of a row: bit i is set where lane i has a weight of its own. Lanes that the last vector
// shares with the one before are set in both masks if the two vectors are processed at once, otherwise in the first
// only.
template <class F>
SEQLAB_INLINE Mask<F> lanes_of(std::uint32_t bits) {
    const Mask<F> all = Mask<F>{} + static_cast<Integer<F>>(bits);
    return ((all >> lane_numbers<F>()) & 1) != 0;
}

// weights[row_i] += value_i · step in the lanes that have a weight.
template <class F, size_t N>
SEQLAB_INLINE void move_part(F* weights, size_t LP, const std::uint32_t* lanes, size_t vectors,
                             const RowList<F>& rows, std::int64_t begin, std::int64_t end, size_t first,
                             const F* step) {
    Vec<F> x[N];
    for (size_t v = 0; v < N; ++v) x[v] = load(step + lane_of<F>(first + v, LP));
    for (std::int64_t i = begin; i < end; ++i) {
        const auto r = static_cast<size_t>(rows.row[i]);
        F* row = weights + r * LP;
        Vec<F> sum[N];
        for (size_t v = 0; v < N; ++v) {
            const Mask<F> own = lanes_of<F>(lanes[r * vectors + first + v]);
            const Vec<F> more = weighed<F>(x[v], rows.value, i);
            sum[v] = load(row + lane_of<F>(first + v, LP)) + (own ? more : Vec<F>{});
        }
        for (size_t v = 0; v < N; ++v) store(row + lane_of<F>(first + v, LP), sum[v]);
    }
}

// Vectors of a row that are processed at once: twice as many must fit the registers.
inline constexpr size_t PART_VECTORS = VECTOR_BYTES < 64 ? 4 : 8;

// True if the last vector of a row is processed after the one before it, with which it may share lanes.
SEQLAB_INLINE bool last_is_apart(size_t vectors) {
    return vectors > PART_VECTORS && vectors % PART_VECTORS == 1;
}

// Call part<N>(first) for the N < M vectors from `first` on.
template <size_t M, class Part>
SEQLAB_INLINE void last_part(size_t N, size_t first, Part& part) {
    if constexpr (M > 1) {
        if (N == M - 1) return part.template operator()<M - 1>(first);
        last_part<M - 1>(N, first, part);
    }
}

// Call part<N>(first) for all vectors of a row: NV at once when the width is known.
template <class F, size_t NV, class Part>
SEQLAB_INLINE void in_parts(size_t LP, Part part) {
    if constexpr (NV > 0) {
        part.template operator()<NV>(0);
    } else {
        const size_t vectors = (LP + W<F> - 1) / W<F>;
        size_t v = 0;
        for (; v + PART_VECTORS <= vectors; v += PART_VECTORS) part.template operator()<PART_VECTORS>(v);
        last_part<PART_VECTORS>(vectors - v, v, part);
    }
}

// Long rows are prefetched some tokens before they are needed. For short ones the hardware prefetcher suffices.
inline constexpr size_t TOKENS_AHEAD = 2, LONG_ROW = 200, CACHE_LINE = 64;  // bytes

template <class F>
SEQLAB_INLINE void send_for(const F* table, size_t LP, const RowList<F>& rows, size_t t, size_t to) {
    if (LP * sizeof(F) < LONG_ROW || t >= to) return;
    for (std::int64_t i = rows.begin[t]; i < rows.begin[t + 1]; ++i) {
        const F* const row = table + static_cast<size_t>(rows.row[i]) * LP;
        for (size_t lane = 0; lane < LP; lane += CACHE_LINE / sizeof(F)) __builtin_prefetch(row + lane);
    }
}

template <class F, size_t NV>
struct Gather {
    static void run(const F* weights, size_t LP, size_t L, const RowList<F>& rows, size_t from, size_t to,
                    F* node) {
        for (size_t t = from; t < to; ++t, node += L) {
            send_for<F>(weights, LP, rows, t + TOKENS_AHEAD, to);
            in_parts<F, NV>(LP, [&]<size_t N>(size_t first) {
                gather_part<F, N>(weights, LP, rows, rows.begin[t], rows.begin[t + 1], first, node);
            });
        }
    }
};

// node = Σ_i *row[i], for the N vectors of a row from `first` on.
template <class F, size_t N>
SEQLAB_INLINE void sum_part(const F* const* row, size_t count, size_t LP, size_t first, F* node) {
    Vec<F> total[N] = {};
    for (size_t i = 0; i < count; ++i)
        for (size_t v = 0; v < N; ++v) total[v] += load(row[i] + lane_of<F>(first + v, LP));
    for (size_t v = 0; v < N; ++v) store(node + lane_of<F>(first + v, LP), total[v]);
}

template <class F, size_t NV>
struct Sum {
    static void run(const F* const* row, size_t stride, const std::int32_t* count, size_t LP, size_t L,
                    size_t tokens, F* node) {
        for (size_t t = 0; t < tokens; ++t, row += stride, node += L)
            in_parts<F, NV>(LP, [&]<size_t N>(size_t first) {
                sum_part<F, N>(row, static_cast<size_t>(count[t]), LP, first, node);
            });
    }
};

template <class F, size_t NV>
struct Scatter {
    static void run(F* sums, size_t LP, size_t L, const RowList<F>& rows, size_t from, size_t to,
                    const F* gamma) {
        const bool last_apart = NV == 0 && last_is_apart((LP + W<F> - 1) / W<F>);
        for (size_t t = from; t < to; ++t, gamma += L) {
            send_for<F>(sums, LP, rows, t + TOKENS_AHEAD, to);
            in_parts<F, NV>(LP, [&]<size_t N>(size_t first) {
                scatter_part<F, N>(sums, LP, rows, rows.begin[t], rows.begin[t + 1], first,
                                   last_apart && N == 1, gamma);
            });
        }
    }
};

template <class F, size_t NV>
struct MoveRows {
    static void run(F* weights, size_t LP, size_t L, const std::uint32_t* lanes, const RowList<F>& rows,
                    size_t from, size_t to, const F* step) {
        const size_t vectors = (LP + W<F> - 1) / W<F>;
        for (size_t t = from; t < to; ++t, step += L)
            in_parts<F, NV>(LP, [&]<size_t N>(size_t first) {
                move_part<F, N>(weights, LP, lanes, vectors, rows, rows.begin[t], rows.begin[t + 1], first,
                                step);
            });
    }
};

template <class F>
void gather_rows(const F* weights, size_t LP, size_t L, const RowList<F>& rows, size_t from, size_t to,
                 F* node) {
    by_vectors<F, Gather>((LP + W<F> - 1) / W<F>, weights, LP, L, rows, from, to, node);
}

template <class F>
void sum_rows(const F* const* row, size_t stride, const std::int32_t* count, size_t LP, size_t L,
              size_t tokens, F* node) {
    by_vectors<F, Sum>((LP + W<F> - 1) / W<F>, row, stride, count, LP, L, tokens, node);
}

template <class F>
void scatter_rows(F* sums, size_t LP, size_t L, const RowList<F>& rows, size_t from, size_t to,
                  const F* gamma) {
    by_vectors<F, Scatter>((LP + W<F> - 1) / W<F>, sums, LP, L, rows, from, to, gamma);
}

template <class F>
void move_rows(F* weights, size_t LP, size_t L, const std::uint32_t* lanes, const RowList<F>& rows,
               size_t from, size_t to, const F* step) {
    by_vectors<F, MoveRows>((LP + W<F> - 1) / W<F>, weights, LP, L, lanes, rows, from, to, step);
}

// Set the bit of a lane in the mask of every vector that holds it.
template <class F>
void mark_lane(size_t LP, size_t y, std::uint32_t* lanes) {
    const size_t vectors = (LP + W<F> - 1) / W<F>;
    for (size_t v = 0; v < vectors; ++v) {
        const size_t begin = lane_of<F>(v, LP);
        const bool shared = y < v * W<F>;
        if (y < begin || y >= begin + W<F> || (shared && last_is_apart(vectors))) continue;
        lanes[v] |= std::uint32_t{1} << (y - begin);
    }
}

template <class F>
size_t row_vectors(size_t LP) {
    return (LP + W<F> - 1) / W<F>;
}

}  // namespace seqlab::SEQLAB_ISA
