// Numbers of short texts that were looked up before.
//
// Where a text ends, and which texts are known, is unpredictable to the processor. Here a text is five words whatever
// its size, compared without a branch, in one cache line; a pool of strings waits for memory three times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text/hash.hpp"
#include "base/text/string_pool.hpp"

namespace seqlab {

class TextCache {
public:
    static constexpr std::size_t longest = 40;

    // A text of at most `longest` bytes, and the number of a name that belongs to it. Memory must be readable from
    // `longest` bytes before the end of the text on; what stands before the text does not matter.
    struct Key {
        const char* end = nullptr;
        std::uint32_t size = 0, name = 0;

        Key() = default;
        Key(std::string_view text, std::uint32_t its_name)
            : end(text.data() + text.size()), size(static_cast<std::uint32_t>(text.size())), name(its_name) {}
        std::string_view text() const { return {end - size, size}; }
        // Word i of those that end where the text ends; bytes before it are zeros.
        std::uint64_t word(std::size_t i) const {
            return load<std::uint64_t>(end - longest + 8 * i) &
                   load<std::uint64_t>(masks().data() + size + 8 * i);
        }
        std::uint64_t both() const { return static_cast<std::uint64_t>(name) << 32 | size; }
    };

    // Return the place that the number of a text has, if it has one.
    std::size_t place(const Key& key) const {
        const std::uint64_t hash = fold(key.word(4) ^ hash_a, key.word(3) ^ hash_b ^ key.both() * hash_a) +
                                   fold(key.word(2) ^ hash_b, key.word(1) ^ hash_a ^ key.word(0) * hash_b);
        return hash >> 20 & (slots_.size() - 1);
    }
    void prefetch(std::size_t place) const { __builtin_prefetch(slots_.data() + place); }
    bool has(std::size_t place, const Key& key) const {
        const Slot& slot = slots_[place];
        std::uint64_t differ = slot.both ^ key.both();
        for (std::size_t i = 0; i < words; ++i) differ |= slot.word[i] ^ key.word(i);
        return differ == 0;
    }
    StringId id(std::size_t place) const { return slots_[place].id; }

    // Remember a number, in the place of another.
    void put(const Key& key, StringId id) {
        if (++news_ > slots_.size() && slots_.size() < most) grow();
        Slot& slot = slots_[place(key)];
        for (std::size_t i = 0; i < words; ++i) slot.word[i] = key.word(i);
        slot.both = key.both();
        slot.id = id;
    }
    void clear() { slots_.assign(slots_.size(), {}); }

private:
    static constexpr std::size_t words = longest / sizeof(std::uint64_t);
    static constexpr std::size_t least = 256, most = 8192;  // half a megabyte
    struct alignas(64) Slot {
        std::array<std::uint64_t, words> word{};
        std::uint64_t both = ~std::uint64_t{0};  // of no text
        StringId id = StringPool::absent;
    };

    // `longest` bytes 0, and as many of all ones.
    static const std::array<char, 2 * longest>& masks() {
        static constexpr auto made = [] {
            std::array<char, 2 * longest> bytes{};
            for (std::size_t i = longest; i < bytes.size(); ++i) bytes[i] = static_cast<char>(-1);
            return bytes;
        }();
        return made;
    }
    // Programs that ask for a few short sequences need, and pay for, little memory.
    void grow() {
        slots_.assign(4 * slots_.size(), {});
        news_ = 0;
    }

    std::vector<Slot> slots_ = std::vector<Slot>(least);
    std::size_t news_ = 0;
};

}  // namespace seqlab
