// Estimate probabilities from counts.
#pragma once

#include <array>
#include <optional>

#include "ngrams/table.hpp"

namespace seqlab::ngrams {

enum class Kind { mle, add_lambda, witten_bell, kneser_ney, interpolated };

using Discounts = std::array<double, 3>;  // of counts of 1, of 2, and of 3 or more

struct Method {
    Kind kind = Kind::mle;
    double lambda = 0;                   // add_lambda
    std::optional<Discounts> discounts;  // kneser_ney; estimated when not given
};

struct Estimate {
    Table table;
    std::vector<Discounts> discounts;  // for every level; kneser_ney only
};

// Estimate a table. The last symbol of `counts` is the start symbol. Throws std::invalid_argument when an n-gram was
// counted and its suffix was not, which no text produces.
Estimate estimate(const Counts& counts, const Method& method);

}  // namespace seqlab::ngrams
