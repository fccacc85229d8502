// What Unicode says of a code point, as Python's str methods see it. Facts by tools/unicode_tables.py.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace seqlab {

struct Kind {
    std::uint8_t category;  // number in category_names
    std::uint16_t flags;
    std::int32_t to_lower;  // distance; 0 as well when the change of case makes several code points
    std::int32_t to_upper;
};

const Kind& kind_of(char32_t c);

bool is_upper(const Kind& kind);
bool is_lower(const Kind& kind);
bool is_title(const Kind& kind);
bool is_digit(const Kind& kind);
bool is_alpha(const Kind& kind);
bool is_alnum(const Kind& kind);
bool is_mark(const Kind& kind);
bool is_dash(const Kind& kind);
// Punctuation and symbols: categories P and S.
bool is_punctuation(const Kind& kind);
// Two letters, such as "Lu".
std::string_view category_name(const Kind& kind);

// Whole strings in lower and upper case, with what needs a neighbour (the final sigma) or grows (ß).
void append_lower(std::string_view text, std::string& out);
void append_upper(std::string_view text, std::string& out);

// Unicode's version of the tables.
const char* unicode_tables_version();

}  // namespace seqlab
