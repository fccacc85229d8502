// What batch learners make small: a sum over sequences, with its gradient.
#pragma once

#include <cstddef>

namespace seqlab {

class Loss {
public:
    virtual ~Loss() = default;

    virtual std::size_t size() const = 0;
    // The value at theta; gradient (size()) is overwritten.
    virtual double operator()(const double* theta, double* gradient, std::size_t threads) = 0;
    // About the diagonal of the Hessian, never negative: Σ p (1 - p) value² (eq:curvature). For preconditioning only.
    virtual void curvature(const double* theta, double* diagonal, std::size_t threads) = 0;
};

}  // namespace seqlab
