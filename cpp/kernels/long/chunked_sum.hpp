// Scaled forward-backward of one long chain with few labels, in chunks (chunks.hpp), block by block.
//
// The forward pass of a block keeps α and the potentials in the second-level cache, and the backward pass follows at
// once: it begins some steps (a warm-up) after the end of the block, in rows whose potentials the next block needs
// anyway. So every score is read once, every marginal written once, and nothing of length T is stored. α is scaled by
// powers of two, which is exact; β takes the same factors, so that Σ α_t β_t is constant in a whole block and is
// divided by once, at its end (eq:scaling).
#pragma once

#include "kernels/long/chunks.hpp"

namespace seqlab::SEQLAB_ISA {

// Limits of eq:certificate and eq:mixing for this pass. Potentials of allowed labels and transitions stay above
// FAINTEST, β above FLOOR and below CAP, sums of α above LEAST: products of three such numbers are normal numbers.
struct ChunkLimits {
    static constexpr double FAINTEST = 1e-100, LOG_FAINTEST = -230.258509299404;
    static constexpr double FLOOR = 1e-50, CAP = 1e40, LEAST = 1e-30;
    static constexpr double TOLERANCE = 0x1p-46, ALPHA_SLACK = 1e-70, BETA_SLACK = 1e-45;
};

template <class G, size_t N, bool FULL>
class ChunkedSum {
public:
    // Memory of one call, in float64 numbers. `ring` steps of potentials, of which `warm` are ahead of the block.
    static constexpr size_t room(size_t ring) { return (2 * ring + 1 + N + COUNTED) * N * CHUNKS; }

    SEQLAB_INLINE ChunkedSum(const DenseEdges<double>& edges, size_t length, Chain<G>& chain, double* room,
                             const WarmUp& warm_up)
        : L_(edges.L),
          cut_(length),
          ring_(warm_up.ring),
          warm_(warm_up.warm),
          chain_(chain),
          shift_(edges.shift),
          into_(edges.M, edges.L, edges.LP, 0.0),
          out_of_(edges.MT, edges.L, edges.LP, 0.0) {
        for (double& m : into_.m) m = m > 0.0 && m < ChunkLimits::FAINTEST ? ChunkLimits::FAINTEST : m;
        for (double& m : out_of_.m) m = m > 0.0 && m < ChunkLimits::FAINTEST ? ChunkLimits::FAINTEST : m;
        e_ = reinterpret_cast<Labels<N>*>(room);
        alpha_ = e_ + ring_ + 1;  // row -1 is the one before the block
        g_ = alpha_ + ring_;
        E_ = g_ + COUNTED;
        for (size_t a = 0; a < N; ++a) clear(E_[a]);
    }

    // Run both passes. False when the chunks do not join or eq:certificate does not hold: the result is then undefined.
    template <bool COUNT>
    SEQLAB_INLINE bool run(double* E) {
        warm_up();
        const std::ptrdiff_t block = ring_ - warm_;
        for (std::ptrdiff_t from = 0; from < cut_.n; from += block) {
            const std::ptrdiff_t to = from + block < cut_.n ? from + block : cut_.n;
            make_potentials(to + warm_);
            forward(from, to);
            backward<COUNT>(from, to);
            if (!joined_ || !everywhere(sound_)) return false;
            copy(alpha_[-1], alpha_[to - from - 1]);
        }
        if (!borders_join()) return false;
        finish(E);
        return true;
    }

private:
    // Steps whose transitions are counted together: their rows fit the first-level cache.
    static constexpr std::ptrdiff_t COUNTED = 16;

    SEQLAB_INLINE size_t labels() const { return FULL ? N : L_; }
    SEQLAB_INLINE static void copy(Labels<N>& to, const Labels<N>& from) {
        for (size_t y = 0; y < N; ++y) to[y] = from[y];
    }
    SEQLAB_INLINE static void clear(Labels<N>& x) {
        for (size_t y = 0; y < N; ++y) x[y] = Wide{};
    }
    SEQLAB_INLINE static Wide total(const Labels<N>& x) {
        Wide sum = x[0];
        for (size_t y = 1; y < N; ++y) sum += x[y];
        return sum;
    }
    SEQLAB_INLINE static Wide meeting(const Labels<N>& x, const Labels<N>& z) {
        Wide sum = x[0] * z[0];
        for (size_t y = 1; y < N; ++y) sum += x[y] * z[y];
        return sum;
    }
    SEQLAB_INLINE Labels<N>& e(std::ptrdiff_t j) const { return e_[j & (ring_ - 1)]; }

