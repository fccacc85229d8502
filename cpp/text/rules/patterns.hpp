// Patterns that rules look for inside a run of characters without blanks. Each function returns the end of what it finds
// at i, or i.
#pragma once

#include <cstddef>

#include "text/characters.hpp"

namespace seqlab::text {

// Characters of one run without blanks, up to `stop`.
struct Run {
    Text text;
    std::size_t stop;
    const Class* table;

    char32_t at(std::size_t i) const { return i < stop ? text[i] : 0; }
    Class of(std::size_t i) const { return i < stop ? table[text[i]] : Class::blank; }
    bool word(std::size_t i) const {
        const Class c = of(i);
        return is_letter(c) || c == Class::digit || c == Class::numeral || c == Class::connector;
    }
    std::size_t extended(std::size_t i) const {
        while (i < stop && extends(table[text[i]])) ++i;
        return i;
    }
};

std::size_t link(const Run& run, std::size_t i);      // https://example.org/a?b=c, www.example.org
std::size_t address(const Run& run, std::size_t i);   // anna@example.org
std::size_t number(const Run& run, std::size_t i);    // 1,000.50  12:30  2020-01-31  1/2
std::size_t picture(const Run& run, std::size_t i);   // emoji with all that belongs to it, flags
std::size_t keycap(const Run& run, std::size_t i);    // a digit, # or * on a key
std::size_t emoticon(const Run& run, std::size_t i);  // :-) at the end of a run
std::size_t entity(const Run& run, std::size_t i);    // &amp;

}  // namespace seqlab::text
