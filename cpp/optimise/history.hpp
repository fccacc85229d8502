// The last few moves of the walk, and the direction they propose (eq:lbfgs).
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
    // Look at `slope`, for which a direction is wanted, and remember the move that led here (null: there was none).
    virtual void see(const Move* move, const double* slope) = 0;
    // d = -H slope. With l1, a coordinate that has a penalty and would go against its slope stays (eq:owlqn). Returns slope·d.
    virtual double direction(const double* slope, const L1* l1, double* d) = 0;
    virtual void forget() = 0;
    virtual bool empty() const = 0;
};

// n coordinates, `memory` moves, kept in float32 or float64.
std::unique_ptr<Remembered> remember(std::size_t n, int memory, bool float32, const Diagonal* diagonal,
                                     std::size_t threads);

}  // namespace seqlab::optimise