    // out[y] = Σ_a x[a] M[a, y] in every lane
    SEQLAB_INLINE static void turn_chunks(Labels<N>& out, const Labels<N>& x, const SmallMatrix<N>& matrix) {
        const double* const M = matrix.fresh();
#pragma GCC unroll 8
        for (size_t y = 0; y < N; ++y) {
            Wide sum = x[0] * M[y];
#pragma GCC unroll 8
            for (size_t a = 1; a < N; ++a) sum += x[a] * M[a * N + y];
            out[y] = sum;
        }
    }

    // Compute e of step j and return the maxima that were subtracted. Rows that are not finite, or far apart, go to
    // careful_potentials.
    SEQLAB_INLINE Wide potentials(std::ptrdiff_t j) const {
        const size_t L = labels();
        Labels<N> x;
        chunk_scores<true, G, N>(x, chain_, L, cut_, j);
        Wide top = x[0], bottom = x[0];
        for (size_t y = 1; y < L; ++y) {
            top = larger<double>(x[y], top);
            bottom = smaller<double>(x[y], bottom);
        }
        if (!(min_lanes<double>(bottom - top) > ChunkLimits::LOG_FAINTEST)) return careful_potentials(j);
        Labels<N>& out = e(j);
#pragma GCC unroll 8
        for (size_t y = 0; y < N; ++y) out[y] = y < L ? exp_above_faintest(x[y] - top) : Wide{};
        return top;
    }

    // Compute e of step j for any row and any step. A chunk without this step repeats one of its own rows.
    __attribute__((noinline)) Wide careful_potentials(std::ptrdiff_t j) const {
        Labels<N> x;
        chunk_scores<false, G, N>(x, chain_, labels(), cut_, j);
        Wide top = x[0];
        for (size_t y = 1; y < N; ++y) top = larger<double>(x[y], top);
        const Wide shift = top > MINUS_INFINITY<double> ? top : Wide{};
        for (size_t y = 0; y < N; ++y) {
            const Wide w = exp_above_faintest(larger<double>(splat(ChunkLimits::LOG_FAINTEST), x[y] - shift));
            e(j)[y] = x[y] > MINUS_INFINITY<double> ? w : Wide{};
        }
        return shift;
    }

    // Compute potentials up to step `end`; subtracted maxima count only for steps that exist in the chain.
    __attribute__((noinline)) void make_potentials(std::ptrdiff_t end) {
        Wide taken{};
        for (; made_ < cut_.late; ++made_) taken += with_first(careful_potentials(made_), 0.0);
        const std::ptrdiff_t inside = end < cut_.n ? end : cut_.n;
        for (; made_ < inside; ++made_) taken += potentials(made_);
        for (; made_ < end; ++made_) careful_potentials(made_);
        for (size_t c = 0; c < CHUNKS; ++c) z_.plus(taken[c]);
    }

    // Every chunk but the first begins before its border, with an arbitrary row, whose influence must vanish
    // (eq:mixing).
    SEQLAB_INLINE void warm_up() {
        for (size_t y = 0; y < N; ++y) alpha_[-1][y] = splat(1.0);
        for (std::ptrdiff_t j = -warm_; j < 0; ++j) {
            careful_potentials(j);
            forward_step(j, alpha_[-1], alpha_[-1]);
        }
        copy(start_, alpha_[-1]);
        exponent_ = Mask<double>{};
    }

    // definition::forward in plain numbers: α_t = p_t e_t ∘ (α_{t-1} M). The first chunk stays at its first row until
    // its first step.
    SEQLAB_INLINE void forward_step(std::ptrdiff_t j, Labels<N>& now, const Labels<N>& before) {
        Labels<N>& e_now = e(j);
        if (j % 4 == 0) scale(e_now, total(before));
        if (j < cut_.late) exponent_[0] = 0;
        Labels<N> next;
        turn_chunks(next, before, into_);
        if (j <= cut_.late)
            for (size_t y = 0; y < N; ++y) next[y] = with_first(next[y], 1.0);
        for (size_t y = 0; y < N; ++y) now[y] = e_now[y] * next[y];
    }

