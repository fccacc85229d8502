// SIMD vectors, in the width of the instruction set this file is compiled for.
//
// Only files in kernels/ include this one. Each of them is compiled once per instruction set, so everything here lives
// in a namespace named after the set (SEQLAB_ISA): a template that the linker merged across sets would run AVX-512 code
// on a machine without it. For the same reason nothing of std:: is called here.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef SEQLAB_ISA
#error "define SEQLAB_ISA (namespace) and SEQLAB_VECTOR_BYTES before including lanes.hpp"
#endif

#define SEQLAB_INLINE inline __attribute__((always_inline))

namespace seqlab::SEQLAB_ISA {

using std::size_t;

template <class F, size_t BYTES>
struct LaneType;

#define SEQLAB_LANES(F, INT, BYTES)                                                     \
    template <>                                                                         \
    struct LaneType<F, BYTES> {                                                         \
        typedef F vector __attribute__((vector_size(BYTES)));                           \
        typedef F unaligned __attribute__((vector_size(BYTES), aligned(4), may_alias)); \
        typedef INT mask __attribute__((vector_size(BYTES)));                           \
        using integer = INT;                                                            \
    };
SEQLAB_LANES(float, std::int32_t, 16)
SEQLAB_LANES(float, std::int32_t, 32)
SEQLAB_LANES(float, std::int32_t, 64)
SEQLAB_LANES(double, std::int64_t, 16)
SEQLAB_LANES(double, std::int64_t, 32)
SEQLAB_LANES(double, std::int64_t, 64)
#undef SEQLAB_LANES

inline constexpr size_t VECTOR_BYTES = SEQLAB_VECTOR_BYTES;

template <class F>
using Vec = typename LaneType<F, VECTOR_BYTES>::vector;
template <class F>
using Mask = typename LaneType<F, VECTOR_BYTES>::mask;
template <class F>
using Integer = typename LaneType<F, VECTOR_BYTES>::integer;

template <class F>
inline constexpr size_t W = VECTOR_BYTES / sizeof(F);

template <class F>
inline constexpr F MINUS_INFINITY = -static_cast<F>(__builtin_inf());

template <class F>
SEQLAB_INLINE Vec<F> splat(F x) {
    return x - Vec<F>{};
}

// 0, 1, 2, ... as numbers of the same width as F
template <class F>
SEQLAB_INLINE Mask<F> lane_numbers() {
    Mask<F> n{};
    for (size_t i = 0; i < W<F>; ++i) n[i] = static_cast<Integer<F>>(i);
    return n;
}

// Broadcast lane i of x to every lane. With i known to the compiler this is one instruction and stays in registers.
template <class F>
SEQLAB_INLINE Vec<F> spread(Vec<F> x, size_t i) {
#if defined(__clang__)
    return splat<F>(x[i]);
#else
    return __builtin_shuffle(x, Mask<F>{} + static_cast<Integer<F>>(i));
#endif
}

// Permute: lane y of the result is lane y ^ r of x. For a constant r no other permutation is as cheap.
template <class F>
SEQLAB_INLINE Vec<F> crossed(Vec<F> x, size_t r) {
#if defined(__clang__)
    Vec<F> out{};
    for (size_t y = 0; y < W<F>; ++y) out[y] = x[y ^ r];
    return out;
#else
    return __builtin_shuffle(x, lane_numbers<F>() ^ static_cast<Integer<F>>(r));
#endif
}

// Permute two vectors: lane i of the result is lane pick[i] of x followed by y.
template <class F>
SEQLAB_INLINE Vec<F> picked(Vec<F> x, Vec<F> y, Mask<F> pick) {
#if defined(__clang__)
    Vec<F> out{};
    for (size_t i = 0; i < W<F>; ++i) {
        const size_t from = static_cast<size_t>(pick[i]);
        out[i] = from < W<F> ? x[from] : y[from - W<F>];
    }
    return out;
#else
    return __builtin_shuffle(x, y, pick);
#endif
}

// Transpose a square of W vectors of float64. The first round pairs neighbouring lanes; the others move pairs, which
// takes one instruction each.
SEQLAB_INLINE void transpose(Vec<double> (&x)[W<double>]) {
    constexpr size_t N = W<double>;
    typedef Mask<double> Pick;
    Pick low{}, high{}, even{}, odd{};
    for (size_t i = 0; i < N; ++i) {
        const auto w = static_cast<std::int64_t>(i);
        const std::int64_t other = (w % 2) * std::int64_t{N};
        low[i] = w / 2 * 2 + other;
        high[i] = w / 2 * 2 + 1 + other;
        even[i] = w / 2 * 4 + w % 2;
        odd[i] = w / 2 * 4 + 2 + w % 2;
    }
    Vec<double> y[N];
#pragma GCC unroll 8
    for (size_t i = 0; i < N; i += 2) {
        y[i] = picked<double>(x[i], x[i + 1], low);
        y[i + 1] = picked<double>(x[i], x[i + 1], high);
    }
    // y[2p + s] holds the columns of parity s of the rows 2p, 2p + 1. Every round halves the columns of a vector.
#pragma GCC unroll 2
    for (size_t gap = 2; gap < N; gap *= 2) {
#pragma GCC unroll 8
        for (size_t i = 0; i < N; ++i)
            x[i] = i & gap ? picked<double>(y[i - gap], y[i], odd) : picked<double>(y[i], y[i + gap], even);
#pragma GCC unroll 8
        for (size_t i = 0; i < N; ++i) y[i] = x[i];
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < N; ++i) x[i] = y[i];
}

template <class F>
SEQLAB_INLINE Vec<F> load(const F* p) {
    typedef typename LaneType<F, VECTOR_BYTES>::unaligned U;
    return *reinterpret_cast<const U*>(p);
}

template <class F>
SEQLAB_INLINE void store(F* p, Vec<F> v) {
    typedef typename LaneType<F, VECTOR_BYTES>::unaligned U;
    *reinterpret_cast<U*>(p) = v;
}

// Load the first `count` lanes (0 < count <= W) from p and set the others to `fill`; nothing beyond them is read.
template <class F>
SEQLAB_INLINE Vec<F> load_part(const F* p, size_t count, F fill) {
    if (count == W<F>) return load(p);
    Vec<F> v = splat(fill);
    for (size_t i = 0; i < W<F> && i < count; ++i)
        v[i] = p[i];  // with both bounds GCC sees that no access is out of range
    return v;
}

template <class F>
SEQLAB_INLINE void store_part(F* p, Vec<F> v, size_t count) {
    if (count == W<F>) return store(p, v);
    for (size_t i = 0; i < count; ++i) p[i] = v[i];
}

template <class F>
SEQLAB_INLINE Vec<F> larger(Vec<F> a, Vec<F> b) {
    return a > b ? a : b;
}

template <class F>
SEQLAB_INLINE Vec<F> smaller(Vec<F> a, Vec<F> b) {
    return a < b ? a : b;
}

namespace halves {
struct Add {
    template <class V>
    SEQLAB_INLINE static V join(V a, V b) {
        return a + b;
    }
};
struct Max {
    template <class V>
    SEQLAB_INLINE static V join(V a, V b) {
        return a > b ? a : b;
    }
};
struct Min {
    template <class V>
    SEQLAB_INLINE static V join(V a, V b) {
        return a < b ? a : b;
    }
};

// Fold a vector in halves down to 16 bytes, then lane by lane.
template <class Op, class E, size_t BYTES, class V>
SEQLAB_INLINE E fold(V v) {
    if constexpr (BYTES > 16) {
        typedef E half __attribute__((vector_size(BYTES / 2)));
        half part[2];
        __builtin_memcpy(part, &v, BYTES);
        return fold<Op, E, BYTES / 2>(Op::join(part[0], part[1]));
    } else if constexpr (sizeof(E) == 4) {
        const E a = Op::join(v[0], v[2]), b = Op::join(v[1], v[3]);
        return Op::join(a, b);
    } else {
        return Op::join(v[0], v[1]);
    }
}
}  // namespace halves

template <class F>
SEQLAB_INLINE F sum_lanes(Vec<F> v) {
    return halves::fold<halves::Add, F, VECTOR_BYTES>(v);
}
template <class F>
SEQLAB_INLINE F max_lanes(Vec<F> v) {
    return halves::fold<halves::Max, F, VECTOR_BYTES>(v);
}
template <class F>
SEQLAB_INLINE F min_lanes(Vec<F> v) {
    return halves::fold<halves::Min, F, VECTOR_BYTES>(v);
}
template <class F>
SEQLAB_INLINE Integer<F> min_index(Mask<F> v) {
    return halves::fold<halves::Min, Integer<F>, VECTOR_BYTES>(v);
}

}  // namespace seqlab::SEQLAB_ISA
