// Copy and compare texts of a few bytes: calls of memcpy and memcmp would take longer than the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/text/hash.hpp"

namespace seqlab {

// Copy a text; returns where it ends.
inline char* put(char* to, std::string_view text) {
    const char* const from = text.data();
    const std::size_t size = text.size();
    const auto copy = [&]<class Word>(Word) {
        for (std::size_t at = 0; at + sizeof(Word) < size; at += sizeof(Word))
            std::memcpy(to + at, from + at, sizeof(Word));
        std::memcpy(to + size - sizeof(Word), from + size - sizeof(Word), sizeof(Word));  // may overlap
    };
    if (size > 64)
        std::memcpy(to, from, size);
    else if (size >= 8)
        copy(std::uint64_t{});
    else if (size >= 4)
        copy(std::uint32_t{});
    else
        for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
    return to + size;
}

// Compare `size` bytes, at least the size of a Word. The last two loads may overlap.
template <class Word>
bool same_words(const char* a, const char* b, std::size_t size) {
    const std::size_t last = size - sizeof(Word);
    for (std::size_t at = 0; at < last; at += sizeof(Word))
        if (load<Word>(a + at) != load<Word>(b + at)) return false;
    return load<Word>(a + last) == load<Word>(b + last);
}

inline bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    if (a.size() >= 8) return same_words<std::uint64_t>(a.data(), b.data(), a.size());
    if (a.size() >= 4) return same_words<std::uint32_t>(a.data(), b.data(), a.size());
    return a.empty() || same_words<std::uint8_t>(a.data(), b.data(), a.size());
}

}  // namespace seqlab
