// One long chain whose labels fit one vector: rows never leave the registers.
//
// Forward-backward as in chain.hpp (both directions at once, meeting in the middle), with three changes that only pay
// here. The product of a row with M is taken along "crossed diagonals": out[y] = Σ_r x[y ^ r] D_r[y] with D_r[y] = M[y
// ^ r, y], because permuting lanes y to y ^ r is cheaper than broadcasting one lane; the same permuted rows then serve
// the expected counts. Potentials are computed for a block of rows at a time: an exp takes a hundred cycles, but many
// run at once. And α is normalised at even, β at odd positions, so that Σ α_t β_t is equal for two neighbours and
// computed only once.
#pragma once

#include "kernels/long/rows.hpp"
#include "kernels/sentence/best_path.hpp"

namespace seqlab::SEQLAB_ISA {

inline constexpr size_t LANES = W<double>;

struct Diagonals {
    Wide d[LANES];

    // from M (LP x LP): entry r, y is M[y ^ r, y]
    SEQLAB_INLINE explicit Diagonals(const double* M) {
        for (size_t r = 0; r < LANES; ++r)
            for (size_t y = 0; y < LANES; ++y) d[r][y] = M[(y ^ r) * LANES + y];
    }
};

// Compute Σ_r x[r] D_r in two halves, summed by a short tree: few operations, little latency.
SEQLAB_INLINE Wide along(const Wide (&x)[LANES], const Diagonals& D) {
    Wide sum[LANES];
    constexpr size_t half = LANES / 2;
#pragma GCC unroll 4
    for (size_t r = 0; r < half; ++r) sum[r] = x[r] * D.d[r];
#pragma GCC unroll 4
    for (size_t r = 0; r < half; ++r) sum[r] += x[r + half] * D.d[r + half];
#pragma GCC unroll 2
    for (size_t width = half / 2; width > 0; width /= 2)
#pragma GCC unroll 2
        for (size_t r = 0; r < width; ++r) sum[r] += sum[r + width];
    return sum[0];
}

class FewLabels {
public:
    SEQLAB_INLINE FewLabels(const DenseEdges<double>& edges, size_t length, Chain<double>& chain)
        : L(edges.L), T(length), chain_(chain), into_(edges.M), out_of_(edges.MT) {}

    template <bool COUNT>
    SEQLAB_INLINE void run(double shift, double* E) {
        const size_t m = T / 2;
        pass<false, false>(0, T - 1, m);
        if (T % 2) backward_alone<false>(m);
        first_ = true;
        if (m > 0) {  // the forward pass counts the transition into m, so the first backward step counts none
            forward_alone<COUNT>(m);
            backward_alone<true>(m - 1);
            first_ = false;
            pass<true, COUNT>(m + 1, m - 2, m - 1);
        }
        if (T % 2 && m > 0) forward_alone<COUNT>(T - 1);
        if (m == 0) forward_alone<false>(0);
        z_.times(sum_lanes<double>(alpha_));
        z_.plus(shift, T - 1);
        chain_.log_z = z_.log();
        chain_.certified = sound_;
        if constexpr (COUNT) {
            if (sound_) write_counts(E);
        }
    }

private:
    static constexpr size_t BLOCK = 128;

    template <bool COUNT>
    SEQLAB_INLINE void forward_alone(size_t t) {
        Wide e;
        z_.plus(potentials(&e, t, 1));
        forward<true, COUNT>(t, e);
    }
    template <bool MEETS>
    SEQLAB_INLINE void backward_alone(size_t t) {
        Wide e;
        potentials(&e, t, 1);
        backward<MEETS, false>(t, e);
    }

    // Run `count` steps of both directions, forward from t on, backward from u down.
    template <bool MEETS, bool COUNT>
    SEQLAB_INLINE void pass(size_t t, size_t u, size_t count) {
        Wide ahead[BLOCK], behind[BLOCK];
        for (size_t done = 0; done < count; done += BLOCK) {
            const size_t n = count - done < BLOCK ? count - done : BLOCK;
            z_.plus(potentials(ahead, t + done, n));
            potentials(behind, u + 1 - done - n, n);
            for (size_t i = 0; i < n; ++i) {
                fetch(t + done + i + BLOCK);
                fetch(u - done - i - BLOCK);
                forward<MEETS, COUNT>(t + done + i, ahead[i]);
                backward<MEETS, COUNT>(u - done - i, behind[n - 1 - i]);
            }
        }
    }

