#include "text/rules/patterns.hpp"

#include <string_view>

namespace seqlab::text {

namespace {

constexpr std::size_t longest_scheme = 12, longest_name = 64, longest_domain = 255;

bool one_of(char32_t c, std::u32string_view some) {
    return c != 0 && some.find(c) != std::u32string_view::npos;
}

bool ascii_letter(char32_t c) {
    return (c | 32) >= 'a' && (c | 32) <= 'z' && c < 0x80;
}

bool ascii_word(char32_t c) {
    return ascii_letter(c) || (c >= '0' && c <= '9');
}

bool begins_with(const Run& run, std::size_t i, std::u32string_view word) {
    for (std::size_t k = 0; k < word.size(); ++k)
        if (lowered(run.at(i + k)) != word[k]) return false;
    return true;
}

bool in_link(const Run& run, std::size_t i) {
    const char32_t c = run.at(i);
    if (c < 0x80) return c > 0x20 && c != 0x7F && !one_of(c, U"<>\"`{}|\\^");
    const Class k = run.of(i);
    return is_letter(k) || k == Class::digit || extends(k);
}

// Leave out what belongs to the sentence: final punctuation, and brackets that were not opened inside.
std::size_t trimmed(const Run& run, std::size_t begin, std::size_t end) {
    std::ptrdiff_t open = 0;
    for (std::size_t i = begin; i < end; ++i) open += run.at(i) == '(' ? 1 : run.at(i) == ')' ? -1 : 0;
    while (end > begin) {
        const char32_t last = run.at(end - 1);
        if (last == ')' && open < 0)
            ++open;
        else if (!one_of(last, U".,;:!?'*_]"))
            break;
        --end;
    }
    return end;
}

std::size_t digits(const Run& run, std::size_t i) {
    while (run.of(i) == Class::digit && keycap(run, i) == i) ++i;
    return i;
}

}  // namespace

std::size_t link(const Run& run, std::size_t i) {
    std::size_t k = i;
    while (k < i + longest_scheme && ascii_letter(run.at(k))) ++k;
    const bool scheme = k > i && run.at(k) == ':' && run.at(k + 1) == '/' && run.at(k + 2) == '/';
    const bool www = begins_with(run, i, U"www.") && ascii_word(run.at(i + 4));
    if (!scheme && !www) return i;
    const std::size_t body = scheme ? k + 3 : i + 4;
    for (k = body; k < run.stop && in_link(run, k);) ++k;
    const std::size_t end = trimmed(run, body, k);
    return end > body ? end : i;
}

std::size_t address(const Run& run, std::size_t i) {
    std::size_t k = i;
    while (k < i + longest_name && (ascii_word(run.at(k)) || one_of(run.at(k), U"._%+-"))) ++k;
    if (k == i || run.at(k) != '@' || !ascii_word(run.at(k + 1))) return i;
    std::size_t end = i;
    const std::size_t domain = k + 1;
    for (k = domain; k < domain + longest_domain && (ascii_word(run.at(k)) || one_of(run.at(k), U".-"));) {
        if (run.at(k) == '.' && ascii_letter(run.at(k + 1)) && ascii_letter(run.at(k + 2))) end = k + 3;
        if (end > i && k >= end && ascii_word(run.at(k))) end = k + 1;
        if (run.at(k) == '.' && !ascii_word(run.at(k + 1))) break;
        ++k;
    }
    return end;
}

std::size_t number(const Run& run, std::size_t i) {
    std::size_t end = digits(run, i);
    if (end == i) return i;
    const auto group = [&](std::size_t at) { return digits(run, at + 1) - at - 1; };
    // Two hyphens and more: dates and telephone numbers; one is a range.
    if (run.at(end) == '-' && group(end) > 0) {
        std::size_t k = end, groups = 0;
        while (run.at(k) == '-' && group(k) > 0) {
            k = digits(run, k + 1);
            ++groups;
        }
        if (groups > 1) return k;
    }
    const bool listed = i > 1 && run.text[i - 1] == ',' && run.of(i - 2) == Class::digit;
    for (;;) {
        const char32_t c = run.at(end);
        const std::size_t next = one_of(c, U".,:/") || c == 0x2044 ? group(end) : 0;
        if (next == 0) return end;
        const char32_t after = run.at(end + 1 + next);
        const bool more = listed || (after == ',' && run.of(end + 2 + next) == Class::digit);
        if (c == ',' && next != 3 && more) return end;  // a list: 1,2,3
        end += 1 + next;
    }
}

std::size_t keycap(const Run& run, std::size_t i) {
    constexpr char32_t emoji_style = 0xFE0F, key = 0x20E3;
    const char32_t c = run.at(i);
    if (!(c >= '0' && c <= '9') && c != '#' && c != '*') return i;
    const std::size_t k = i + 1 + (run.at(i + 1) == emoji_style);
    return run.at(k) == key ? run.extended(k + 1) : i;
}

std::size_t picture(const Run& run, std::size_t i) {
    constexpr char32_t zero_width_joiner = 0x200D;
    if (run.of(i) == Class::regional) return run.extended(i + (run.of(i + 1) == Class::regional ? 2 : 1));
    const auto is_picture = [&](std::size_t k) {
        const Class c = run.of(k);
        return c == Class::symbol || c == Class::tone || c == Class::terminal || c == Class::math;
    };
    if (run.of(i) != Class::symbol && run.of(i) != Class::tone) return i;
    std::size_t k = i + 1;
    for (;;) {
        while (extends(run.of(k)) || run.of(k) == Class::tone) ++k;
        if (run.at(k - 1) != zero_width_joiner || !is_picture(k)) return k;
        ++k;
    }
}

std::size_t emoticon(const Run& run, std::size_t i) {
    std::size_t k = i;
    if (run.at(i) == '<' && run.at(i + 1) == '3') {
        k = i + 2;
    } else {
        if ((run.at(i) | 32) == 'x') {  // only xD: x) is an item of a list
            if (run.at(i + 1) != 'D') return i;
        } else if (!one_of(run.at(i), U":;=")) {
            return i;
        }
        ++k;
        if (one_of(run.at(k), U"-'^o") && one_of(run.at(k + 1), U")(][DPpO|/\\*3")) ++k;
        if (!one_of(run.at(k), U")(][DPpOo|/\\*3")) return i;
        const char32_t mouth = run.at(k);
        while (run.at(k) == mouth) ++k;
    }
    // A colon before a path or a bracket is none.
    const bool ends = k == run.stop || (k + 1 == run.stop && one_of(run.at(k), U".,!?"));
    return ends ? k : i;
}

std::size_t entity(const Run& run, std::size_t i) {
    std::size_t k = i + 1;
    if (run.at(k) == '#') ++k;
    const std::size_t name = k;
    while (k < name + 8 && ascii_word(run.at(k))) ++k;
    return k > name + 1 && run.at(k) == ';' ? k + 1 : i;
}

}  // namespace seqlab::text
