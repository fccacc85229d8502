// Viterbi of one long chain with few labels, in chunks (chunks.hpp), block by block (eq:viterbi, eq:mixing).
//
// A block of δ is computed and traced back at once, while it is in the second-level cache. The trace begins some steps
// (a warm-up) after the end of the block, at the best label there: paths with different ends soon coincide. So no back
// pointers are needed: the argument of the maximum is computed along the path only, in all chunks together. Labels are
// compared at every border between blocks, δ at every border between chunks.
#pragma once

#include "kernels/long/chunks.hpp"

namespace seqlab::SEQLAB_ISA {

template <class G, size_t N, bool FULL>
class ChunkedBest {
public:
    static constexpr size_t room(size_t ring) { return ring * (N + 1) * CHUNKS; }

    SEQLAB_INLINE ChunkedBest(const DenseEdges<double>& edges, size_t length, Chain<G>& chain, double* room,
                              const WarmUp& warm_up)
        : L_(edges.L),
          cut_(length),
          ring_(warm_up.ring),
          warm_(warm_up.warm),
          chain_(chain),
          into_(edges.M, edges.L, edges.LP, MINUS_INFINITY<double>) {
        delta_ = reinterpret_cast<Labels<N>*>(room);
        path_ = reinterpret_cast<Mask<double>*>(delta_ + ring_);
    }

    // Run Viterbi. False when the chunks do not join, or when there is no path: the result is then undefined.
    SEQLAB_INLINE bool run() {
        warm_up();
        const std::ptrdiff_t block = ring_ - warm_ - 1;
        for (std::ptrdiff_t from = 0; from < cut_.n; from += block) {
            const std::ptrdiff_t to = from + block < cut_.n ? from + block : cut_.n;
            forward(to + warm_);
            if (!trace(from, to)) return false;
            write_path(from, to);
        }
        return borders_join() && finish();
    }

private:
    static constexpr std::ptrdiff_t WINDOW = 64;  // steps after which the maximum is subtracted from δ

    SEQLAB_INLINE size_t labels() const { return FULL ? N : L_; }
    SEQLAB_INLINE Labels<N>& delta(std::ptrdiff_t j) const { return delta_[j & (ring_ - 1)]; }

    // Every chunk starts before its border, with the initial row of a chain.
    SEQLAB_INLINE void warm_up() {
        for (size_t y = 0; y < N; ++y) delta(-warm_ - 1)[y] = Wide{};
        for (std::ptrdiff_t j = -warm_; j < 0; ++j) step<false>(j);
        normalise(delta(-1));
        for (size_t y = 0; y < N; ++y) start_[y] = delta(-1)[y];
    }

    __attribute__((noinline)) void forward(std::ptrdiff_t end) {
        for (; made_ < end; ++made_) {
            if (made_ == cut_.n) {
                taken(normalise(delta(made_ - 1)));
                for (size_t y = 0; y < N; ++y) end_[y] = delta(made_ - 1)[y];
            } else if (made_ % WINDOW == 0 && made_ > 0) {
                const Wide top = normalise(delta(made_ - 1));
                if (made_ < cut_.n) taken(top);
            }
            cut_.inside(made_) ? step<true>(made_) : step<false>(made_);
        }
    }

    // δ_t(y) = node_t(y) + max_a ( δ_{t-1}(a) + edge(a, y) )
    template <bool INSIDE>
    SEQLAB_INLINE void step(std::ptrdiff_t j) {
        Labels<N> node;
        chunk_scores<INSIDE, G, N>(node, chain_, labels(), cut_, j);
        const Labels<N>& before = delta(j - 1);
        Labels<N>& now = delta(j);
        const double* const M = into_.fresh();
        Labels<N> best;
#pragma GCC unroll 8
        for (size_t y = 0; y < N; ++y) best[y] = plus<double>(before[0], splat(M[y]));
#pragma GCC unroll 8
        for (size_t a = 1; a < N; ++a)
#pragma GCC unroll 8
            for (size_t y = 0; y < N; ++y)
                best[y] = larger<double>(best[y], plus<double>(before[a], splat(M[a * N + y])));
        if (j <= cut_.late)
            for (size_t y = 0; y < N; ++y) best[y] = with_first(best[y], 0.0);
        for (size_t y = 0; y < N; ++y) now[y] = best[y] + node[y];
    }

    // Subtract the maximum of every chunk and return it. `reach_` is the largest distance of δ from its maximum.
    SEQLAB_INLINE Wide normalise(Labels<N>& x) {
        Wide top = x[0];
        for (size_t y = 1; y < N; ++y) top = larger<double>(x[y], top);
        const Wide shift = top > MINUS_INFINITY<double> ? top : Wide{};
        for (size_t y = 0; y < N; ++y) {
            const Wide size = x[y] > 0.0 ? x[y] : -x[y];
            reach_ = size < -MINUS_INFINITY<double> ? larger<double>(size, reach_) : reach_;
            x[y] -= shift;
        }
        return shift;
    }
    SEQLAB_INLINE void taken(Wide top) {
        for (size_t c = 0; c < CHUNKS; ++c) score_.plus(top[c]);
    }

