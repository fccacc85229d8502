// Segments of sentences, and values at an offset from their tokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "encode/values.hpp"

namespace seqlab {

// Tokens from .. to of the sentence begin .. end.
struct Segment {
    std::int64_t begin, end, from, to;
};

// Set out[t] to the value at an offset from token t: inside(i), before(distance) or after(distance).
template <class Inside, class Before, class After>
ValueId* read(const Segment& s, std::int64_t offset, bool absolute, ValueId* out, Inside inside,
              Before before, After after) {
    if (absolute) {
        const std::int64_t i = offset < 0 ? s.end + offset : s.begin + offset;
        const ValueId value = i < s.begin  ? before(s.begin - i)
                              : i >= s.end ? after(i - s.end + 1)
                                           : inside(i);
        return std::fill_n(out, s.to - s.from, value);
    }
    const std::int64_t low = std::clamp(s.begin - offset, s.from, s.to);
    const std::int64_t high = std::clamp(s.end - offset, s.from, s.to);
    for (std::int64_t t = s.from; t < low; ++t) *out++ = before(s.begin - t - offset);
    for (std::int64_t t = low; t < high; ++t) *out++ = inside(t + offset);
    for (std::int64_t t = high; t < s.to; ++t) *out++ = after(t + offset - s.end + 1);
    return out;
}

// Length of the longest list of outside symbols on one side, at least 1.
template <class Symbols>
std::int64_t most_symbols(const std::vector<Values>& all, Symbols symbols) {
    std::size_t most = 1;
    for (const Values& values : all) most = std::max(most, symbols(values).size());
    return static_cast<std::int64_t>(most);
}
inline std::int64_t most_before(const std::vector<Values>& all) {
    return most_symbols(all, [](const Values& values) -> auto& { return values.before(); });
}
inline std::int64_t most_after(const std::vector<Values>& all) {
    return most_symbols(all, [](const Values& values) -> auto& { return values.after(); });
}

}  // namespace seqlab
