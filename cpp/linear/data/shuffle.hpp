// Random orders, independent of the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/numerics/random.hpp"

namespace seqlab {

// Fisher-Yates shuffle.
inline void shuffle(std::span<std::size_t> items, const Uniform& chance) {
    for (std::size_t i = items.size(); i-- > 1;)
        std::swap(items[i], items[static_cast<std::size_t>(chance(i) * static_cast<double>(i + 1))]);
}

// The order depends on seed and stream alone.
inline std::vector<std::size_t> shuffled(std::vector<std::size_t> items, std::uint64_t seed,
                                         std::uint64_t stream) {
    shuffle(items, Uniform(seed, stream, 0));
    return items;
}

// The random stream of samples for a learning rate; epochs use the streams from 0 on.
inline constexpr std::uint64_t sample_stream = ~std::uint64_t{0};

// Number of times an epoch adds its weights to the average.
inline constexpr std::size_t snapshots_an_epoch = 8;

}  // namespace seqlab
