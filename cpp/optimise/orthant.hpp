// Pseudo-gradient and projected steps for an L1 penalty (eq:owlqn).
#pragma once

#include <algorithm>
#include <cstddef>

#include "optimise/lanes.hpp"
#include "optimise/optimise.hpp"

namespace seqlab::optimise {

// Call body(from, to, c) for each range of coordinates, where c(t, i) is the penalty of coordinate i.
template <class Body>
inline void penalty_ranges(const L1& l1, std::size_t from, std::size_t to, Body body) {
    if (l1.each) {
        body(from, to, [each = l1.each](auto t, std::size_t i) { return load<decltype(t)>(each + i); });
        return;
    }
    const auto constant = [](double c) { return [c](auto t, std::size_t) { return t * 0.0 + c; }; };
    const std::size_t begin = std::clamp(l1.begin, from, to), end = std::clamp(l1.end, begin, to);
    body(from, begin, constant(0.0));
    body(begin, end, constant(l1.all));
    body(end, to, constant(0.0));
}

// Compute K sums over 0 <= i < n; body(t, i, c, add) is called as by sums(), with the penalty c of coordinate i.
template <std::size_t K, class Body>
inline std::array<double, K> penalised_sums(const L1& l1, std::size_t n, std::size_t threads, Body body) {
    return sum_slices<K>(n, threads, [&](std::size_t from, std::size_t to) {
        std::array<double, K> total{};
        penalty_ranges(l1, from, to, [&](std::size_t first, std::size_t last, auto c_of) {
            const auto part =
                sums<K>(first, last, [=](auto t, std::size_t i, auto add) { body(t, i, c_of(t, i), add); });
            for (std::size_t k = 0; k < K; ++k) total[k] += part[k];
        });
        return total;
    });
}

// Compute the pseudo-gradient of f + Σ c_i |x_i|. Returns |pseudo|².
double pseudo_gradient(const L1& l1, const double* x, const double* g, std::size_t n, double* pseudo,
                       std::size_t threads);

// Set penalised coordinates of d to 0 where their sign is not that of the negative pseudo-gradient.
void align(const L1& l1, const double* pseudo, double* d, std::size_t from, std::size_t to);

struct Stepped {
    double change;   // pseudo·(to - x)
    double penalty;  // Σ c_i |to_i|
    double squares;  // |to|²
    double active;   // number of to_i that are not 0
};

// Compute to = x + t d, where a penalised coordinate that would cross 0 becomes 0.
Stepped step_in_orthant(const L1& l1, const double* x, const double* pseudo, const double* d, double t,
                        std::size_t n, double* to, std::size_t threads);

double penalty(const L1& l1, const double* x, std::size_t n, std::size_t threads);

}  // namespace seqlab::optimise
