// Sums over long vectors in a fixed order, two numbers to a register and four registers to a sum.
#pragma once

#include <array>
#include <cstddef>

#include "optimise/slices.hpp"

namespace seqlab::optimise {

typedef double Two __attribute__((vector_size(16)));

template <class T>
inline T load(const double* p) {
    typedef T Loose __attribute__((aligned(8), may_alias));
    return *reinterpret_cast<const Loose*>(p);
}

template <class T>
inline void store(double* p, T x) {
    typedef T Loose __attribute__((aligned(8), may_alias));
    *reinterpret_cast<Loose*>(p) = x;
}

template <class T>
inline T absolute(T x) {
    return x < 0.0 ? -x : x;
}

// Compute K sums over from <= i < to. body(t, i, add) is called for Two and for double, distinguished by the type of t,
// and calls add(k, term) for the k-th sum.
template <std::size_t K, class Body>
inline std::array<double, K> sums(std::size_t from, std::size_t to, Body body) {
    constexpr std::size_t N = 4;
    Two part[K == 0 ? 1 : K][N] = {};
    double rest[K == 0 ? 1 : K] = {};
    std::size_t i = from;
    for (; i + 2 * N <= to; i += 2 * N)
        for (std::size_t u = 0; u < N; ++u)
            body(Two{}, i + 2 * u,
                 [&](std::size_t k, Two term) __attribute__((always_inline)) { part[k][u] += term; });
    for (; i < to; ++i)
        body(0.0, i, [&](std::size_t k, double term) __attribute__((always_inline)) { rest[k] += term; });
    std::array<double, K> total{};
    for (std::size_t k = 0; k < K; ++k) {
        const Two pair = (part[k][0] + part[k][1]) + (part[k][2] + part[k][3]);
        total[k] = (pair[0] + pair[1]) + rest[k];
    }
    return total;
}

// Compute K sums over 0 <= i < n, slice by slice.
template <std::size_t K, class Body>
inline std::array<double, K> sliced_sums(std::size_t n, std::size_t threads, Body body) {
    return sum_slices<K>(n, threads,
                         [=](std::size_t from, std::size_t to) { return sums<K>(from, to, body); });
}

inline double dot(const double* a, const double* b, std::size_t n, std::size_t threads = 1) {
    return sliced_sums<1>(n, threads, [=](auto t, std::size_t i, auto add) {
        using T = decltype(t);
        add(0, load<T>(a + i) * load<T>(b + i));
    })[0];
}

}  // namespace seqlab::optimise
