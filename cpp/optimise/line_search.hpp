// How far to go along a direction (eq:wolfe).
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
        0.0;  // what the slope at 0 promises: step · slope_0; by the pseudo-gradient where x was cut (eq:owlqn)
    bool finite = true;
};

using Line = std::function<Sample(double step)>;

struct Found {
    bool ok;
    int trials;
    Sample sample;  // where ok: the last sample that was taken
};

// A step of enough decrease; with the curvature condition too, unless the trials ran out before. `origin` is the sample at 0.
Found search(const Line& line, const Sample& origin, double first, const Searching& options);

}  // namespace seqlab::optimise