    // Prefetch the rows of the next block, in either direction, while this block is computed.
    SEQLAB_INLINE void fetch(size_t t) const {
        if (t >= T) return;  // also when t has wrapped below zero
        __builtin_prefetch(chain_.node + t * L);
        __builtin_prefetch(chain_.gamma + t * L, 1);
    }

    // Compute e of n rows from t on and return the sum of the subtracted maxima. Eight rows (8i .. 8i + 7, the same
    // eight for both directions) share one maximum: if a row is so far below its neighbours that it loses digits, its
    // sums fall below the limit of eq:certificate.
    __attribute__((noinline)) double potentials(Wide* e, size_t t, size_t n) const {
        const double* const node = chain_.node;
        const double* const end = chain_.node_end;
        double taken = 0.0;
        for (size_t block = t / 8 * 8; block < t + n; block += 8) {
            const size_t stop = block + 8 < T ? block + 8 : T;
            Wide top = score_lanes(node + block * L, end, L, 0);
            for (size_t i = block + 1; i < stop; ++i)
                top = larger<double>(score_lanes(node + i * L, end, L, 0), top);
            double shift = max_lanes<double>(top);
            if (shift == MINUS_INFINITY<double>) shift = 0.0;
            const size_t from = block < t ? t : block, to = stop < t + n ? stop : t + n;
            for (size_t i = from; i < to; ++i)
                e[i - t] = weight_of<double>(score_lanes(node + i * L, end, L, 0), shift, faintest<double>);
            taken += shift * static_cast<double>(to - from);
        }
        return taken;
    }

    // α_t = e_t ∘ (α_{t-1} M), scaled at even t
    template <bool MEETS, bool COUNT>
    SEQLAB_INLINE void forward(size_t t, Wide e) {
        Wide crossing[LANES];
#pragma GCC unroll 8
        for (size_t r = 0; r < LANES; ++r) crossing[r] = crossed<double>(alpha_, r);
        if (t % 2 == 0) {
            z_.times(sum_alpha_);
            e *= splat(1.0 / sum_alpha_);
        }
        const Wide next = t == 0 ? e : e * along(crossing, into_);
        if constexpr (MEETS) {
            const Wide b = read(t), both = next * b;
            if (t % 2 == 0 || first_) forward_share_ = share(both);
            write(t, both * splat(forward_share_));
            if constexpr (COUNT) {
                const Wide g = e * b * splat(forward_share_);
#pragma GCC unroll 8
                for (size_t r = 0; r < LANES; ++r) arriving_[r] += crossing[r] * g;
            }
        } else {
            write(t, next);
        }
        alpha_ = next;
        if (t % 2 == 0) sum_alpha_ = checked_sum(alpha_);
    }

    // β_t = M g_{t+1}, scaled at odd t; g_t of allowed labels is kept above the floor
    template <bool MEETS, bool COUNT>
    SEQLAB_INLINE void backward(size_t t, Wide e) {
        Wide crossing[LANES];
#pragma GCC unroll 8
        for (size_t r = 0; r < LANES; ++r) crossing[r] = crossed<double>(held_, r);
        const double c = t % 2 == 1 ? 1.0 / sum_beta_ : 1.0;
        const Wide beta = t == T - 1 ? splat(1.0) : along(crossing, out_of_) * splat(c);
        if constexpr (MEETS) {
            const Wide a = read(t), both = a * beta;
            if (t % 2 == 1 || first_) backward_share_ = share(both);
            write(t, both * splat(backward_share_));
            if constexpr (COUNT) {
                const Wide x = a * splat(backward_share_ * c);
#pragma GCC unroll 8
                for (size_t r = 0; r < LANES; ++r) leaving_[r] += crossing[r] * x;
            }
        } else {
            write(t, beta);
        }
        if (t % 2 == 1) sum_beta_ = checked_sum(beta);
        const Wide g = larger<double>(e * beta, splat(Limits<double>::floor));
        held_ = smaller<double>(e, beta) > 0.0 ? g : Wide{};
    }

