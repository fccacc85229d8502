#include "encode/numbering.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "base/parallel/parallel.hpp"

namespace seqlab {

namespace {

// Most attributes occur a few times: these are ordered by counting sort, and the few others by comparison.
constexpr std::int64_t few = 4096;

}  // namespace

std::vector<std::int32_t> by_frequency(const std::int64_t* counts, const std::int32_t* least,
                                       std::size_t size) {
    std::vector<std::int32_t> map(size, -1), often;
    // For each count: first how many attributes have it, then the next number to give out.
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

// Pack every range of tokens at its own beginning in parallel, then move the ranges together.
std::size_t pack_rows(std::int32_t* ids, std::size_t tokens, std::size_t stride, std::int64_t* indptr,
                      std::size_t threads) {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    std::mutex adding;
    indptr[0] = 0;
    parallel_ranges(tokens, threads, [&](std::size_t from, std::size_t to) {
        std::int32_t* const first = ids + from * stride;
        std::size_t left = 0;
        for (std::size_t n = from; n < to; ++n) {
            const std::int32_t* row = ids + n * stride;
            for (std::size_t f = 0; f < stride; ++f)
                if (row[f] != -1) first[left++] = row[f];
            indptr[n + 1] = static_cast<std::int64_t>(left);
        }
        const std::lock_guard<std::mutex> lock(adding);
        ranges.emplace_back(from, to);
    });
    std::ranges::sort(ranges);
    std::size_t packed = 0;
    for (const auto& [from, to] : ranges) {
        const auto left = to > from ? static_cast<std::size_t>(indptr[to]) : 0;
        if (packed != from * stride) std::copy_n(ids + from * stride, left, ids + packed);
        if (packed > 0)
            for (std::size_t n = from; n < to; ++n) indptr[n + 1] += static_cast<std::int64_t>(packed);
        packed += left;
    }
    return packed;
}

}  // namespace seqlab
