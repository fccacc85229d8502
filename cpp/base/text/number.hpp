// Parse and format numbers independently of the locale, with the fewest digits that read back to the same number.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace seqlab {

// True if `text` is one finite decimal number and nothing else.
inline bool parse_number(std::string_view text, double& number) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
#if defined(__cpp_lib_to_chars)
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && stop == text.data() + text.size() && std::isfinite(number);
#else
    const std::string copy(text);  // older libc++ has no from_chars for doubles
    char* stop = nullptr;
    number = std::strtod(copy.c_str(), &stop);
    return stop == copy.c_str() + copy.size() && std::isfinite(number);
#endif
}

inline void append_number(std::string& out, double number) {
    char digits[40];
#if defined(__cpp_lib_to_chars)
    out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
#else
    const int size = std::snprintf(digits, sizeof digits, "%.17g", number);
    out.append(digits, static_cast<std::size_t>(size));
#endif
}

}  // namespace seqlab
