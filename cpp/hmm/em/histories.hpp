// Expected counts of one sequence in order 2 or 3, where a transition depends on the last k labels.
//
// There is no table over pairs of histories: as everywhere (trellis/steps.hpp), the step into t goes from (a, rest) to
// (rest, y). Labels that a token cannot have are left out, so sentences with known labels are cheap.
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

    // Labels that each token may have; the memory is reused for the next sequence.
    struct Lists {
        std::vector<std::int64_t> where, offset;
        std::vector<Label> ids;
    };

    // Compute marginals into gamma (T, L) and add expected transitions to target; node (T, L) has the scores of
    // emissions, starts and ends. Returns log P; if that is -inf, nothing is written.
    double add(const double* node, std::size_t T, double* gamma, const CountTarget& target,
               Lists& lists) const;

private:
    Trellis<double> trellis_;  // without nodes and lists
    LinearTensor linear_;
};

}  // namespace seqlab
