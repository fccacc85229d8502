// Line search: the step length along a direction (eq:wolfe).
#pragma once

#include <functional>

#include "optimise/optimise.hpp"

namespace seqlab::optimise {

// One point of the line x + t d.
struct Sample {
    double step = 0.0;
    double value = 0.0;
    double slope = 0.0;  // gradient·d
    double change =
        0.0;  // decrease predicted by the slope at 0: step · slope_0; by the pseudo-gradient where x was projected (eq:owlqn)
    bool finite = true;
};

using Line = std::function<Sample(double step)>;

struct Found {
    bool ok;
    int trials;
    Sample sample;  // if ok: the last sample that was evaluated
};

// Find a step with sufficient decrease that also satisfies the curvature condition, unless the trials run out before.
// `origin` is the sample at 0.
Found search(const Line& line, const Sample& origin, double first, const Searching& options);

}  // namespace seqlab::optimise
