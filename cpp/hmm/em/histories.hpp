// Sums over the paths of one sequence of order 2 or 3, where a transition depends on the last k labels.
//
// No table over pairs of histories is made: as everywhere (trellis/steps.hpp), the step into t goes from (a, rest) to
// (rest, y). Labels that a token cannot have are left out, so a sentence with known labels costs next to nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hmm/em/chain_sums.hpp"
#include "inference/marginals.hpp"
#include "inference/scaled.hpp"

namespace seqlab {

class Histories {
public:
    Histories(const ChainTables& tables, std::size_t L, std::size_t order);

    // Labels that each token may have, kept from one sequence to the next.
    struct Lists {
        std::vector<std::int64_t> where, offset;
        std::vector<Label> ids;
    };

    // node (T, L) has the scores of emissions, starts and ends: gamma (T, L) becomes the marginals, and expected
    // transitions are added to target. Returns log P; for -inf nothing is added and gamma is not written.
    double add(const double* node, std::size_t T, double* gamma, const CountTarget& target,
               Lists& lists) const;

private:
    Trellis<double> trellis_;  // all but the nodes and lists
    LinearTensor linear_;
};

}  // namespace seqlab
