#pragma once

#include <cmath>

namespace seqlab {

// Neumaier's compensated sum: the rounding error of each addition is kept and added at the end, so that log Z of a long
// sequence, or of one whose scores nearly cancel, is as exact as its terms.
class CompensatedSum {
public:
    CompensatedSum() = default;
    CompensatedSum(double sum, double lost) : sum_(sum), lost_(lost) {}

    void add(double x) {
        const double t = sum_ + x;
        lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - t) + x : (x - t) + sum_;
        sum_ = t;
    }
    double value() const { return sum_ + lost_; }
    double sum() const { return sum_; }
    double lost() const { return lost_; }

private:
    double sum_ = 0.0;
    double lost_ = 0.0;
};

}  // namespace seqlab
