// Columns of a corpus from Python.
#pragma once

#include <utility>
#include <vector>

#include "bind/batch.hpp"
#include "bind/stl.hpp"
#include "encode/column.hpp"

namespace seqlab::bind {

// codes, pool
using ColumnSpec = std::pair<In<StringId>, const StringPool*>;

inline TableView table_of(const std::vector<ColumnSpec>& columns, const In<std::int64_t>& offsets) {
    TableView table{{}, offsets.data(), offsets.size() - 1};
    for (const auto& [codes, pool] : columns) table.columns.push_back({codes.data(), pool});
    return table;
}

}  // namespace seqlab::bind
