// The functions of templates on any text: their results are sound UTF-8 again.
#include <string>

#include "base/text/utf8.hpp"
#include "encode/calls.hpp"
#include "input.hpp"

using namespace seqlab;

namespace {

constexpr const char* names[] = {
    "lower",     "upper",          "lower_ascii",    "shape",     "short_shape", "prefix",
    "suffix",    "char",           "length",         "digits",    "squeeze",     "category",
    "is_digit",  "first_category", "is_alpha",       "is_alnum",  "is_title",    "is_upper",
    "is_lower",  "is_punct",       "is_capitalized", "is_ascii",  "has_digit",   "has_alpha",
    "has_upper", "has_lower",      "has_hyphen",     "has_punct", "ngrams"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    std::vector<Call> calls, plain;
    for (std::size_t left = 1 + input.below(3); left > 0; --left) {
        const std::string_view name = names[input.below(std::size(names))];
        int argument = input.number<std::int8_t>();
        if (input.below(8) == 0) argument = input.number<std::int32_t>();
        calls.push_back({function_named(name), argument, several_named(name)});
        fuzz::law(calls.back().function || calls.back().several, "the function is there");
        if (calls.back().function) plain.push_back(calls.back());
    }
    const std::string text(input.rest().substr(0, 400));
    if (first_bad_utf8(text) != text.size()) return 0;
    std::string out;
    if (apply(plain, text, out)) fuzz::law(first_bad_utf8(out) == out.size(), "values are sound UTF-8");
    for (const std::string& one : apply_all(calls, text))
        fuzz::law(first_bad_utf8(one) == one.size(), "all values are sound UTF-8");
    return 0;
}
