// Scores and moments of Gaussians with diagonal or full covariance, for many states at once.
//
// x is (D, T), one dimension after another: the inner loops run along t, whose iterations are independent.
#pragma once

#include <cstddef>

namespace seqlab {

// node[t, y] = constant[y] - ½ Σ_d precision[y, d] (x[d, t] - mean[y, d])²
void diagonal_scores(const double* x, std::size_t T, std::size_t D, const double* mean,
                     const double* precision, const double* constant, std::size_t L, double* node);

// first[y, d] = Σ_t gamma[t, y] (x[d, t] - mean[y, d]), second[y, d] = Σ_t gamma[t, y] (x[d, t] - mean[y, d])². `mean`
// should be near the new mean, so that no digits cancel.
void diagonal_moments(const double* x, std::size_t T, std::size_t D, const double* gamma, const double* mean,
                      std::size_t L, double* first, double* second);

// node[t, y] = constant[y] - ½ |factor[y] (x[:, t] - mean[y])|², where factor (L, D, D) are lower triangular matrices
void full_scores(const double* x, std::size_t T, std::size_t D, const double* mean, const double* factor,
                 const double* constant, std::size_t L, double* node);

// first as above, second[y] = Σ_t gamma[t, y] away awayᵀ, away = x[:, t] - mean[y]: (L, D, D)
void full_moments(const double* x, std::size_t T, std::size_t D, const double* gamma, const double* mean,
                  std::size_t L, double* first, double* second);

}  // namespace seqlab
