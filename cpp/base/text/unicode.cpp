#include "base/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text/utf8.hpp"

namespace seqlab {

namespace {

struct SpecialCase {
    char32_t code;
    const char* changed;
};

#include "base/text/unicode_tables.inc"

const Kind& kind_by_search(char32_t c) {
    const auto* run = std::upper_bound(std::begin(run_begin), std::end(run_begin), c) - 1;
    return kinds[run_kind[run - run_begin]];
}

// Table for the first 256 code points: most text is ASCII, or nearly.
const std::array<Kind, 256>& first_kinds() {
    static const std::array<Kind, 256> table = [] {
        std::array<Kind, 256> filled{};
        for (char32_t c = 0; c < filled.size(); ++c) filled[c] = kind_by_search(c);
        return filled;
    }();
    return table;
}

bool has(const Kind& kind, std::uint16_t flag) {
    return (kind.flags & flag) != 0;
}

template <std::size_t n>
const char* special(const SpecialCase (&cases)[n], char32_t c) {
    const auto* found =
        std::lower_bound(std::begin(cases), std::end(cases), c,
                         [](const SpecialCase& one, char32_t code) { return one.code < code; });
    return found != std::end(cases) && found->code == c ? found->changed : nullptr;
}

template <std::size_t n>
void append_changed(std::string& out, char32_t c, std::int32_t distance, const SpecialCase (&cases)[n]) {
    if (distance != 0)
        append_code_point(out, static_cast<char32_t>(static_cast<std::int32_t>(c) + distance));
    else if (const char* changed = c < 0x80 ? nullptr : special(cases, c))
        out += changed;
    else
        append_code_point(out, c);
}

constexpr char32_t capital_sigma = 0x3A3, final_sigma = 0x3C2, small_sigma = 0x3C3;

std::size_t previous(std::string_view text, std::size_t at) {
    do --at;
    while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return at;
}

bool letter_before(std::string_view text, std::size_t at) {
    while (at > 0) {
        std::size_t next = at = previous(text, at);
        const Kind& kind = kind_of(next_code_point(text, next));
        if (!has(kind, flag_ignorable)) return has(kind, flag_cased);
    }
    return false;
}

bool letter_after(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const Kind& kind = kind_of(next_code_point(text, at));
        if (!has(kind, flag_ignorable)) return has(kind, flag_cased);
    }
    return false;
}

}  // namespace

const Kind& kind_of(char32_t c) {
    return c < 256 ? first_kinds()[c] : kind_by_search(c);
}

bool is_upper(const Kind& kind) {
    return has(kind, flag_upper);
}
bool is_lower(const Kind& kind) {
    return has(kind, flag_lower);
}
bool is_title(const Kind& kind) {
    return has(kind, flag_title);
}
bool is_digit(const Kind& kind) {
    return has(kind, flag_digit);
}
bool is_alpha(const Kind& kind) {
    return has(kind, flag_alpha);
}
bool is_alnum(const Kind& kind) {
    return has(kind, flag_alpha | flag_digit | flag_decimal | flag_numeric);
}
bool is_decimal(const Kind& kind) {
    return has(kind, flag_decimal);
}
bool is_space(const Kind& kind) {
    return has(kind, flag_space);
}
bool is_ideograph(const Kind& kind) {
    return has(kind, flag_ideograph);
}
bool is_mark(const Kind& kind) {
    return category_name(kind)[0] == 'M';
}
bool is_dash(const Kind& kind) {
    return category_name(kind) == "Pd";
}
bool is_punctuation(const Kind& kind) {
    const char first = category_name(kind)[0];
    return first == 'P' || first == 'S';
}
void each_kind(const std::function<void(char32_t, char32_t, const Kind&)>& visit) {
    constexpr std::size_t runs = std::size(run_begin);
    for (std::size_t i = 0; i < runs; ++i)
        visit(run_begin[i], i + 1 < runs ? run_begin[i + 1] : 0x110000, kinds[run_kind[i]]);
}
std::string_view category_name(const Kind& kind) {
    return category_names[kind.category];
}

void append_lower(std::string_view text, std::string& out) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t here = at;
        const char32_t c = next_code_point(text, at);
        if (c == capital_sigma)
            append_code_point(
                out, letter_before(text, here) && !letter_after(text, at) ? final_sigma : small_sigma);
        else
            append_changed(out, c, kind_of(c).to_lower, special_lower);
    }
}

void append_upper(std::string_view text, std::string& out) {
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_code_point(text, at);
        append_changed(out, c, kind_of(c).to_upper, special_upper);
    }
}

const char* unicode_tables_version() {
    return unicode_version;
}

}  // namespace seqlab
