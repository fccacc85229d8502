// The interval of uncertainty of Moré and Thuente's line search ("Line search algorithms with guaranteed sufficient
// decrease", 1994), and the rule that picks the next trial from values and slopes at its ends.
#pragma once

namespace seqlab::optimise {

struct End {
    double step, value, slope;
};

class Bracket {
public:
    Bracket(const End& origin, double decrease)
        : low_(origin), high_(origin), origin_(origin), decrease_(decrease) {}

    // Update the interval with a trial and return the next step to try.
    double next(const End& trial, double curvature);

    const End& low() const { return low_; }  // the best end
    // True if no representable number is left between the ends.
    bool closed() const;

private:
    double pick(const End& low, const End& high, const End& trial, double least, double most);

    End low_, high_, origin_;
    double decrease_;
    bool bracketed_ = false;
    bool descending_ = true;  // no step with sufficient decrease and rising slope has been seen yet
    double width_ = 1e300, width_before_ = 2e300;
};

}  // namespace seqlab::optimise
