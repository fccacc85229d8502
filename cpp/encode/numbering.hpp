// Attributes numbered by frequency, and encoded tokens packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seqlab {

// map[old] = new: 0 for the most frequent; equals keep their order; -1 for those met fewer than least[old] times.
std::vector<std::int32_t> by_frequency(const std::int64_t* counts, const std::int32_t* least,
                                       std::size_t size);

// Rows of `stride` numbers, -1 for nothing, become rows without gaps, in place; indptr gets tokens + 1 entries.
// Returns how many numbers are left.
std::size_t pack_rows(std::int32_t* ids, std::size_t tokens, std::size_t stride, std::int64_t* indptr,
                      std::size_t threads);

}  // namespace seqlab
