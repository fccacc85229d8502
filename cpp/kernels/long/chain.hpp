// Scaled forward-backward of one long chain, both directions at once, in one (T, L) array.
//
// In a single chain every step waits for the one before. The two directions are independent until they meet, so they
// run side by side: in the first half of the loop the forward pass fills rows 0 .. m-1 of the output with α and the
// backward pass rows m .. T-1 with β; in the second half each continues through the other's rows and turns them into
// marginals. Nothing else of length T is stored.
//
// Rows are normalised at every second step, by the sum of the row two steps before: that sum, and the division, are
// ready long before they are needed.
#pragma once

#include "kernels/long/rows.hpp"

namespace seqlab::SEQLAB_ISA {

// A row of potentials: in registers where its width is known, else in memory.
template <size_t NV>
struct Row {
    Wide v[NV];
    void put(Wide*&, size_t) {}
};
template <>
struct Row<0> {
    Wide* v;
    void put(Wide*& room, size_t nv) {
        v = room;
        room += nv;
    }
};

// ⊕ over labels as a product with a matrix of LP x LP, the row in registers (few labels) or in memory (many).
// NV is the number of vectors in a row, 0 for any number.
template <size_t NV>
SEQLAB_INLINE void turn(Row<NV>& out, const Row<NV>& x, const double* M, size_t LP, size_t L) {
    if constexpr (NV == 0) {
        product<double, SumTimes, NV, 1>(reinterpret_cast<double*>(out.v),
                                         reinterpret_cast<const double*>(x.v), LP, M, LP, L);
    } else {
        constexpr size_t SUMS = 2;
        Wide sum[SUMS][NV] = {};
#pragma GCC unroll 16
        for (size_t a = 0; a < NV * W<double>; ++a) {
            const Wide from = spread<double>(x.v[a / W<double>], a % W<double>);
            for (size_t v = 0; v < NV; ++v)
                sum[a % SUMS][v] += from * load(M + a * NV * W<double> + v * W<double>);
        }
        for (size_t v = 0; v < NV; ++v) out.v[v] = sum[0][v] + sum[1][v];
    }
}

// FULL: the labels fill their vectors, so that no row has a tail.
template <size_t NV, bool FULL>
class LongChain {
public:
    SEQLAB_INLINE LongChain(const DenseEdges<double>& edges, size_t length, Chain<double>& chain,
                            double* room)
        : edges_(edges),
          chain_(chain),
          L(FULL ? NV * W<double> : edges.L),
          LP(NV ? NV * W<double> : edges.LP),
          nv(LP / W<double>),
          T(length) {
        Wide* rows = reinterpret_cast<Wide*>(room);
        for (Row<NV>* row : {&alpha_, &ahead_, &e_, &other_, &beta_, &g_, &held_}) row->put(rows, nv);
        E_ = rows;
        for (size_t i = 0; i < LP * nv; ++i) E_[i] = Wide{};
    }
    SEQLAB_INLINE void run(double* E) {
        const size_t m = T / 2;
        for (size_t i = 0; i < T - m; ++i) {
            ask_at(i);
            if (i < m) forward<false>(i, false);
            backward<false>(T - 1 - i, false);
        }
        for (size_t i = 0; i < T - m; ++i) {
            ask_at(i);
            forward<true>(m + i, E != nullptr);
            if (i < m)
                backward<true>(m - 1 - i, E != nullptr && i > 0);  // the transition into m is counted already
        }
        for (size_t a = 0; E && a < L; ++a)
            for (size_t y = 0; y < L; ++y) E[a * L + y] += reinterpret_cast<double*>(E_ + a * nv)[y];
        Wide sum{};
        for (size_t v = 0; v < nv; ++v) sum += alpha_.v[v];
        z_.times(sum_lanes<double>(sum));
        z_.plus(edges_.shift, T - 1);
        chain_.log_z = z_.log();
        chain_.certified = sound_;
    }

private:
    // A chain of many labels takes long, so interruption is checked here.
    SEQLAB_INLINE void ask_at(size_t i) const {
        if constexpr (NV == 0) {
            if (i % 64 == 0 || LP >= 256) poll();
        }
    }
    // α_t = e_t ∘ (α_{t-1} M); in the first half α_t is stored, in the second it is combined with β_t.
    template <bool MEETS>
    SEQLAB_INLINE void forward(size_t t, bool count) {
        z_.plus(wide_potentials(e_.v, chain_.node + t * L, chain_.node_end, L, nv));
        if (t % 2 == 0) scale_potentials();
        if (t == 0) {
            for (size_t v = 0; v < nv; ++v) ahead_.v[v] = e_.v[v];
        } else {
            turn<NV>(ahead_, alpha_, edges_.M, LP, L);
            for (size_t v = 0; v < nv; ++v) ahead_.v[v] *= e_.v[v];
        }
        if constexpr (MEETS) {
            meet_beta(t, count && t > 0);
        } else {
            for (size_t v = 0; v < nv; ++v)
                store_part_of_row(row(t) + v * W<double>, ahead_.v[v], L - v * W<double>);
        }
        const Row<NV> swap = alpha_;
        alpha_ = ahead_;
        ahead_ = swap;
        if (t % 2 == 0) forward_factor_ = factor(alpha_);
    }

