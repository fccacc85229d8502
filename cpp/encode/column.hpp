// Input of the encoder: columns of codes with their strings, divided into sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/text/string_pool.hpp"

namespace seqlab {

// Marks a missing value: the function has no result for this word, or training has not seen it.
inline constexpr std::int32_t no_value = -1;

struct ColumnView {
    const StringId* codes;  // (N,), no_value where there is none
    const StringPool* pool;
};

struct TableView {
    std::vector<ColumnView> columns;
    const std::int64_t* offset;  // sentence s has tokens offset[s] .. offset[s + 1]
    std::size_t sentences;

    std::size_t tokens() const { return static_cast<std::size_t>(offset[sentences]); }
};

}  // namespace seqlab
