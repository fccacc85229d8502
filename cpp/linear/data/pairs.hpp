// Select the weights of a model: for each attribute the labels it was seen with.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/data/feature_rows.hpp"
#include "linear/data/task.hpp"

namespace seqlab {

struct Pairs {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> label;
};

// labels: -1 where none is known; there the labels of `sets` count, if it has any (one row per token).
Pairs observed_pairs(const Entries& entries, const Label* labels, const ActiveLists& sets,
                     std::size_t attributes, std::size_t L, std::size_t threads);

}  // namespace seqlab
