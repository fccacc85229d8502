// A cache for short texts: the numbers of strings, or the locations of weights, that were found before.
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

namespace seqlab {

// A text of at most `longest` bytes, and the number of a name that belongs to it.
struct ShortKey {
    static constexpr std::size_t longest = 40, words = longest / sizeof(std::uint64_t);

    std::array<std::uint64_t, words> word;  // that end where the text ends; bytes before it are zeros
    std::uint32_t size, name;

    // Memory must be readable from `longest` bytes before the end of the text on; what stands before the text does not
    // matter.
    void set(std::string_view text, std::uint32_t its_name) {
        const char* const from = text.data() + text.size() - longest;
        const char* const mask = masks().data() + text.size();
        for (std::size_t i = 0; i < words; ++i)
            word[i] = load<std::uint64_t>(from + 8 * i) & load<std::uint64_t>(mask + 8 * i);
        size = static_cast<std::uint32_t>(text.size());
        name = its_name;
    }
    std::uint64_t size_and_name() const { return static_cast<std::uint64_t>(name) << 32 | size; }
    std::uint64_t hash() const {
        return fold(word[4] ^ hash_a, word[3] ^ hash_b ^ size_and_name() * hash_a) +
               fold(word[2] ^ hash_b, word[1] ^ hash_a ^ word[0] * hash_b);
    }
    bool same(const ShortKey& other) const {
        std::uint64_t differ = size_and_name() ^ other.size_and_name();
        for (std::size_t i = 0; i < words; ++i) differ |= word[i] ^ other.word[i];
        return differ == 0;
    }

private:
    // `longest` bytes 0, and as many of all ones.
    static const std::array<char, 2 * longest>& masks() {
        static constexpr auto made = [] {
            std::array<char, 2 * longest> bytes{};
            for (std::size_t i = longest; i < bytes.size(); ++i) bytes[i] = static_cast<char>(-1);
            return bytes;
        }();
        return made;
    }
};

template <class Found>
class TextCache {
public:
    // Return the slot of a text, if it has one.
    std::size_t slot(const ShortKey& key) const { return key.hash() >> 20 & (slots_.size() - 1); }
    void prefetch(std::size_t slot) const { __builtin_prefetch(slots_.data() + slot); }
    bool has(std::size_t slot, const ShortKey& key) const { return slots_[slot].key.same(key); }
    Found found(std::size_t slot) const { return slots_[slot].found; }

    // Remember what was found, in the place of something else.
    void put(const ShortKey& key, Found found) {
        if (++news_ > slots_.size() && slots_.size() < most) grow();
        slots_[slot(key)] = {key, found};
    }
    void clear() { slots_.assign(slots_.size(), {}); }

private:
    static constexpr std::size_t least = 256, most = 65536;  // four megabytes
    struct alignas(64) Slot {
        ShortKey key{{}, ~std::uint32_t{0}, 0};  // of no text
        Found found{};
    };

    // Programs that ask for a few short sequences need, and pay for, little memory.
    void grow() {
        slots_.assign(4 * slots_.size(), {});
        news_ = 0;
    }

    std::vector<Slot> slots_ = std::vector<Slot>(least);
    std::size_t news_ = 0;
};

}  // namespace seqlab
