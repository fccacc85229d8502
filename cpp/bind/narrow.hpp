// Columns of codes as they lie in a file (scale/columns.py): int8, int16 or int32.
#pragma once

#include <utility>
#include <vector>

#include "bind/batch.hpp"
#include "bind/stl.hpp"
#include "encode/quick_rows.hpp"

namespace seqlab::bind {

using NarrowArray = std::pair<In<std::uint8_t>, std::size_t>;  // bytes, and how many of them a code has

inline NarrowText text_of(const In<std::int64_t>& offsets, const std::vector<NarrowArray>& columns,
                          const std::uint8_t* written) {
    NarrowText text{{}, span_of(offsets), written};
    for (const auto& [bytes, width] : columns) text.columns.push_back({bytes.data(), width});
    return text;
}

}  // namespace seqlab::bind
