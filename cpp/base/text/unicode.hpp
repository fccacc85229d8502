// Properties of code points, with the results of Python's str methods. The tables are made by tools/unicode_tables.py.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace seqlab {

struct Kind {
    std::uint8_t category;  // number in category_names
    std::uint16_t flags;
    std::int32_t to_lower;  // difference of code points; 0 also when the conversion gives several code points
    std::int32_t to_upper;
};

const Kind& kind_of(char32_t c);

bool is_upper(const Kind& kind);
bool is_lower(const Kind& kind);
bool is_title(const Kind& kind);
bool is_digit(const Kind& kind);
bool is_alpha(const Kind& kind);
bool is_alnum(const Kind& kind);
bool is_decimal(const Kind& kind);
bool is_space(const Kind& kind);
// True for characters of scripts that are written without blanks: Han, kana.
bool is_ideograph(const Kind& kind);
bool is_mark(const Kind& kind);
bool is_dash(const Kind& kind);
// True for punctuation and symbols: categories P and S.
bool is_punctuation(const Kind& kind);
// Call visit(begin, end, kind) for runs of code points of one kind, from 0 to 0x110000.
void each_kind(const std::function<void(char32_t, char32_t, const Kind&)>& visit);
// The general category in two letters, such as "Lu".
std::string_view category_name(const Kind& kind);

// Append a whole string in lower or upper case, including context-dependent (final sigma) and expanding (ß)
// conversions.
void append_lower(std::string_view text, std::string& out);
void append_upper(std::string_view text, std::string& out);

// The Unicode version of the tables.
const char* unicode_tables_version();

}  // namespace seqlab
