// Transitions between labels, prepared once for the questions about one short sequence after another, in float64. A
// call for a few tokens would otherwise take longer to prepare its table than to use it.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "inference/dense.hpp"

namespace seqlab {

class PreparedChain {
public:
    // edge (L, L), finite
    PreparedChain(std::vector<double> edge, std::size_t L);

    std::size_t L() const { return L_; }
    // All take the scores node (T, L) of a sequence, T > 0, finite; several threads may ask at once.
    // Write path (T), the best labels (eq:viterbi).
    void best(const double* node, std::size_t T, Label* path) const;
    // Write gamma (T, L), P(y_t) (eq:node-marginal); returns log Z.
    double marginals(const double* node, std::size_t T, double* gamma) const;
    // eq:path-score
    double score(const double* node, std::size_t T, const Label* path) const;

private:
    Trellis<double> trellis(const double* node, std::size_t T) const;
    // A table that is made when it is first needed.
    struct Table {
        std::once_flag once;
        std::optional<DenseTable<double>> made;
    };

    const Kernels& set_;
    std::size_t L_;
    std::vector<double> edge_;
    mutable Table scores_, potentials_;
};

}  // namespace seqlab
