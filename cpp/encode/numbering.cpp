#include "encode/numbering.hpp"

#include <algorithm>

namespace seqlab {

std::vector<std::int32_t> by_frequency(const std::int64_t* counts, const std::int32_t* least,
                                       std::size_t size) {
    std::vector<std::int32_t> kept;
    kept.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
        if (counts[i] >= least[i]) kept.push_back(static_cast<std::int32_t>(i));
    // Not stable_sort, which would take memory of its own.
    std::sort(kept.begin(), kept.end(), [counts](std::int32_t a, std::int32_t b) {
        return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
    });
    std::vector<std::int32_t> map(size, -1);
    for (std::size_t n = 0; n < kept.size(); ++n)
        map[static_cast<std::size_t>(kept[n])] = static_cast<std::int32_t>(n);
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
