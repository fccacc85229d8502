// The functions of the template language on one string, equivalent to src/seqlab/features/functions.py, which defines
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seqlab {

// A function with its optional integer argument. Returns false when the value has no result: the feature is then
// absent.
using Function = bool (*)(std::string_view value, int argument, std::string& out);

// A function with several results, which it appends to `out`.
using SeveralFunction = void (*)(std::string_view value, int argument, std::vector<std::string>& out);

// A call of `function` or of `several`; the other is null.
struct Call {
    Function function;
    int argument;
    SeveralFunction several = nullptr;
};

// Look up a function by name; nullptr when it exists in Python only.
Function function_named(std::string_view name);
SeveralFunction several_named(std::string_view name);

// Apply all calls in order, innermost first; `out` is overwritten.
bool apply(const std::vector<Call>& calls, std::string_view value, std::string& out);

// Apply calls of both kinds in order, each to all results of the one before. Duplicates are dropped, order is kept.
std::vector<std::string> apply_all(const std::vector<Call>& calls, std::string_view value);

// A string that many calls are applied to. Most templates lower-case it first, every time, so the result of the
// innermost call is kept for the next calls that begin with the same one.
class Stem {
public:
    explicit Stem(std::string_view text) : text_(text) {}

    // See the function `apply`.
    bool apply(const std::vector<Call>& calls, std::string& out);

private:
    std::string_view text_;
    Call first_{nullptr, 0};
    bool answered_ = false;
    std::string after_first_;
};

}  // namespace seqlab
