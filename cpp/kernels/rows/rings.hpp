// The two algebras of the dense kernels: swap (+, ×) for (max, +) and log Z becomes the Viterbi score.
#pragma once

#include "base/numerics/lanes.hpp"

namespace seqlab::SEQLAB_ISA {

// x + m as x · 1 + m: additions and maxima compete for the same units, multiply-adds have units of their own, and the
// sum is the same to the last bit. The compiler must not know that it is a one. (Viterbi: 1.3 to 1.9 times.)
template <class F>
SEQLAB_INLINE Vec<F> plus(Vec<F> x, Vec<F> m) {
#if defined(__FMA__)
    Vec<F> one = splat(F{1});
    asm("" : "+v"(one));
    return x * one + m;
#else
    return x + m;
#endif
}

struct MaxPlus {
    template <class F>
    SEQLAB_INLINE static Vec<F> zero() {
        return splat(MINUS_INFINITY<F>);
    }
    template <class F>
    SEQLAB_INLINE static Vec<F> join(Vec<F> total, Vec<F> x, Vec<F> m) {
        return larger<F>(total, plus<F>(x, m));
    }
    template <class F>
    SEQLAB_INLINE static Vec<F> merge(Vec<F> a, Vec<F> b) {
        return larger<F>(a, b);
    }
};

struct SumTimes {
    template <class F>
    SEQLAB_INLINE static Vec<F> zero() {
        return Vec<F>{};
    }
    template <class F>
    SEQLAB_INLINE static Vec<F> join(Vec<F> total, Vec<F> x, Vec<F> m) {
        return total + x * m;
    }
    template <class F>
    SEQLAB_INLINE static Vec<F> merge(Vec<F> a, Vec<F> b) {
        return a + b;
    }
};

}  // namespace seqlab::SEQLAB_ISA
