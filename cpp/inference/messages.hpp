// Forward and backward messages of one sequence, kept to compute probabilities of any of its spans.
#pragma once

#include "inference/path_sum.hpp"

namespace seqlab {

template <class F>
class Messages {
public:
    // Borrows the trellis, which must outlive this object.
    explicit Messages(const Trellis<F>& trellis);

    // eq:span   P(y_i .. y_{j-1} = path) = Σ over states of (α_{i-1} continued along the labels of the path) ⊗ β_{j-1}.
    // NaN if the sums cannot be computed.
    double span(std::size_t i, std::size_t j, const Label* path);

private:
    void carry(std::size_t t, Label y, std::vector<double>& row);

    const Steps<F> steps_;
    PathSum<F, LogSpace> sum_;
    std::vector<double> beta_;  // rows at the same offsets as those of α
    bool possible_ = false;
};

// eq:filter   P(y_t | x_1..t) = Σ_rest α_t(rest, y), for all t; out (T, L). Returns log Z; out is not written if that is
// -inf or NaN.
template <class F>
double filtered(const Trellis<F>& trellis, double* out);

}  // namespace seqlab
