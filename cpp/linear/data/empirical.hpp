// How often each weight's feature occurs with the labels given: the first half of a gradient, the same every time.
#pragma once

#include <vector>

#include "linear/data/chain_rows.hpp"

namespace seqlab {

std::vector<double> empirical_counts(const Task& task, std::size_t threads);

}  // namespace seqlab
