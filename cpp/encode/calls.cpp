#include "encode/calls.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/text/unicode.hpp"
#include "base/text/utf8.hpp"

namespace seqlab {

namespace {

template <class F>
void each_code_point(std::string_view text, F f) {
    for (std::size_t at = 0; at < text.size();) f(next_code_point(text, at));
}

template <class Test>
bool all(std::string_view text, Test test) {
    bool good = !text.empty();
    each_code_point(text, [&](char32_t c) { good = good && test(kind_of(c)); });
    return good;
}

template <class Test>
bool any(std::string_view text, Test test) {
    bool found = false;
    each_code_point(text, [&](char32_t c) { found = found || test(kind_of(c)); });
    return found;
}

bool yes(bool answer, std::string& out) {
    if (answer) out = "yes";
    return answer;
}

template <bool (*test)(const Kind&)>
bool all_are(std::string_view value, int, std::string& out) {
    return yes(all(value, test), out);
}

template <bool (*test)(const Kind&)>
bool some_is(std::string_view value, int, std::string& out) {
    return yes(any(value, test), out);
}

bool lower(std::string_view value, int, std::string& out) {
    append_lower(value, out);
    return true;
}

bool upper(std::string_view value, int, std::string& out) {
    append_upper(value, out);
    return true;
}

bool lower_ascii(std::string_view value, int, std::string& out) {
    for (const char c : value) out.push_back('A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c);
    return true;
}

// Marks a code point that the shape leaves out; no real code point is that large.
constexpr char32_t left_out = 0x110000;

char32_t shape_of(char32_t c) {
    const Kind& kind = kind_of(c);
    if (is_upper(kind) || is_title(kind)) return 'X';
    if (is_lower(kind)) return 'x';
    if (is_digit(kind)) return '0';
    if (is_alpha(kind)) return 'o';
    return is_mark(kind) ? left_out : c;
}

bool shape(std::string_view value, int, std::string& out) {
    each_code_point(value, [&](char32_t c) {
        if (const char32_t s = shape_of(c); s != left_out) append_code_point(out, s);
    });
    return true;
}

bool short_shape(std::string_view value, int, std::string& out) {
    char32_t last = left_out;
    each_code_point(value, [&](char32_t c) {
        const char32_t s = shape_of(c);
        if (s != left_out && s != last) append_code_point(out, last = s);
    });
    return true;
}

// Byte offset of code point number n; npos when there are fewer than n.
std::size_t byte_of(std::string_view text, std::size_t n) {
    std::size_t at = 0;
    for (; n > 0; --n) {
        if (at >= text.size()) return std::string_view::npos;
        next_code_point(text, at);
    }
    return at;
}

std::size_t count_of(std::string_view text) {
    std::size_t n = 0;
    each_code_point(text, [&](char32_t) { ++n; });
    return n;
}

bool prefix(std::string_view value, int n, std::string& out) {
    const std::size_t end = byte_of(value, static_cast<std::size_t>(n));
    if (end == std::string_view::npos) return false;
    out = value.substr(0, end);
    return true;
}

// Scan from the end: a byte that is not a continuation byte begins a code point.
bool suffix(std::string_view value, int n, std::string& out) {
    std::size_t at = value.size();
    for (; n > 0; --n) {
        if (at == 0) return false;
        do --at;
        while (at > 0 && (static_cast<unsigned char>(value[at]) & 0xC0) == 0x80);
    }
    out = value.substr(at);
    return true;
}

bool character(std::string_view value, int i, std::string& out) {
    const auto count = static_cast<std::ptrdiff_t>(count_of(value));
    const std::ptrdiff_t at = i < 0 ? count + i : i;
    if (at < 0 || at >= count) return false;
    const std::size_t begin = byte_of(value, static_cast<std::size_t>(at));
    std::size_t end = begin;
    next_code_point(value, end);
    out = value.substr(begin, end - begin);
    return true;
}

bool length(std::string_view value, int, std::string& out) {
    const std::size_t n = count_of(value);
    out = n < 10 ? std::to_string(n) : n < 15 ? "10-14" : n < 20 ? "15-19" : "20+";
    return true;
}

bool digits(std::string_view value, int, std::string& out) {
    each_code_point(value, [&](char32_t c) { append_code_point(out, is_digit(kind_of(c)) ? U'0' : c); });
    return true;
}

bool squeeze(std::string_view value, int n, std::string& out) {
    char32_t last = 0;
    int run = 0;
    each_code_point(value, [&](char32_t c) {
        run = run > 0 && c == last ? run + 1 : 1;
        last = c;
        if (run <= n) append_code_point(out, c);
    });
    return true;
}

bool category(std::string_view value, int, std::string& out) {
    std::string_view last;
    each_code_point(value, [&](char32_t c) {
        const std::string_view name = category_name(kind_of(c));
        if (name != last) out += name;
        last = name;
    });
    return true;
}

bool first_category(std::string_view value, int, std::string& out) {
    if (value.empty()) return false;
    std::size_t at = 0;
    out = category_name(kind_of(next_code_point(value, at)));
    return true;
}

// Like str.istitle: capitals only at the beginning of a word, small letters only after it.
bool is_title_case(std::string_view value, int, std::string& out) {
    bool some = false, inside = false, good = true;
    each_code_point(value, [&](char32_t c) {
        const Kind& kind = kind_of(c);
        const bool capital = is_upper(kind) || is_title(kind);
        const bool letter = capital || is_lower(kind);
        if (letter && capital == inside) good = false;
        inside = letter;
        some = some || letter;
    });
    return yes(good && some, out);
}

bool is_upper_case(std::string_view value, int, std::string& out) {
    return yes(any(value, is_upper) && !any(value, is_lower) && !any(value, is_title), out);
}

bool is_lower_case(std::string_view value, int, std::string& out) {
    return yes(any(value, is_lower) && !any(value, is_upper) && !any(value, is_title), out);
}

bool is_capitalized(std::string_view value, int, std::string& out) {
    if (value.empty()) return false;
    std::size_t at = 0;
    const Kind& kind = kind_of(next_code_point(value, at));
    return yes(is_upper(kind) || is_title(kind), out);
}

bool is_ascii(std::string_view value, int, std::string& out) {
    return yes(
        std::all_of(value.begin(), value.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }),
        out);
}

void ngrams(std::string_view value, int n, std::vector<std::string>& out) {
    std::size_t begin = 0, end = byte_of(value, static_cast<std::size_t>(n));
    while (end != std::string_view::npos) {
        out.emplace_back(value.substr(begin, end - begin));
        if (end == value.size()) return;
        next_code_point(value, begin);
        next_code_point(value, end);
    }
}

struct Named {
    std::string_view name;
    Function function;
};

constexpr Named functions[] = {
    {"lower", lower},
    {"upper", upper},
    {"lower_ascii", lower_ascii},
    {"shape", shape},
    {"short_shape", short_shape},
    {"prefix", prefix},
    {"suffix", suffix},
    {"char", character},
    {"length", length},
    {"digits", digits},
    {"squeeze", squeeze},
    {"category", category},
    {"first_category", first_category},
    {"is_digit", all_are<is_digit>},
    {"is_alpha", all_are<is_alpha>},
    {"is_alnum", all_are<is_alnum>},
    {"is_title", is_title_case},
    {"is_upper", is_upper_case},
    {"is_lower", is_lower_case},
    {"is_capitalized", is_capitalized},
    {"is_punct", all_are<is_punctuation>},
    {"is_ascii", is_ascii},
    {"has_digit", some_is<is_digit>},
    {"has_alpha", some_is<is_alpha>},
    {"has_upper", some_is<is_upper>},
    {"has_lower", some_is<is_lower>},
    {"has_hyphen", some_is<is_dash>},
    {"has_punct", some_is<is_punctuation>},
};

}  // namespace

Function function_named(std::string_view name) {
    const auto* found = std::find_if(std::begin(functions), std::end(functions),
                                     [name](const Named& one) { return one.name == name; });
    return found == std::end(functions) ? nullptr : found->function;
}

SeveralFunction several_named(std::string_view name) {
    return name == "ngrams" ? ngrams : nullptr;
}

std::vector<std::string> apply_all(const std::vector<Call>& calls, std::string_view value) {
    std::vector<std::string> values{std::string(value)};
    for (const Call& call : calls) {
        std::vector<std::string> next;
        for (const std::string& one : values) {
            std::string out;
            if (call.several)
                call.several(one, call.argument, next);
            else if (call.function(one, call.argument, out))
                next.push_back(std::move(out));
        }
        std::unordered_set<std::string_view> met;
        values.clear();
        for (const std::string& one : next)
            if (met.insert(one).second) values.push_back(one);
    }
    return values;
}

bool apply(const std::vector<Call>& calls, std::string_view value, std::string& out) {
    return Stem(value).apply(calls, out);
}

bool Stem::apply(const std::vector<Call>& calls, std::string& out) {
    if (calls.empty()) {
        out = text_;
        return true;
    }
    const Call& first = calls[0];
    if (first.function != first_.function || first.argument != first_.argument) {
        first_ = first;
        after_first_.clear();
        answered_ = first.function(text_, first.argument, after_first_);
    }
    if (!answered_) return false;
    out = after_first_;
    std::string before;
    for (std::size_t i = 1; i < calls.size(); ++i) {
        before.swap(out);
        out.clear();
        if (!calls[i].function(before, calls[i].argument, out)) return false;
    }
    return true;
}

}  // namespace seqlab
