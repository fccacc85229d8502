// Orders drawn by chance, the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "numerics/random.hpp"

namespace seqlab {

// Fisher and Yates; the order depends on seed and stream alone.
inline std::vector<std::size_t> shuffled(std::vector<std::size_t> order, std::uint64_t seed,
                                         std::uint64_t stream) {
    const Uniform chance(seed, stream, 0);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(chance(i) * static_cast<double>(i))]);
    return order;
}

}  // namespace seqlab