    // Divide e_t by the sum of two steps ago, and multiply Z by it.
    SEQLAB_INLINE void scale_potentials() {
        z_.times(1.0 / forward_factor_);
        for (size_t v = 0; v < nv; ++v) e_.v[v] *= splat(forward_factor_);
    }

    SEQLAB_INLINE double factor(const Row<NV>& x) {
        Wide sum{};
        for (size_t v = 0; v < nv; ++v) sum += x.v[v];
        const double total = sum_lanes<double>(sum);
        sound_ &= total >= LEAST_SUM;  // false for NaN too
        return 1.0 / total;
    }

    // Here alpha_ is α_{t-1}, ahead_ is α_t, e_ is e_t (scaled), and the row of t holds β_t.
    SEQLAB_INLINE void meet_beta(size_t t, bool count) {
        Wide sum{};
        for (size_t v = 0; v < nv; ++v) {
            const Wide b = part_of_row(row(t) + v * W<double>, L - v * W<double>);
            other_.v[v] = ahead_.v[v] * b;
            e_.v[v] *= b;
            sum += other_.v[v];
        }
        const double share = meeting(sum);
        if (count) add_outer(alpha_, share, e_);
        for (size_t v = 0; v < nv; ++v)
            store_part_of_row(row(t) + v * W<double>, other_.v[v] * splat(share), L - v * W<double>);
    }

    // β_t = M g_{t+1}; in the first half β_t is stored, in the second it is combined with α_t.
    template <bool MEETS>
    SEQLAB_INLINE void backward(size_t t, bool count) {
        const size_t steps = T - 1 - t;
        if (steps == 0) {
            for (size_t v = 0; v < nv; ++v) beta_.v[v] = splat(1.0);
        } else {
            turn<NV>(beta_, held_, edges_.MT, LP, L);
        }
        const double c = steps % 2 == 0 && steps > 0 ? backward_factor_ : 1.0;
        for (size_t v = 0; v < nv; ++v) beta_.v[v] *= splat(c);
        if constexpr (MEETS) {
            meet_alpha(t, c, count);
        } else {
            for (size_t v = 0; v < nv; ++v)
                store_part_of_row(row(t) + v * W<double>, beta_.v[v], L - v * W<double>);
        }
        if (steps % 2 == 0) backward_factor_ = factor(beta_);
        wide_potentials(g_.v, chain_.node + t * L, chain_.node_end, L, nv);
        for (size_t v = 0; v < nv; ++v) {
            const Wide e = g_.v[v];
            g_.v[v] = e * beta_.v[v];
            held_.v[v] = smaller<double>(e, beta_.v[v]) > 0.0
                             ? larger<double>(g_.v[v], splat(Limits<double>::floor))
                             : Wide{};
        }
    }

    // Here g_ is g_{t+1}, beta_ is β_t = c M g_{t+1}, and the row of t holds α_t.
    SEQLAB_INLINE void meet_alpha(size_t t, double c, bool count) {
        Wide sum{};
        for (size_t v = 0; v < nv; ++v) {
            other_.v[v] = part_of_row(row(t) + v * W<double>, L - v * W<double>);
            sum += other_.v[v] * beta_.v[v];
        }
        const double share = meeting(sum);
        if (count) add_outer(other_, c * share, g_);
        for (size_t v = 0; v < nv; ++v)
            store_part_of_row(row(t) + v * W<double>, other_.v[v] * beta_.v[v] * splat(share),
                              L - v * W<double>);
    }

    SEQLAB_INLINE double meeting(Wide sum) {
        const double total = sum_lanes<double>(sum);
        sound_ &= total >= LEAST_MEETING;
        return 1.0 / total;
    }

    // E += weight · x ⊗ g
    SEQLAB_INLINE void add_outer(const Row<NV>& x, double weight, const Row<NV>& g) {
        for (size_t a = 0; a < L; ++a) {
            const Wide w = splat(reinterpret_cast<const double*>(x.v)[a] * weight);
            for (size_t v = 0; v < nv; ++v) E_[a * nv + v] += w * g.v[v];
        }
    }

    double* row(size_t t) const { return chain_.gamma + t * L; }

    const DenseEdges<double>& edges_;
    Chain<double>& chain_;
    const size_t L, LP, nv, T;
    Row<NV> alpha_, ahead_, e_, other_, beta_, g_, held_;
    Wide* E_;
    double forward_factor_ = 1.0, backward_factor_ = 1.0;
    bool sound_ = true;
    LogProduct z_;
};

inline void long_forward_backward(const DenseEdges<double>& edges, size_t T, Chain<double>& chain,
                                  double* room, double* E) {
    if constexpr (VECTOR_BYTES > 16) {
        if (edges.L == 2 * W<double>) return LongChain<2, true>(edges, T, chain, room).run(E);
        if (edges.LP == 2 * W<double>) return LongChain<2, false>(edges, T, chain, room).run(E);
    }
    LongChain<0, false>(edges, T, chain, room).run(E);
}

inline size_t long_chain_room(size_t LP) {
    return (7 + LP) * LP;
}

}  // namespace seqlab::SEQLAB_ISA
