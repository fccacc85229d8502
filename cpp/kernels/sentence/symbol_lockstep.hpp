// Forward-backward of S chains of symbols in lockstep: the E step of a hidden Markov model, from emission rows to
// counts.
//
// Why: a trellis of scores costs an exp for every cell, and one more pass of writing and reading scores and marginals
// (42 ms an iteration at L = 45 on 75,000 words, against 31 here). Potentials are rows of a table, shared by all tokens
// with the symbol; marginals are added to the rows of the symbols as soon as the chain is certified (eq:certificate).
#pragma once

#include "kernels/sentence/lockstep.hpp"

namespace seqlab::SEQLAB_ISA {

template <size_t NV, size_t S>
struct SymbolLockstep {
    using F = double;

    static SEQLAB_INLINE void spread(F* rows, const F* one, size_t LP) {
        for (size_t s = 0; s < S; ++s)
            for (size_t v = 0; v < LP / W<F>; ++v) store(rows + s * LP + v * W<F>, load(one + v * W<F>));
    }

    // eq:scaling, with e_t from the table
    static SEQLAB_INLINE void forward(const SymbolEdges& model, SymbolChain* chain, Lockstep<F, S>& of) {
        const size_t LP = NV ? NV * W<F> : of.LP, nv = LP / W<F>, gap = S * LP;
        LogProduct z[S];
        for (size_t t = 0; t < of.T; ++t) {
            F* const now = of.alpha + t * gap;
            if (t == 0) {
                spread(now, model.start, LP);
            } else {
                product<F, SumTimes, NV, S>(now, now - gap, LP, model.edges.M, LP, of.L);
            }
            F total[S];
            for (size_t s = 0; s < S; ++s) {
                const F* const e = chain[s].potential[t];
                Vec<F> sum{};
                for (size_t v = 0; v < nv; ++v) {
                    const Vec<F> x = load(now + s * LP + v * W<F>) * load(e + v * W<F>);
                    store(now + s * LP + v * W<F>, x);
                    sum += x;
                }
                total[s] = sum_lanes<F>(sum);
            }
            for (size_t s = 0; s < S; ++s) {
                const F factor = F{1} / total[s];
                const Vec<F> c = splat(factor);
                for (size_t v = 0; v < nv; ++v)
                    store(now + s * LP + v * W<F>, load(now + s * LP + v * W<F>) * c);
                of.factor[t * S + s] = factor;
                z[s].times(total[s]);
            }
        }
        for (size_t s = 0; s < S; ++s) {
            z[s].plus(model.edges.shift, of.T - 1);
            z[s].plus(chain[s].shift);
            chain[s].log_z = z[s].log();
        }
    }

    // γ_t and g_t of one position; `largest` is the maximum of c_t β_t
    static SEQLAB_INLINE void meet(const SymbolChain* chain, Lockstep<F, S>& of, size_t t,
                                   Vec<F> (&largest)[S]) {
        const size_t LP = NV ? NV * W<F> : of.LP, nv = LP / W<F>, gap = S * LP;
        for (size_t s = 0; s < S; ++s) {
            const Vec<F> c = splat(of.factor[t * S + s]);
            const F* const potential = chain[s].potential[t];
            for (size_t v = 0; v < nv; ++v) {
                const size_t i = t * gap + s * LP + v * W<F>;
                const Vec<F> b = load(of.beta + s * LP + v * W<F>), e = load(potential + v * W<F>);
                store(of.gamma + i, load(of.alpha + i) * b);
                const Vec<F> bc = b * c;
                largest[s] =
                    larger<F>(bc, largest[s]);  // with this argument order infinity is kept and NaN ignored
                const Vec<F> g = larger<F>(bc * e, splat(Limits<F>::floor));
                store(of.pot + i, smaller<F>(b, e) > F{0} ? g : Vec<F>{});
            }
        }
    }

    static SEQLAB_INLINE void backward(const SymbolEdges& model, SymbolChain* chain, Lockstep<F, S>& of) {
        const size_t LP = NV ? NV * W<F> : of.LP, gap = S * LP;
        Vec<F> largest[S] = {};
        set_rows<F, NV, S>(of.beta, LP, F{1});
        for (size_t t = of.T; t-- > 0;) {
            meet(chain, of, t, largest);
            if (t > 0) product<F, SumTimes, NV, S>(of.beta, of.pot + t * gap, LP, model.edges.MT, LP, of.L);
            lift_floor(of.pot + t * gap, gap);
        }
        for (size_t s = 0; s < S; ++s) {
            chain[s].certified = max_lanes<F>(largest[s]) <= Limits<F>::cap;
            for (size_t t = 0; t < of.T; ++t)  // written so that NaN fails
                if (!(of.factor[t * S + s] <= Limits<F>::cap)) chain[s].certified = false;
        }
    }

    static SEQLAB_INLINE void add(F* to, const F* gamma, size_t nv) {
        for (size_t v = 0; v < nv; ++v) store(to + v * W<F>, load(to + v * W<F>) + load(gamma + v * W<F>));
    }

    static void run(const SymbolEdges& model, size_t T, SymbolChain* chain, F* room, F* E) {
        Lockstep<F, S> of(model.edges, T, room);
        forward(model, chain, of);
        backward(model, chain, of);
        for (size_t s = 0; s < S; ++s) {
            const F* gamma = of.gamma + s * of.LP;
            for (size_t t = 0; t < T; ++t, gamma += of.gap) {
                if (chain[s].certified) {
                    add(chain[s].sums[t], gamma, of.nv);
                } else {  // chains that are not certified must not change the sums
                    __builtin_memset(of.alpha + t * of.gap + s * of.LP, 0, of.LP * sizeof(F));
                    __builtin_memset(of.pot + t * of.gap + s * of.LP, 0, of.LP * sizeof(F));
                }
            }
            if (!chain[s].certified) continue;
            add(model.starts, of.gamma + s * of.LP, of.nv);
            add(model.ends, of.gamma + (T - 1) * of.gap + s * of.LP, of.nv);
        }
        outer_products<F>(E, of.alpha, of.pot + of.gap, of.LP, (T - 1) * S, of.L);
    }
};

template <class F, size_t NV, size_t S>
struct Symbols {
    static void run(const SymbolEdges* model, size_t T, SymbolChain* chain, double* room, double* E) {
        SymbolLockstep<NV, S>::run(*model, T, chain, room, E);
    }
};

}  // namespace seqlab::SEQLAB_ISA
