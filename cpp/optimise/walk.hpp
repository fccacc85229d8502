// What every method shares: where the walk stands, what it has cost, when it ends.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "optimise/line_search.hpp"
#include "optimise/optimise.hpp"

namespace seqlab::optimise {

struct Point {
    double* x = nullptr;
    double* g = nullptr;  // gradient of the smooth part
    double value = 0.0;   // penalty included
    double x_norm = 0.0;
    double slope_norm = 0.0;  // of the gradient, or of the pseudo-gradient
    double active = 0.0;
};

class Walk {
public:
    // l1: null for none. may_rise: steps may lead up, so that the best point has to be kept apart.
    Walk(const Objective& objective, double* theta, std::size_t n, const Stopping& stopping,
         const Report& report, std::size_t threads, const L1* l1 = nullptr, bool may_rise = false);
    // theta gets the best point, whatever ended the walk.
    ~Walk();
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    // Evaluates the start; false when it is not finite.
    bool begin();
    // The objective has changed a little: evaluates the point where the walk stands once more.
    bool look_again();
    // Whether the last iteration gained less than this part of the value.
    bool gained_less_than(double part) const { return gain_ < part * std::abs(here_.value); }
    // Evaluates x + t d; where there is a penalty, cut at the border of the orthant.
    Sample at(double t, const double* d);
    // The point evaluated last becomes the one where the walk stands.
    void accept(const Found& found);
    // Tells Report and asks the stopping rules.
    std::optional<Stop> settled();
    Outcome end(Stop reason) const;

    const Point& here() const { return here_; }
    const Point& before() const { return there_; }  // until the next at()
    const double* slope() const { return l1_ ? pseudo_ : here_.g; }
    std::size_t size() const { return n_; }
    std::size_t threads() const { return threads_; }

private:
    bool evaluate_here();
    void evaluate(Point& point);
    void keep_best();
    bool value_has_settled();

    const Objective& objective_;
    const Stopping& stopping_;
    const Report& report_;
    const L1* l1_;
    double* theta_;
    std::size_t n_, threads_;
    bool may_rise_;

    Buffer<double> room_[5];
    Point here_, there_, best_;
    double* pseudo_ = nullptr;
    Progress progress_{};
    std::vector<double> past_;  // values of the last `period` iterations, in a ring
    int idle_ = 0;              // iterations since the value last fell
    double lowest_ = 0.0;
    double gain_ = INFINITY;  // of the last move; nothing is known before the first
};

}  // namespace seqlab::optimise
