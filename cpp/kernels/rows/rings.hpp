// The two semirings of the dense kernels: with (max, +) instead of (+, ×), log Z becomes the Viterbi score.
#pragma once

#include "base/numerics/lanes.hpp"

namespace seqlab::SEQLAB_ISA {

// Compute x + m as x · one + m: additions and maxima compete for the same execution units, multiply-adds have their
// own, and the sum has the same bits. The compiler must not know that `one` is 1. (Viterbi: 1.3 to 1.9 times faster.)
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
