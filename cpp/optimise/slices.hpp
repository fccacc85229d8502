// Long vectors in slices, processed in parallel. The slices do not depend on the number of threads, so neither does a
// sum over slices.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "base/parallel/parallel.hpp"

namespace seqlab::optimise {

// A slice takes some ten microseconds, about the time to wake a thread.
inline constexpr std::size_t slice_numbers = std::size_t{1} << 15;

inline std::size_t slices(std::size_t n) {
    return (n + slice_numbers - 1) / slice_numbers;
}

// Call work(slice, from, to) for every slice.
template <class Work>
void each_slice(std::size_t n, std::size_t threads, Work work) {
    parallel_for(slices(n), threads, [&](std::size_t slice) {
        work(slice, slice * slice_numbers, std::min(n, (slice + 1) * slice_numbers));
    });
}

// Compute K sums; work(from, to) returns those of a slice.
template <std::size_t K, class Work>
std::array<double, K> sum_slices(std::size_t n, std::size_t threads, Work work) {
    std::vector<std::array<double, K>> parts(slices(n));
    each_slice(n, threads,
               [&](std::size_t slice, std::size_t from, std::size_t to) { parts[slice] = work(from, to); });
    std::array<double, K> total{};
    for (const auto& part : parts)
        for (std::size_t k = 0; k < K; ++k) total[k] += part[k];
    return total;
}

}  // namespace seqlab::optimise
