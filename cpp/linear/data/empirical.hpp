// Empirical counts: occurrences of each weight's feature with the given labels. They are the constant part of the
// gradient.
#pragma once

#include <vector>

#include "linear/data/chain_rows.hpp"

namespace seqlab {

std::vector<double> empirical_counts(const Task& task, std::size_t threads);

}  // namespace seqlab
