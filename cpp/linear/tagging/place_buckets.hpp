// Keys of 64 bits to places of weights, four to a cache line.
//
// Whether a pair of words was met, and in which of four slots it stands, is a coin toss to the processor: all four are
// compared without a branch, and the one branch left, to the next line, is hardly ever taken.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "encode/column.hpp"
#include "encode/pair_table.hpp"
#include "linear/data/attribute_weights.hpp"
#include "linear/tagging/piece_sums.hpp"

namespace seqlab {

// A mask, where `?:` would become a branch.
inline std::uint64_t all_ones_if(bool yes) {
    return 0 - static_cast<std::uint64_t>(yes);
}

struct alignas(64) PlaceBucket {
    static constexpr std::size_t slots = 4;
    static constexpr std::uint64_t empty = ~std::uint64_t{0};

    std::uint64_t key[slots] = {empty, empty, empty, empty};
    std::uint64_t place[slots] = {};  // 0 is no weight
};

// Two numbers from 0 up; -1 in either makes a key that is nowhere.
inline std::uint64_t place_key(std::int32_t first, std::int32_t second) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 |
           static_cast<std::uint32_t>(second);
}

// Buckets begin .. begin + size of a table.
struct PlaceRegion {
    std::uint32_t begin = 0, size = 1;

    // Half of the slots stay free: what was never met is asked for as often as what was, and must soon find a gap.
    static std::size_t buckets_for(std::size_t keys) {
        return keys < PlaceBucket::slots ? 1 : (keys * 2 + PlaceBucket::slots - 1) / PlaceBucket::slots;
    }

    // The bucket where a key should be.
    std::uint32_t first(std::uint64_t key) const {
        return static_cast<std::uint32_t>((key * hash_a >> 32) * size >> 32);
    }
    std::uint32_t next(std::uint32_t i) const { return i + 1 == size ? 0 : i + 1; }
    // Begins with the bucket `i`.
    AttributeWeights::Place find(const PlaceBucket* table, std::uint32_t i, std::uint64_t key) const {
        for (;; i = next(i)) {
            const PlaceBucket& bucket = table[begin + i];
            std::uint64_t found = 0;
            for (std::size_t k = 0; k < PlaceBucket::slots; ++k)
                found |= all_ones_if(bucket.key[k] == key) & bucket.place[k];
            if (found != 0 || bucket.key[PlaceBucket::slots - 1] == PlaceBucket::empty)
                return std::bit_cast<AttributeWeights::Place>(found);
        }
    }
    // A key that is not there yet.
    void put(PlaceBucket* table, std::uint64_t key, AttributeWeights::Place place) const {
        for (std::uint32_t i = first(key);; i = next(i))
            for (std::size_t k = 0; k < PlaceBucket::slots; ++k)
                if (table[begin + i].key[k] == PlaceBucket::empty) {
                    table[begin + i].key[k] = key;
                    table[begin + i].place[k] = std::bit_cast<std::uint64_t>(place);
                    return;
                }
    }
};

// Keys on their way to their places, n at a time: asked for first, answered when they have come near.
struct PlaceSearch {
    std::array<std::uint64_t, piece_tokens> key;
    std::array<PlaceRegion, piece_tokens> region;
    std::array<std::uint32_t, piece_tokens> bucket;

    void ask(const PlaceBucket* table, std::size_t i, std::uint64_t wanted, PlaceRegion where) {
        key[i] = wanted;
        region[i] = where;
        bucket[i] = where.first(wanted);
        __builtin_prefetch(table + where.begin + bucket[i]);
    }
    void answer(const PlaceBucket* table, std::size_t n, Places& places) const {
        for (std::size_t i = 0; i < n; ++i) places[i] = region[i].find(table, bucket[i], key[i]);
    }
};

}  // namespace seqlab
