// Hash table from 64-bit keys to places of weights, four to a cache line.
//
// The presence of a pair of words, and its slot among four, are unpredictable to the processor: all four are compared
// without a branch, and the one branch left, to the next line, is seldom taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "encode/column.hpp"
#include "encode/pair_table.hpp"
#include "linear/tagging/piece_sums.hpp"
#include "linear/tagging/placed_weights.hpp"

namespace seqlab {

// A bucket as stored in a file: eight numbers.
struct PlaceBucket {
    static constexpr std::size_t slots = 4;
    static constexpr std::uint64_t empty = ~std::uint64_t{0};

    std::uint64_t key[slots] = {empty, empty, empty, empty};
    std::uint64_t place[slots] = {};  // 0 is no weight
};
using Buckets = std::span<const PlaceBucket>;  // at least one

// Combine two non-negative numbers; -1 in either gives a key that is in no table.
inline std::uint64_t place_key(std::int32_t first, std::int32_t second) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 |
           static_cast<std::uint32_t>(second);
}

// Buckets begin .. begin + size of a table. The first bucket of a table is the region of values without keys.
struct PlaceRegion {
    std::uint32_t begin = 0, size = 1;

    std::uint64_t bits() const { return static_cast<std::uint64_t>(size) << 32 | begin; }
    // Decode a region from any number: a region that is not inside the table becomes an empty one.
    static PlaceRegion of(std::uint64_t bits, std::size_t buckets) {
        const PlaceRegion region{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
        const bool sound = region.size > 0 && region.begin + std::uint64_t{region.size} <= buckets;
        return sound ? region : PlaceRegion{};
    }

    // About half of the slots stay free: unseen keys are looked up as often as seen ones, and must soon reach a free
    // slot. With seven of ten slots taken a file would be a tenth smaller, and tagging a tenth slower.
    static std::size_t buckets_for(std::size_t keys) {
        return keys <= PlaceBucket::slots ? 1 : (keys * 2 + 1) / PlaceBucket::slots;
    }

    // The first bucket to search for a key.
    std::uint32_t first(std::uint64_t key) const {
        return static_cast<std::uint32_t>((key * hash_a >> 32) * size >> 32);
    }
    std::uint32_t next(std::uint32_t i) const { return i + 1 == size ? 0 : i + 1; }
    // The place of a key as bits, 0 when it is absent; starts with bucket `i`.
    std::uint64_t find(Buckets table, std::uint32_t i, std::uint64_t key) const {
        for (std::uint32_t tries = 0; tries < size; ++tries, i = next(i)) {
            const PlaceBucket& bucket = table[begin + i];
            std::uint64_t found = 0;
            for (std::size_t k = 0; k < PlaceBucket::slots; ++k)
                found |= all_ones_if(bucket.key[k] == key) & bucket.place[k];
            if (found != 0 || bucket.key[PlaceBucket::slots - 1] == PlaceBucket::empty) return found;
        }
        return 0;
    }
    std::uint64_t find(Buckets table, std::uint64_t key) const { return find(table, first(key), key); }
    // Insert a key that is absent; there must be a free slot.
    void put(std::span<PlaceBucket> table, std::uint64_t key, std::uint64_t place) const {
        for (std::uint32_t i = first(key);; i = next(i))
            for (std::size_t k = 0; k < PlaceBucket::slots; ++k)
                if (table[begin + i].key[k] == PlaceBucket::empty) {
                    table[begin + i].key[k] = key;
                    table[begin + i].place[k] = place;
                    return;
                }
    }
};

// Look-ups of n keys at a time: prefetched first, completed later.
struct PlaceSearch {
    std::array<std::uint64_t, piece_tokens> key;
    std::array<PlaceRegion, piece_tokens> region;
    std::array<std::uint32_t, piece_tokens> bucket;

    void ask(Buckets table, std::size_t i, std::uint64_t wanted, PlaceRegion where) {
        key[i] = wanted;
        region[i] = where;
        bucket[i] = where.first(wanted);
        __builtin_prefetch(table.data() + where.begin + bucket[i]);
    }
    void answer(Buckets table, std::size_t n, Places& places) const {
        for (std::size_t i = 0; i < n; ++i) places[i] = Place::of(region[i].find(table, bucket[i], key[i]));
    }
};

}  // namespace seqlab
