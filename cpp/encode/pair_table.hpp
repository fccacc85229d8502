// Hash table from pairs of numbers to numbers: 0, 1, 2, ... in order of first appearance, changed later by renumber().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/text/hash.hpp"

namespace seqlab {

struct Pair {
    std::int32_t first, second;

    bool operator==(const Pair&) const = default;
};

inline std::uint64_t hash(Pair pair) {
    return hash(static_cast<std::uint64_t>(static_cast<std::uint32_t>(pair.first)) << 32 |
                static_cast<std::uint32_t>(pair.second));
}

class PairTable {
public:
    static constexpr std::int32_t absent = -1;

    std::int32_t find(Pair key) const {
        if (slots_.empty()) return absent;
        const Slot& slot = slots_[place(key)];
        return slot.key == key ? slot.value : absent;
    }

    std::int32_t intern(Pair key) {
        make_room(count_ + 1);
        Slot& slot = slots_[place(key)];
        if (slot.key != key) slot = {key, static_cast<std::int32_t>(count_++)};
        return slot.value;
    }

    // Set the number of a key.
    void set(Pair key, std::int32_t value) {
        make_room(count_ + 1);
        Slot& slot = slots_[place(key)];
        count_ += slot.key != key;
        slot = {key, value};
    }

    // Reserve space for this many keys: growing step by step would move each of them about once more.
    void reserve(std::size_t keys) { make_room(keys); }

    // Prefetch the slot of a key, when many keys are looked up one after another.
    void prefetch(Pair key) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[hash(key) & (slots_.size() - 1)]);
    }

    std::size_t size() const { return count_; }

    // Call f(key, value) for every entry, in unspecified order.
    template <class F>
    void each(F f) const {
        for (const Slot& slot : slots_)
            if (slot.key != none) f(slot.key, slot.value);
    }
    template <class Map>
    void renumber(Map map) {
        for (Slot& slot : slots_)
            if (slot.key != none) slot.value = map(slot.value);
    }

private:
    // Marks a free slot: the numbers in a key are not negative.
    static constexpr Pair none{-1, -1};

    struct Slot {
        Pair key = none;
        std::int32_t value = absent;
    };

    // Find the slot of a key, or the free slot for it.
    std::size_t place(Pair key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = hash(key) & mask;
        while (slots_[i].key != key && slots_[i].key != none) i = (i + 1) & mask;
        return i;
    }

    void make_room(std::size_t keys) {
        std::size_t size = slots_.empty() ? 64 : slots_.size();
        while (keys * 3 > size * 2) size *= 2;
        if (size > slots_.size()) grow(size);
    }

    void grow(std::size_t size) {
        std::vector<Slot> old(size);
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.key != none) slots_[place(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace seqlab
