// State of a minimisation, common to all methods: the current point, the evaluation count, the stopping rules.
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
    // l1: null for none. may_rise: steps may increase the value, so the best point is stored separately. orthant: with a
    // penalty, steps are projected onto the orthant of the current point.
    Walk(const Objective& objective, double* theta, std::size_t n, const Stopping& stopping,
         const Report& report, std::size_t threads, const L1* l1 = nullptr, bool may_rise = false,
         bool orthant = true);
    // Writes the best point to theta, also after an exception.
    ~Walk();
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    // Evaluate the start; false when it is not finite.
    bool begin();
    // The objective has changed a little, by up to a part `digits` of itself: evaluate the current point again.
    bool look_again(double digits);
    // True if the last iteration decreased the value by less than this fraction.
    bool gained_less_than(double part) const { return gain_ < part * std::abs(here_.value); }
    // Evaluate x + t d, projected onto the orthant where that was asked for.
    Sample at(double t, const double* d);
    // Make the point evaluated last the current one.
    void accept(const Found& found);
    // Call Report, which may take a snapshot.
    bool told(const Recorded& recorded);
    // Test the stopping rules.
    std::optional<Stop> settled();
    // The part of this in a snapshot; one that is read replaces begin().
    void record(Snapshot& state);
    Outcome end(Stop reason) const;

    const Point& here() const { return here_; }
    const Point& before() const { return there_; }  // valid until the next at()
    const double* slope() const { return l1_ ? pseudo_ : here_.g; }
    std::size_t size() const { return n_; }
    double delta() const { return stopping_.delta; }
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
    bool may_rise_, orthant_;

    Buffer<double> room_[5];
    Point here_, there_, best_;
    double* pseudo_ = nullptr;
    Progress progress_{};
    std::vector<double> past_;  // ring buffer of the values of the last `period` iterations
    int idle_ = 0;              // iterations since the value last decreased
    double lowest_ = 0.0;
    double gain_ = INFINITY;  // decrease of the last step; infinite before the first
};

// When an objective is replaced by a more exact one: see LbfgsOptions.
struct Refining {
    std::function<bool()> refine;
    double below = 0.0;
};

// Repeat a method's iterations until a stopping rule applies; method.advance() is false when it finds no lower value.
template <class Method>
Outcome repeat(Walk& walk, Method& method, Snapshot* resumed, const Refining& refining = {}) {
    const auto refined = [&] {
        return refining.refine && refining.refine() && walk.look_again(refining.below);
    };
    // Digits that decide nothing are not computed: a coarse rule ends what is still inexact.
    const bool coarse = walk.delta() >= 10.0 * refining.below;
    const Recorded recorded = [&](Snapshot& state) {
        walk.record(state);
        method.record(state);
    };
    if (resumed) recorded(*resumed);
    for (bool known = resumed != nullptr;;
         known = false) {  // a snapshot is taken when Report has been called
        const auto stop = known || walk.told(recorded) ? walk.settled() : Stop::stopped;
        const bool final =
            stop == Stop::stopped || stop == Stop::iterations || (stop == Stop::value && coarse);
        if (stop && (final || !refined())) return walk.end(*stop);
        if (!stop && refining.refine && walk.gained_less_than(refining.below)) refined();
        if (!method.advance() && !refined()) return walk.end(Stop::no_progress);
    }
}

}  // namespace seqlab::optimise
