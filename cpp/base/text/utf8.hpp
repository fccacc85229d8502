// UTF-8: validation, and iteration over code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace seqlab {

// Index of the first byte that is not well-formed UTF-8 (overlong forms and surrogates included), or text.size().
std::size_t first_bad_utf8(std::string_view text);

// Decode the code point at `at` and advance `at` past it. The text must be valid.
inline char32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
    };
    const char32_t first = byte(0);
    if (first < 0x80) {
        at += 1;
        return first;
    }
    if (first < 0xE0) {
        const char32_t c = (first & 0x1F) << 6 | (byte(1) & 0x3F);
        at += 2;
        return c;
    }
    if (first < 0xF0) {
        const char32_t c = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        at += 3;
        return c;
    }
    const char32_t c =
        (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    at += 4;
    return c;
}

void append_code_point(std::string& text, char32_t c);

}  // namespace seqlab