    // Multiply e_t by the power of two p_t that brings a row of this sum back to [1, 2).
    SEQLAB_INLINE void scale(Labels<N>& e_now, Wide sum) {
        constexpr std::int64_t EXPONENT = std::int64_t{0x7ff} << 52, TWICE_ONE = std::int64_t{2046} << 52;
        sound_ &= sum >= ChunkLimits::LEAST;
        const Mask<double> bits = (Mask<double>)sum & EXPONENT;
        const Wide p = (Wide)(TWICE_ONE - bits);
        exponent_ += (bits >> 52) - 1023;
        for (size_t y = 0; y < N; ++y) e_now[y] *= p;
    }

    // Prefetch the rows of the result before they are written: the backward pass would otherwise wait for them.
    SEQLAB_INLINE void fetch_result(std::ptrdiff_t j) const {
        const G* row = chain_.gamma + (j - cut_.late) * static_cast<std::ptrdiff_t>(labels());
        const size_t gap = static_cast<size_t>(cut_.n) * labels();
        for (size_t c = 0; c < CHUNKS; ++c, row += gap) __builtin_prefetch(row, 1);
    }

    __attribute__((noinline)) void forward(std::ptrdiff_t from, std::ptrdiff_t to) {
        for (std::ptrdiff_t j = from; j < to; ++j) {
            if (chain_.gamma) fetch_result(j);
            forward_step(j, alpha_[j - from], alpha_[j - from - 1]);
        }
        if (from > 0) return;
        for (std::ptrdiff_t j = -1; j < cut_.late; ++j)  // steps before the chain: nothing to count
            for (size_t y = 0; y < N; ++y) alpha_[j][y] = with_first(alpha_[j][y], 0.0);
    }

    // β at the last step of a block, so that Σ α β = 1 there: exact at the end of the chain, otherwise by a warm-up.
    SEQLAB_INLINE void beta_behind(Labels<N>& beta, std::ptrdiff_t to, const Labels<N>& alpha) const {
        for (size_t y = 0; y < N; ++y) beta[y] = splat(1.0);
        for (std::ptrdiff_t j = to + warm_ - 1; j >= to; --j) {
            Labels<N> g;
            const Wide share = j % 4 == 0 ? 1.0 / total(beta) : splat(1.0);
            for (size_t y = 0; y < N; ++y) g[y] = e(j)[y] * beta[y] * share;
            turn_chunks(beta, g, out_of_);
            if (j == cut_.n)
                for (size_t y = 0; y < N; ++y) beta[y][CHUNKS - 1] = 1.0;
        }
        const Wide share = 1.0 / meeting(alpha, beta);
        for (size_t y = 0; y < N; ++y) beta[y] *= share;
    }

    // definition::backward, with the factors of the forward pass; also computes γ_t = α_t β_t.
    template <bool COUNT>
    __attribute__((noinline)) void backward(std::ptrdiff_t from, std::ptrdiff_t to) {
        Labels<N> beta;
        beta_behind(beta, to, alpha_[to - from - 1]);
        Labels<N> border;
        copy(border, beta);
        Wide top{};
        for (std::ptrdiff_t end = to; end > from;) {
            const std::ptrdiff_t begin = end - from > COUNTED ? end - COUNTED : from;
            for (std::ptrdiff_t j = end - 1; j >= begin; --j) {
                Labels<N> gamma;
                const Labels<N>&a = alpha_[j - from], &e_now = e(j);
                Labels<N>& g = g_[j - begin];
                for (size_t y = 0; y < N; ++y) {
                    beta[y] = larger<double>(beta[y], floor_);
                    top = larger<double>(top, beta[y]);
                    gamma[y] = a[y] * beta[y];
                    g[y] = e_now[y] * beta[y];
                }
                if (chain_.gamma) write_chunk_rows<G, N>(chain_.gamma, gamma, labels(), cut_, j);
                turn_chunks(beta, g, out_of_);
            }
            if constexpr (COUNT) count(alpha_ + (begin - from - 1), end - begin);
            end = begin;
        }
        sound_ &= top <= ChunkLimits::CAP;
        // Compare the β at the end of this block with the β at the beginning of the block before it.
        if (from > 0)
            joined_ = everywhere(same<N>(beta, border_, ChunkLimits::TOLERANCE, ChunkLimits::BETA_SLACK));
        if (from == 0) copy(first_, beta);
        copy(border_, border);
    }

