// The last few steps of L-BFGS, and the direction computed from them (eq:lbfgs).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "kernels/kernels.hpp"
#include "optimise/optimise.hpp"

namespace seqlab::optimise {

class Remembered {
public:
    virtual ~Remembered() = default;
    // Store the step that led to the current point (null: none), and the inner products with `slope`, for which a
    // direction will be computed.
    virtual void see(const StepEnds* move, const double* slope) = 0;
    // Compute d = -H slope. With l1, a penalised coordinate of d whose sign opposes descent is set to 0 (eq:owlqn).
    // Returns slope·d.
    virtual double direction(const double* slope, const L1* l1, double* d) = 0;
    virtual void forget() = 0;
    virtual bool empty() const = 0;
    virtual void record(Snapshot& state) = 0;
};

// A history of `memory` steps in n coordinates, stored in float32 or float64.
std::unique_ptr<Remembered> remember(std::size_t n, int memory, bool float32, const Diagonal* diagonal,
                                     std::size_t threads);

}  // namespace seqlab::optimise
