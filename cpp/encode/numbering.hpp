// Number attributes by frequency, and pack encoded tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seqlab {

// Compute map[old] = new: 0 for the most frequent; ties keep their order; -1 for those seen fewer than least[old]
// times.
std::vector<std::int32_t> by_frequency(const std::int64_t* counts, const std::int32_t* least,
                                       std::size_t size);

// Pack rows of `stride` numbers, -1 for an empty place, into rows without gaps, in place; indptr gets tokens + 1
// entries. Returns the number of entries left.
std::size_t pack_rows(std::int32_t* ids, std::size_t tokens, std::size_t stride, std::int64_t* indptr,
                      std::size_t threads);

}  // namespace seqlab
