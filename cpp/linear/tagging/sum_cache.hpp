// A cache of row sums, computed on first use and kept while there is memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "base/text/hash.hpp"

namespace seqlab {

// Rows of L numbers by index; `behind` more numbers may be read after the last.
class SumRows {
public:
    SumRows(std::size_t L, std::size_t capacity, std::size_t behind)
        : L_(L), capacity_(capacity), rows_(room_.of(capacity * L + behind)) {}

    bool fits(std::size_t more) const { return size_ + more <= capacity_; }
    void clear() { size_ = 0; }

    float* at(std::int32_t row) { return rows_ + static_cast<std::size_t>(row) * L_; }
    // Add some rows of zeros; returns the index of the first.
    std::int32_t make(std::size_t count = 1) {
        std::fill_n(rows_ + size_ * L_, count * L_, 0.0F);
        return static_cast<std::int32_t>(std::exchange(size_, size_ + count));
    }

private:
    std::size_t L_, capacity_;
    Buffer<float> room_;
    float* rows_;
    std::size_t size_ = 0;
};

// Hash table from keys to row numbers.
class KeyTable {
public:
    static constexpr std::int32_t absent = -1;

    KeyTable() : slots_(64) {}

    // The number of the key, or the result of `make`, which is stored.
    template <class Make>
    std::int32_t find(std::uint64_t key, Make make) {
        std::size_t i = place(key);
        if (slots_[i].row != absent) return slots_[i].row;
        if ((count_ + 1) * 2 > slots_.size()) {
            grow();
            i = place(key);
        }
        ++count_;
        slots_[i] = {key, make()};
        return slots_[i].row;
    }
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[hash(key) & (slots_.size() - 1)]); }
    void clear() {
        std::fill(slots_.begin(), slots_.end(), Slot{});
        count_ = 0;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t row = absent;
    };

    std::size_t place(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = hash(key) & mask;
        while (slots_[i].row != absent && slots_[i].key != key) i = (i + 1) & mask;
        return i;
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.row != absent) slots_[place(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace seqlab