    // The lowest label among the best, in every lane.
    SEQLAB_INLINE static Mask<double> lowest_best(const Labels<N>& x) {
        Wide top = x[0];
#pragma GCC unroll 8
        for (size_t y = 1; y < N; ++y) top = larger<double>(x[y], top);
        Mask<double> best{};
#pragma GCC unroll 8
        for (size_t y = N - 1; y > 0; --y)
            best = x[y] == top ? Mask<double>{} + static_cast<std::int64_t>(y) : best;
        return x[0] == top ? Mask<double>{} : best;
    }

    // edge(a, y) for the label y of every lane
    SEQLAB_INLINE Wide edges_to(Mask<double> y, size_t a) const {
#if !defined(__clang__)
        if constexpr (N == CHUNKS) return __builtin_shuffle(load(into_.m + a * N), y);
#endif
        Wide m{};
        for (size_t c = 0; c < CHUNKS; ++c) m[c] = into_.m[a * N + static_cast<size_t>(y[c])];
        return m;
    }

    // The labels before y at step j.
    SEQLAB_INLINE Mask<double> predecessors(std::ptrdiff_t j, Mask<double> y) const {
        const Labels<N>& before = delta(j - 1);
        Labels<N> sum;
#pragma GCC unroll 8
        for (size_t a = 0; a < N; ++a) sum[a] = before[a] + edges_to(y, a);
        return lowest_best(sum);
    }

    // Write the labels of the steps from .. to - 1 into path_; true if they join the end of the block before.
    __attribute__((noinline)) bool trace(std::ptrdiff_t from, std::ptrdiff_t to) {
        const std::ptrdiff_t last = cut_.n - 1;
        Mask<double> y = lowest_best(delta(to + warm_ - 1));
        for (std::ptrdiff_t j = to + warm_ - 1; j >= to; --j) {
            y = predecessors(j, y);
            if (j - 1 == last) y[CHUNKS - 1] = lowest_best(end_)[CHUNKS - 1];
        }
        const Mask<double> border = y;
        for (std::ptrdiff_t j = to - 1; j >= from; --j) {
            path_[j - from] = y;
            y = predecessors(j, y);
        }
        const Mask<double> expected = border_;
        border_ = border;
        if (from == 0) {
            first_ = y;
            return true;
        }
        for (size_t c = 0; c < CHUNKS; ++c)
            if (y[c] != expected[c]) return false;
        return true;
    }

    SEQLAB_INLINE void write_path(std::ptrdiff_t from, std::ptrdiff_t to) const {
        for (size_t c = 0; c < CHUNKS; ++c) {
            std::int32_t* const out = chain_.path + static_cast<std::ptrdiff_t>(c) * cut_.n - cut_.late;
            for (std::ptrdiff_t j = c == 0 && from < cut_.late ? cut_.late : from; j < to; ++j)
                out[j] = static_cast<std::int32_t>(path_[j - from][c]);
        }
    }

    // Rows that differ by no more than the rounding of one window give the same path.
    bool borders_join() const {
        const double tolerance = max_lanes<double>(reach_) * 0x1p-46;
        for (size_t c = 0; c + 1 < CHUNKS; ++c) {
            if (first_[c + 1] != border_[c]) return false;
            for (size_t y = 0; y < N; ++y) {
                const double a = start_[y][c + 1], b = end_[y][c];
                if (a != b && !(__builtin_fabs(a - b) <= tolerance)) return false;
            }
        }
        return true;
    }

    // The score is the sum of the subtracted maxima: the best label now has 0.
    bool finish() {
        chain_.log_z = score_.log();
        chain_.scored = true;
        return end_[static_cast<size_t>(lowest_best(end_)[CHUNKS - 1])][CHUNKS - 1] == 0.0;
    }

    const size_t L_;
    const Cut cut_;
    const std::ptrdiff_t ring_, warm_;
    Chain<G>& chain_;
    const SmallMatrix<N> into_;
    Labels<N>* delta_;
    Mask<double>* path_;
    Labels<N> start_, end_;
    Mask<double> border_{}, first_{};
    Wide reach_{};
    std::ptrdiff_t made_ = 0;
    LogProduct score_;
};

template <class G, size_t N, bool FULL>
bool chunked_best(const DenseEdges<double>& edges, size_t T, Chain<G>& chain, double* room) {
    for (const WarmUp& w : WARM_UPS)
        if (ChunkedBest<G, N, FULL>(edges, T, chain, room, w).run()) return true;
    return false;
}

// True when the chunks joined; otherwise path and score must be computed again.
template <class G>
bool chunked_viterbi(const DenseEdges<double>& edges, size_t T, Chain<G>& chain, double* room) {
    if (edges.L == 8) return chunked_best<G, 8, true>(edges, T, chain, room);
    if (edges.L > 4) return chunked_best<G, 8, false>(edges, T, chain, room);
    return chunked_best<G, 4, false>(edges, T, chain, room);
}

}  // namespace seqlab::SEQLAB_ISA
