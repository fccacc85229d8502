#include "encode/numbering.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace seqlab {

namespace {

// Most attributes are met a few times: these are put in order by counting them, and the few others are sorted.
constexpr std::int64_t few = 4096;

}  // namespace

std::vector<std::int32_t> by_frequency(const std::int64_t* counts, const std::int32_t* least,
                                       std::size_t size) {
    std::vector<std::int32_t> map(size, -1), often;
    // By how often they are met: first how many there are, then the number that the next of them gets.
    std::vector<std::int32_t> next(few);
    for (std::size_t i = 0; i < size; ++i) {
        if (counts[i] < least[i]) continue;
        if (counts[i] >= few)
            often.push_back(static_cast<std::int32_t>(i));
        else
            ++next[static_cast<std::size_t>(counts[i])];
    }
    std::ranges::stable_sort(often, std::ranges::greater{}, [counts](std::int32_t i) { return counts[i]; });
    std::int32_t number = 0;
    for (const std::int32_t i : often) map[static_cast<std::size_t>(i)] = number++;
    for (auto met = next.rbegin(); met != next.rend(); ++met) number += std::exchange(*met, number);
    for (std::size_t i = 0; i < size; ++i)
        if (counts[i] >= least[i] && counts[i] < few) map[i] = next[static_cast<std::size_t>(counts[i])]++;
    return map;
}

std::size_t pack_rows(std::int32_t* ids, std::size_t tokens, std::size_t stride, std::int64_t* indptr) {
    std::size_t to = 0;
    indptr[0] = 0;
    for (std::size_t n = 0; n < tokens; ++n) {
        const std::int32_t* row = ids + n * stride;
        for (std::size_t f = 0; f < stride; ++f)
            if (row[f] != -1) ids[to++] = row[f];
        indptr[n + 1] = static_cast<std::int64_t>(to);
    }
    return to;
}

}  // namespace seqlab
