#include "optimise/bracket.hpp"

#include <algorithm>
#include <cmath>

namespace seqlab::optimise {

namespace {

// θ and γ of the cubic through both ends with both slopes. γ is 0 where the cubic has no minimum.
struct Cubic {
    double theta, gamma;
};

Cubic cubic_of(const End& a, const End& b) {
    const double theta = 3.0 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope;
    const double scale = std::max({std::abs(theta), std::abs(a.slope), std::abs(b.slope)});
    if (scale == 0.0) return {0.0, 0.0};
    const double inside = (theta / scale) * (theta / scale) - (a.slope / scale) * (b.slope / scale);
    return {theta, scale * std::sqrt(std::max(0.0, inside))};
}

double cubic_minimum(const End& a, const End& b) {
    auto [theta, gamma] = cubic_of(a, b);
    if (b.step < a.step) gamma = -gamma;
    const double below = (gamma - a.slope) + gamma + b.slope;
    return a.step + (gamma - a.slope + theta) / below * (b.step - a.step);
}

// The minimum of the parabola through the value and slope of a and the value of b.
double parabola_minimum(const End& a, const End& b) {
    const double way = b.step - a.step;
    return a.step + a.slope / ((a.value - b.value) / way + a.slope) / 2.0 * way;
}

// Zero of the straight line through both slopes.
double secant_zero(const End& a, const End& b) {
    return a.step + a.slope / (a.slope - b.slope) * (b.step - a.step);
}

// The cubic's minimum if it lies beyond the trial, otherwise the far limit.
double cubic_beyond(const End& low, const End& trial, double least, double most) {
    auto [theta, gamma] = cubic_of(low, trial);
    if (low.step < trial.step) gamma = -gamma;
    const double below = (gamma - trial.slope) + gamma + low.slope;
    const double r = (gamma - trial.slope + theta) / below;
    if (r < 0.0 && gamma != 0.0) return trial.step + r * (low.step - trial.step);
    return trial.step > low.step ? most : least;
}

double nearer(double to, double a, double b) {
    return std::abs(a - to) < std::abs(b - to) ? a : b;
}
// At most two thirds of the way, so that the interval shrinks.
double within(const End& low, const End& high, double step) {
    const double limit = low.step + 0.66 * (high.step - low.step);
    return high.step > low.step ? std::min(step, limit) : std::max(step, limit);
}
double farther(double from, double a, double b) {
    return std::abs(a - from) > std::abs(b - from) ? a : b;
}

}  // namespace

bool Bracket::closed() const {
    const double most = std::max(low_.step, high_.step);
    return bracketed_ && std::abs(high_.step - low_.step) <= 1e-16 * most;
}

// The four cases of the paper: value higher; slope changed sign; slope flatter; slope not flatter.
double Bracket::pick(const End& low, const End& high, const End& trial, double least, double most) {
    const bool turned = trial.slope * std::copysign(1.0, low.slope) < 0.0;
    if (trial.value > low.value) {
        bracketed_ = true;
        const double cubic = cubic_minimum(low, trial), parabola = parabola_minimum(low, trial);
        const bool close = std::abs(cubic - low.step) < std::abs(parabola - low.step);
        return within(low, trial, close ? cubic : cubic + (parabola - cubic) / 2.0);
    }
    if (turned) {
        bracketed_ = true;
        return farther(trial.step, cubic_minimum(low, trial), secant_zero(low, trial));
    }
    if (std::abs(trial.slope) < std::abs(low.slope)) {
        const double cubic = cubic_beyond(low, trial, least, most), secant = secant_zero(low, trial);
        if (!bracketed_) return farther(trial.step, cubic, secant);
        return within(trial, high, nearer(trial.step, cubic, secant));
    }
    if (bracketed_) return cubic_minimum(trial, high);
    return trial.step > low.step ? most : least;
}

double Bracket::next(const End& trial, double curvature) {
    constexpr double EXTRAPOLATE = 4.0;
    double least = low_.step, most = trial.step + EXTRAPOLATE * (trial.step - low_.step);
    if (bracketed_) {
        least = std::min(low_.step, high_.step);
        most = std::max(low_.step, high_.step);
    }
    const double promised = decrease_ * origin_.slope;
    const bool enough = trial.value <= origin_.value + trial.step * promised;
    if (enough && trial.slope >= std::min(decrease_, curvature) * origin_.slope) descending_ = false;

    // While no step had sufficient decrease, the function f(t) - c₁ t f'(0) is minimised: its minimum has sufficient
    // decrease.
    const bool tilted = descending_ && !enough && trial.value <= low_.value;
    const auto tilt = [&](const End& e) {
        return tilted ? End{e.step, e.value - e.step * promised, e.slope - promised} : e;
    };
    const End low = tilt(low_), at = tilt(trial);
    double step = pick(low, tilt(high_), at, least, most);
    if (!std::isfinite(step)) step = 0.5 * (low_.step + trial.step);

    if (at.value > low.value) {
        high_ = trial;
    } else {
        if (at.slope * std::copysign(1.0, low.slope) < 0.0) high_ = low_;
        low_ = trial;
    }
    step = std::clamp(step, least, most);
    if (bracketed_) {
        const double width = std::abs(high_.step - low_.step);
        if (width >= 0.66 * width_before_) step = 0.5 * (low_.step + high_.step);
        width_before_ = width_;
        width_ = width;
        const double left = std::min(low_.step, high_.step), right = std::max(low_.step, high_.step);
        if (step <= left || step >= right) step = 0.5 * (left + right);
    }
    return step;
}

}  // namespace seqlab::optimise