    SEQLAB_INLINE double checked_sum(Wide x) {
        const double sum = sum_lanes<double>(x);
        sound_ &= sum >= LEAST_SUM;  // false for NaN too
        return sum;
    }
    SEQLAB_INLINE double share(Wide both) {
        const double sum = sum_lanes<double>(both);
        sound_ &= sum >= LEAST_MEETING;
        return 1.0 / sum;
    }
    SEQLAB_INLINE Wide read(size_t t) const { return part_of_row(chain_.gamma + t * L, L); }
    SEQLAB_INLINE void write(size_t t, Wide x) const { store_part_of_row(chain_.gamma + t * L, x, L); }

    // arriving r, b counts b ^ r -> b; leaving r, a counts a -> a ^ r
    void write_counts(double* E) const {
        for (size_t a = 0; a < L; ++a)
            for (size_t b = 0; b < L; ++b) E[a * L + b] += arriving_[a ^ b][b] + leaving_[a ^ b][a];
    }

    const size_t L, T;
    Chain<double>& chain_;
    const Diagonals into_, out_of_;
    Wide alpha_{}, held_{};
    Wide arriving_[LANES] = {}, leaving_[LANES] = {};
    double sum_alpha_ = 1.0, sum_beta_ = 1.0, forward_share_ = 1.0, backward_share_ = 1.0;
    bool sound_ = true, first_ = false;
    LogProduct z_;
};

// Sets `certified`; E is changed only when it is true.
inline void few_labels_forward_backward(const DenseEdges<double>& edges, size_t T, Chain<double>& chain,
                                        double* E) {
    if (E) {
        FewLabels(edges, T, chain).template run<true>(edges.shift, E);
    } else {
        FewLabels(edges, T, chain).template run<false>(edges.shift, nullptr);
    }
}

// eq:viterbi with back pointers in bytes: the comparisons that give them fit into the latency of a step, and the
// backtrace is one load per position. Ties go to the lowest label.
inline void few_labels_viterbi(const DenseEdges<double>& edges, size_t T, Chain<double>& chain, double* room,
                               std::uint8_t* back) {
    typedef std::uint8_t Bytes __attribute__((vector_size(LANES)));
    const size_t L = edges.L;
    const Diagonals into(edges.M);
    const Mask<double> lanes = lane_numbers<double>();
    Wide delta = score_lanes(chain.node, chain.node_end, L, 0);
    LogProduct taken;
    for (size_t t = 1; t < T; ++t) {
        if (t % 64 ==
            0) {  // keep δ small and sum the subtracted maxima with compensation: the score needs no second pass
            const double top = max_lanes<double>(delta);
            if (top > MINUS_INFINITY<double>) {
                delta -= splat(top);
                taken.plus(top);
            }
        }
        Wide sum[LANES], top[LANES];
#pragma GCC unroll 8
        for (size_t r = 0; r < LANES; ++r)
            top[r] = sum[r] = plus<double>(crossed<double>(delta, r), into.d[r]);
#pragma GCC unroll 3
        for (size_t width = LANES / 2; width > 0; width /= 2)
#pragma GCC unroll 4
            for (size_t r = 0; r < width; ++r) top[r] = larger<double>(top[r], top[r + width]);
        Mask<double> from = lanes;  // the source: the same label, r = 0, or the lowest of the others
        from = sum[0] == top[0] ? from : from + static_cast<std::int64_t>(LANES);
#pragma GCC unroll 8
        for (size_t r = 1; r < LANES; ++r) {
            const Mask<double> a = lanes ^ static_cast<std::int64_t>(r);
            const Mask<double> lower = a < from ? a : from;
            from = sum[r] == top[0] ? lower : from;
        }
        delta = top[0] + score_lanes(chain.node + t * L, chain.node_end, L, 0);
        const Bytes bytes = __builtin_convertvector(from, Bytes);
        __builtin_memcpy(back + t * LANES, &bytes, sizeof bytes);
    }
    store(room + LANES, delta);
    const Best<double> end = best_of<double, 1>(room + LANES, zero_row(room, LANES), LANES);
    chain.log_z = end.value;
    if (end.value > MINUS_INFINITY<double>) {
        taken.plus(end.value);
        chain.log_z = taken.log();
    }
    chain.scored = true;
    size_t y = end.label;
    chain.path[T - 1] = static_cast<std::int32_t>(y);
    for (size_t t = T - 1; t > 0; --t) {
        y = back[t * LANES + y] & (LANES - 1);  // an index from NaN scores must stay in range
        chain.path[t - 1] = static_cast<std::int32_t>(y);
    }
}

}  // namespace seqlab::SEQLAB_ISA
