// Hash short strings and 64-bit keys: multiply to 128 bits, then combine the two halves. The values are written into
// model files, so they must never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace seqlab {

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline constexpr std::uint64_t hash_a = 0x9E3779B97F4A7C15u;
inline constexpr std::uint64_t hash_b = 0xC2B2AE3D27D4EB4Fu;

inline std::uint64_t hash(std::uint64_t key) {
    return fold(key ^ hash_a, hash_b);
}

template <class Word>
std::uint64_t load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Lengths up to 16 take two loads that may overlap; most words of most languages are that short.
inline std::uint64_t hash(std::string_view text) {
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t state = hash_a ^ left;
    while (left > 16) {
        state = fold(load<std::uint64_t>(at) ^ state, load<std::uint64_t>(at + 8) ^ hash_b);
        at += 16;
        left -= 16;
    }
    std::uint64_t head = 0, tail = 0;
    if (left >= 8) {
        head = load<std::uint64_t>(at);
        tail = load<std::uint64_t>(at + left - 8);
    } else if (left >= 4) {
        head = load<std::uint32_t>(at);
        tail = load<std::uint32_t>(at + left - 4);
    } else if (left > 0) {
        head = load<std::uint8_t>(at) << 16 | load<std::uint8_t>(at + left / 2) << 8 |
               load<std::uint8_t>(at + left - 1);
    }
    return fold(fold(head ^ hash_b, tail ^ state), hash_a);
}

}  // namespace seqlab