    // True if the chunks join, in α and in β.
    SEQLAB_INLINE bool borders_join() const {
        Labels<N> start, first, end;
        for (size_t y = 0; y < N; ++y) {
            start[y] = one_lane_down(start_[y]);
            first[y] = one_lane_down(first_[y]);
        }
        const Wide met = 1.0 / meeting(alpha_[-1], first), sum = 1.0 / total(start),
                   end_sum = 1.0 / total(alpha_[-1]);
        for (size_t y = 0; y < N; ++y) {
            start[y] *= sum;
            end[y] = alpha_[-1][y] * end_sum;
            first[y] *= met;
        }
        return joined(same<N>(start, end, ChunkLimits::TOLERANCE, ChunkLimits::ALPHA_SLACK)) &&
               joined(same<N>(first, border_, ChunkLimits::TOLERANCE, ChunkLimits::BETA_SLACK));
    }

    // E(a, y) += Σ_t α_{t-1}(a) g_t(y), a tile of sums in registers at a time
    SEQLAB_INLINE void count(const Labels<N>* before, std::ptrdiff_t steps) {
        constexpr size_t A = MANY_REGISTERS ? 4 : 2, Y = 4;
        for (size_t a = 0; a < N; a += A)
            for (size_t y = 0; y < N; y += Y) {
                Wide sum[A][Y];
                for (size_t i = 0; i < A; ++i)
                    for (size_t k = 0; k < Y; ++k) sum[i][k] = E_[a + i][y + k];
                for (std::ptrdiff_t s = 0; s < steps; ++s)
#pragma GCC unroll 4
                    for (size_t i = 0; i < A; ++i)
#pragma GCC unroll 4
                        for (size_t k = 0; k < Y; ++k) sum[i][k] += before[s][a + i] * g_[s][y + k];
                for (size_t i = 0; i < A; ++i)
                    for (size_t k = 0; k < Y; ++k) E_[a + i][y + k] = sum[i][k];
            }
    }

    // Compute log Z from the scale factors of every chunk, its end, and its beginning.
    void finish(double* E) {
        constexpr double LN2 = 0.693147180559945309;
        const Wide end = total(alpha_[-1]), begin = total(start_);
        z_.times(end[CHUNKS - 1]);
        std::int64_t exponent = 0;
        for (size_t c = 0; c < CHUNKS; ++c) exponent += exponent_[c];
        z_.plus(exponent < 0 ? -LN2 : LN2, static_cast<size_t>(exponent < 0 ? -exponent : exponent));
        for (size_t c = 1; c < CHUNKS; ++c) {
            z_.times(end[c - 1]);
            z_.times(1.0 / begin[c]);
        }
        z_.plus(shift_, static_cast<size_t>(cut_.T - 1));
        chain_.log_z = z_.log();
        chain_.certified = true;
        for (size_t a = 0; E && a < L_; ++a)
            for (size_t y = 0; y < L_; ++y) E[a * L_ + y] += sum_lanes<double>(E_[a][y]);
    }

    const size_t L_;
    const Cut cut_;
    const std::ptrdiff_t ring_, warm_;
    Chain<G>& chain_;
    const double shift_;
    SmallMatrix<N> into_, out_of_;
    Labels<N>*e_, *alpha_, *g_, *E_;
    Labels<N> start_, first_, border_;
    Mask<double> exponent_{}, sound_ = lane_numbers<double>() >= 0;
    Wide floor_ = splat(
        ChunkLimits::FLOOR);  // as a constant the compiler would use two instructions, compare and select
    std::ptrdiff_t made_ = 0;
    bool joined_ = true;
    LogProduct z_;
};

template <class G, size_t N, bool FULL>
bool chunked_sum(const DenseEdges<double>& edges, size_t T, Chain<G>& chain, double* room, double* E) {
    for (const WarmUp& w : WARM_UPS) {
        ChunkedSum<G, N, FULL> sum(edges, T, chain, room, w);
        if (E ? sum.template run<true>(E) : sum.template run<false>(nullptr)) return true;
    }
    return false;
}

// True when the chunks joined and the result is certified; otherwise E is unchanged, and gamma must be computed again.
template <class G>
bool chunked_forward_backward(const DenseEdges<double>& edges, size_t T, Chain<G>& chain, double* room,
                              double* E) {
    if (edges.L == 8) return chunked_sum<G, 8, true>(edges, T, chain, room, E);
    if (edges.L > 4) return chunked_sum<G, 8, false>(edges, T, chain, room, E);
    if (edges.L == 4) return chunked_sum<G, 4, true>(edges, T, chain, room, E);
    return chunked_sum<G, 4, false>(edges, T, chain, room, E);
}

}  // namespace seqlab::SEQLAB_ISA
