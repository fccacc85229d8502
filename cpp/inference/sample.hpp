#pragma once

#include <cstdint>

#include "inference/plan.hpp"

namespace seqlab {

// Draw n paths of each sequence from P(y) = exp(score(y)) / Z. out[i] is (n, T_i); log_z[i] is -inf where no path
// is legal, NaN where digits are lost.
// Sequence i draws from streams[i]: the numbers depend on (seed, stream, draw, position) alone.
template <class F>
void sample(Batch<F> batch, std::size_t n, std::uint64_t seed, const std::uint64_t* streams,
            Label* const* out, double* log_z, std::size_t threads);

}  // namespace seqlab
