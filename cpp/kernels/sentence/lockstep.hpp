// Scaled forward-backward of S chains of one length in lockstep, first order, one shared slab.
//
// Why: in log space every term costs an exp and a log; here a step is a vector-matrix product (log space measured 10
// times slower at L = 10, 28 times at L = 45). One chain alone is bound by latency; four share every load of M. Row t
// of chain s lies at (t * S + s) * LP. Cost 3 * T * L * L multiply-adds a chain with expectations.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/sentence/outer.hpp"

namespace seqlab::SEQLAB_ISA {

// Scratch of one call: pot holds e_t, later g_t = e_t β_t c_t.
template <class F, size_t S>
struct Lockstep {
    size_t L, LP, nv, gap, T;
    F *pot, *alpha, *gamma, *beta, *factor;

    Lockstep(const DenseEdges<F>& edges, size_t length, F* room)
        : L(edges.L), LP(edges.LP), nv(LP / W<F>), gap(S * LP), T(length) {
        pot = room;
        alpha = pot + T * gap;
        gamma = alpha + T * gap;
        beta = gamma + T * gap;
        factor = beta + gap;
    }
};

template <class F, size_t NV, size_t S>
SEQLAB_INLINE void set_rows(F* row, size_t LP, F x) {
    const size_t n = S * (NV ? NV : LP / W<F>);
    for (size_t v = 0; v < n; ++v) store(row + v * W<F>, splat(x));
}

// row ∘= e, then divide by the sum, which is returned.
template <class F, size_t NV, size_t S>
SEQLAB_INLINE void weigh_and_normalise(F* row, const F* e, size_t LP, F (&total)[S]) {
    const size_t nv = NV ? NV : LP / W<F>;
    for (size_t s = 0; s < S; ++s) {
        Vec<F> sum{};
        for (size_t v = 0; v < nv; ++v) {
            const size_t i = s * LP + v * W<F>;
            const Vec<F> x = load(row + i) * load(e + i);
            store(row + i, x);
            sum += x;
        }
        total[s] = sum_lanes<F>(sum);
    }
    for (size_t s = 0; s < S; ++s) {
        const Vec<F> c = splat(F{1} / total[s]);
        for (size_t v = 0; v < nv; ++v) store(row + s * LP + v * W<F>, load(row + s * LP + v * W<F>) * c);
    }
}

// eq:scaling   α_t = c_t · e_t ∘ (α_{t-1} M),  Σ_y α_t(y) = 1,  log Z = Σ shifts - Σ log c_t
template <class F, size_t NV, size_t S>
SEQLAB_INLINE void scaled_forward(const DenseEdges<F>& edges, Chain<F>* chain, Lockstep<F, S>& of) {
    const size_t LP = NV ? NV * W<F> : of.LP, gap = S * LP;
    LogProduct z[S];
    for (size_t t = 0; t < of.T; ++t) {
        F* const e = of.pot + t * gap;
        F* const now = of.alpha + t * gap;
        for (size_t s = 0; s < S; ++s)
            z[s].plus(static_cast<double>(
                potentials(e + s * LP, chain[s].node + t * of.L, chain[s].node_end, of.L, LP / W<F>)));
        if (t == 0) {
            set_rows<F, NV, S>(now, LP, F{1});
        } else {
            product<F, SumTimes, NV, S>(now, now - gap, LP, edges.M, LP, of.L);
        }
        F total[S];
        weigh_and_normalise<F, NV, S>(now, e, LP, total);
        for (size_t s = 0; s < S; ++s) {
            of.factor[t * S + s] = F{1} / total[s];
            z[s].times(static_cast<double>(total[s]));
        }
    }
    for (size_t s = 0; s < S; ++s) {
        z[s].plus(edges.shift, of.T - 1);
        chain[s].log_z = z[s].log();
    }
}

// γ_t = α_t ∘ β_t and g_t = e_t ∘ β_t · c_t, kept above the floor unless forbidden; `largest` is the maximum of c_t
// β_t.
template <class F, size_t NV, size_t S>
SEQLAB_INLINE void meet(Lockstep<F, S>& of, size_t t, Vec<F> (&largest)[S]) {
    const size_t LP = NV ? NV * W<F> : of.LP, nv = LP / W<F>, gap = S * LP;
    for (size_t s = 0; s < S; ++s) {
        const Vec<F> c = splat(of.factor[t * S + s]);
        for (size_t v = 0; v < nv; ++v) {
            const size_t i = t * gap + s * LP + v * W<F>;
            const Vec<F> b = load(of.beta + s * LP + v * W<F>), e = load(of.pot + i);
            store(of.gamma + i, load(of.alpha + i) * b);
            const Vec<F> bc = b * c;
            largest[s] =
                larger<F>(bc, largest[s]);  // with this argument order infinity is kept and NaN ignored
            const Vec<F> g = larger<F>(bc * e, splat(Limits<F>::floor));
            store(of.pot + i, smaller<F>(b, e) > F{0} ? g : Vec<F>{});
        }
    }
}

// Set values at the floor back to zero after the recursion.
template <class F>
SEQLAB_INLINE void lift_floor(F* g, size_t n) {
    for (size_t i = 0; i < n; i += W<F>) {
        const Vec<F> x = load(g + i);
        store(g + i, x > Limits<F>::floor ? x : Vec<F>{});
    }
}

// eq:certificate   β_{t-1} = M g_t from values that cannot vanish; the largest c_t β_t decides if the chain is
// certified
template <class F, size_t NV, size_t S>
SEQLAB_INLINE void certified_backward(const DenseEdges<F>& edges, Chain<F>* chain, Lockstep<F, S>& of) {
    const size_t LP = NV ? NV * W<F> : of.LP, gap = S * LP;
    Vec<F> largest[S] = {};
    set_rows<F, NV, S>(of.beta, LP, F{1});
    for (size_t t = of.T; t-- > 0;) {
        meet<F, NV, S>(of, t, largest);
        if (t > 0) product<F, SumTimes, NV, S>(of.beta, of.pot + t * gap, LP, edges.MT, LP, of.L);
        lift_floor(of.pot + t * gap, gap);
    }
    for (size_t s = 0; s < S; ++s) {
        chain[s].certified = max_lanes<F>(largest[s]) <= Limits<F>::cap;
        for (size_t t = 0; t < of.T; ++t)  // written so that NaN fails
            if (!(of.factor[t * S + s] <= Limits<F>::cap)) chain[s].certified = false;
    }
}

template <class F, size_t S>
SEQLAB_INLINE void write_marginals(const Chain<F>& chain, const Lockstep<F, S>& of, size_t s) {
    const F* row = of.gamma + s * of.LP;
    for (size_t t = 0; t + 1 < of.T; ++t, row += of.gap) {
        // The padding overwrites the next row, which is written next.
        const bool fits = of.LP - of.L <= (of.T - 1 - t) * of.L;
        for (size_t v = 0; fits && v < of.nv; ++v)
            store(chain.gamma + t * of.L + v * W<F>, load(row + v * W<F>));
        if (!fits) store_row(chain.gamma + t * of.L, row, of.L, of.nv);
    }
    store_row(chain.gamma + (of.T - 1) * of.L, row, of.L, of.nv);
}

template <class F, size_t NV, size_t S>
void lockstep_forward_backward(const DenseEdges<F>& edges, size_t T, Chain<F>* chain, F* room, F* E) {
    Lockstep<F, S> of(edges, T, room);
    scaled_forward<F, NV, S>(edges, chain, of);
    certified_backward<F, NV, S>(edges, chain, of);
    for (size_t s = 0; s < S; ++s) {
        if (chain[s].gamma) write_marginals(chain[s], of, s);
        for (size_t t = 0; !chain[s].certified && t < T;
             ++t) {  // chains that are not certified must not change the sums
            __builtin_memset(of.alpha + t * of.gap + s * of.LP, 0, of.LP * sizeof(F));
            __builtin_memset(of.pot + t * of.gap + s * of.LP, 0, of.LP * sizeof(F));
        }
    }
    if (E) outer_products<F>(E, of.alpha, of.pot + of.gap, of.LP, (T - 1) * S, of.L);
}

// Forward pass alone, keeping two rows. Certified when no nonzero value fell so low that one further step could lose
// it; otherwise the caller runs the full pass with its certificate.
template <class F, size_t NV, size_t S>
void lockstep_forward(const DenseEdges<F>& edges, size_t T, Chain<F>* chain, F* room) {
    const size_t L = edges.L, LP = NV ? NV * W<F> : edges.LP, nv = LP / W<F>, gap = S * LP;
    F *now = room, *before = room + gap, *const e = room + 2 * gap;
    LogProduct z[S];
    Vec<F> least[S];
    for (size_t s = 0; s < S; ++s) least[s] = splat(F{1});
    for (size_t t = 0; t < T; ++t) {
        for (size_t s = 0; s < S; ++s)
            z[s].plus(
                static_cast<double>(potentials(e + s * LP, chain[s].node + t * L, chain[s].node_end, L, nv)));
        if (t == 0) {
            set_rows<F, NV, S>(now, LP, F{1});
        } else {
            product<F, SumTimes, NV, S>(now, before, LP, edges.M, LP, L);
        }
        F total[S];
        weigh_and_normalise<F, NV, S>(now, e, LP, total);
        for (size_t s = 0; s < S; ++s) {
            z[s].times(static_cast<double>(total[s]));
            if (!(total[s] > F{0})) least[s] = Vec<F>{};
            for (size_t v = 0; v < nv; ++v) {
                const Vec<F> x = load(now + s * LP + v * W<F>);
                // An exact zero means "forbidden" and is fine: the value before it was not small enough to vanish.
                const Vec<F> weight = load(e + s * LP + v * W<F>);
                least[s] = smaller<F>(x > F{0} ? x : splat(F{1}), least[s]);
                least[s] = smaller<F>(weight > F{0} ? weight : splat(F{1}), least[s]);
            }
        }
        F* const swap = now;
        now = before;
        before = swap;
    }
    for (size_t s = 0; s < S; ++s) {
        chain[s].certified = min_lanes<F>(least[s]) >= Limits<F>::least;
        z[s].plus(edges.shift, T - 1);
        chain[s].log_z = z[s].log();
    }
}

}  // namespace seqlab::SEQLAB_ISA
