// Classes of code points, as tokenisers see them: one byte for each, in a table of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace seqlab::text {

enum class Class : std::uint8_t {
    other,       // controls, private, unassigned, halves of surrogate pairs
    blank,       // Python's str.isspace()
    line,        // blanks that end a line
    upper,       // upper and title case
    lower,       //
    letter,      // without case
    ideograph,   // Han, kana: scripts without blanks
    digit,       // Nd
    numeral,     // Nl, No
    mark,        // belongs to the character before it: combining marks, variation selectors, keycaps
    joiner,      // likewise: zero-width joiners, soft hyphens, tags
    apostrophe,  // ' and its typographic forms
    quote,       // "
    hyphen,      // - and its typographic forms
    dash,        // other dashes
    period,      // .
    comma,       // ,
    colon,       // :
    terminal,    // ! ? and those of other scripts, which may stand in a sentence
    stop,        // ends of sentences in scripts without blanks
    ellipsis,    // the single character
    opening,     // brackets and quotes
    closing,     //
    currency,    //
    symbol,      // emoji and other pictures
    math,        //
    connector,   // _
    regional,    // halves of flags
    tone,        // of skin
    punctuation  // all others
};
constexpr std::size_t class_count = static_cast<std::size_t>(Class::punctuation) + 1;

// The table, (0x110000); made on first use.
const Class* class_table();

// A text as code points. Values beyond Unicode do not occur.
using Text = std::span<const char32_t>;

constexpr bool is_blank(Class c) {
    return c == Class::blank || c == Class::line;
}
constexpr bool is_letter(Class c) {
    return c == Class::upper || c == Class::lower || c == Class::letter;
}
constexpr bool extends(Class c) {
    return c == Class::mark || c == Class::joiner;
}
// One code point in lower case; those that become several stay.
char32_t lowered(char32_t c);

}  // namespace seqlab::text
