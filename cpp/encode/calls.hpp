// The functions of the template language on one string: twins of src/seqlab/features/functions.py, which defines them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seqlab {

// One function with its number, if it takes one. False when the value has no answer: the feature is then absent.
using Function = bool (*)(std::string_view value, int argument, std::string& out);

struct Call {
    Function function;
    int argument;
};

// The function of this name, or nullptr: then only Python knows it.
Function function_named(std::string_view name);

// All calls in order, innermost first; `out` is overwritten.
bool apply(const std::vector<Call>& calls, std::string_view value, std::string& out);

// A string that many calls are applied to. Most templates lower it first, every time: what the innermost call gave is kept for
// the next calls that begin with the same.
class Stem {
public:
    explicit Stem(std::string_view text) : text_(text) {}

    // As `apply`.
    bool apply(const std::vector<Call>& calls, std::string& out);

private:
    std::string_view text_;
    Call first_{nullptr, 0};
    bool answered_ = false;
    std::string after_first_;
};

}  // namespace seqlab
