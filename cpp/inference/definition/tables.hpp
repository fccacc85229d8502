// The forward and backward rows of the definition as one table.
#pragma once

#include "trellis/trellis.hpp"

namespace seqlab {

enum class Direction { forward, backward };
enum class Semiring { log_sum, max };

// Fill out (T, L, ..., L), one axis for each of the k labels of a state: [t, y_{t-k+1}, ..., y_t]. A label before the
// first position counts as label 0. States that do not exist have -inf: those with a forbidden label, or with another
// label than 0 before the first position.
template <class F>
void message_table(const Trellis<F>& trellis, Direction direction, Semiring semiring, double* out);

}  // namespace seqlab
