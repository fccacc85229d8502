// The two algebras of the dense kernels: swap (+, ×) for (max, +) and log Z becomes the Viterbi score.
#pragma once

#include "numerics/lanes.hpp"

namespace seqlab::SEQLAB_ISA {

struct MaxPlus {
    template <class F>
    SEQLAB_INLINE static Vec<F> zero() {
        return splat(MINUS_INFINITY<F>);
    }
    template <class F>
    SEQLAB_INLINE static Vec<F> join(Vec<F> total, Vec<F> x, Vec<F> m) {
        return larger<F>(total, x + m);
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
