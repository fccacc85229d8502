#include "text/characters.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/text/unicode.hpp"

namespace seqlab::text {

namespace {

Class by_category(const Kind& kind) {
    const std::string_view name = category_name(kind);
    if (is_space(kind)) return Class::blank;
    if (is_ideograph(kind)) return Class::ideograph;
    switch (name[0]) {
        case 'L':
            if (name == "Lu" || name == "Lt") return Class::upper;
            return name == "Ll" ? Class::lower : Class::letter;
        case 'M':
            return Class::mark;
        case 'N':
            return name == "Nd" ? Class::digit : Class::numeral;
        case 'P':
            if (name == "Pc") return Class::connector;
            if (name == "Pd") return Class::dash;
            if (name == "Ps" || name == "Pi") return Class::opening;
            if (name == "Pe" || name == "Pf") return Class::closing;
            return Class::punctuation;
        case 'S':
            if (name == "Sc") return Class::currency;
            if (name == "Sm") return Class::math;
            return name == "So" ? Class::symbol : Class::punctuation;
        default:
            return name == "Cf" ? Class::joiner : Class::other;
    }
}

struct Exception {
    char32_t first, last;
    Class as;
};

constexpr Exception exceptions[] = {
    {'\n', '\r', Class::line},
    {0x1C, 0x1E, Class::line},
    {0x85, 0x85, Class::line},
    {0x2028, 0x2029, Class::line},
    {'"', '"', Class::quote},
    {'\'', '\'', Class::apostrophe},
    {0x2019, 0x2019, Class::apostrophe},  // the right quote, which most apostrophes are
    {0x201B, 0x201B, Class::apostrophe},
    {0xFF07, 0xFF07, Class::apostrophe},
    {0x5F3, 0x5F4, Class::apostrophe},  // geresh and gershayim, inside Hebrew words
    {'-', '-', Class::hyphen},
    {0x2010, 0x2011, Class::hyphen},
    {'.', '.', Class::period},
    {',', ',', Class::comma},
    {':', ':', Class::colon},
    {'!', '!', Class::terminal},
    {'?', '?', Class::terminal},
    {0x203C, 0x203D, Class::terminal},
    {0x2047, 0x2049, Class::terminal},
    {0x37E, 0x37E, Class::terminal},  // Greek question mark
    {0x589, 0x589, Class::stop},      // Armenian
    {0x61F, 0x61F, Class::terminal},
    {0x6D4, 0x6D4, Class::stop},    // Urdu
    {0x964, 0x965, Class::stop},    // danda
    {0x104A, 0x104B, Class::stop},  // Myanmar
    {0x1362, 0x1362, Class::stop},  // Ethiopic
    {0x1367, 0x1368, Class::stop},
    {0x17D4, 0x17D5, Class::stop},  // Khmer
    {0x2026, 0x2026, Class::ellipsis},
    {0x3002, 0x3002, Class::stop},
    {0xFF01, 0xFF01, Class::stop},
    {0xFF0E, 0xFF0E, Class::stop},
    {0xFF1F, 0xFF1F, Class::stop},
    {0xFF61, 0xFF61, Class::stop},
    {0x200B, 0x200B, Class::other},  // zero-width space: divides words
    {0xFEFF, 0xFEFF, Class::other},  // byte-order mark
    {0x1F1E6, 0x1F1FF, Class::regional},
    {0x1F3FB, 0x1F3FF, Class::tone},
};

// Pictures of later versions of Unicode than the tables know.
constexpr char32_t pictures_begin = 0x1F000, pictures_end = 0x1FB00;

struct Table {
    std::unique_ptr<Class[]> classes = std::make_unique<Class[]>(0x110000);

    Table() {
        each_kind([this](char32_t begin, char32_t end, const Kind& kind) {
            std::fill(&classes[begin], &classes[begin] + (end - begin), by_category(kind));
        });
        for (char32_t c = pictures_begin; c < pictures_end; ++c)
            if (classes[c] == Class::other) classes[c] = Class::symbol;
        for (const Exception& one : exceptions)
            for (char32_t c = one.first; c <= one.last; ++c) classes[c] = one.as;
    }
};

}  // namespace

const Class* class_table() {
    static const Table table;
    return table.classes.get();
}

char32_t lowered(char32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return static_cast<char32_t>(static_cast<std::int32_t>(c) + kind_of(c).to_lower);
}

}  // namespace seqlab::text
