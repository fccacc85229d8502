#include "optimise/walk.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "optimise/lanes.hpp"
#include "optimise/orthant.hpp"

namespace seqlab::optimise {

namespace {

// Iterations without decrease before the run ends: the value may be exact to its last digit while the gradient still
// falls.
constexpr int PATIENCE = 10;

// |x|² and the number of coordinates that are not 0
std::array<double, 2> measured(const double* x, std::size_t n, std::size_t threads) {
    return sliced_sums<2>(n, threads, [=](auto t, std::size_t i, auto add) {
        using T = decltype(t);
        const T xi = load<T>(x + i), zero = t * 0.0;
        add(0, xi * xi);
        add(1, xi == 0.0 ? zero : zero + 1.0);
    });
}

// Compute to = x + step d, with its |x|² and number of nonzero coordinates.
std::array<double, 2> stepped(const double* x, const double* d, double step, std::size_t n, double* to,
                              std::size_t threads) {
    return sliced_sums<2>(n, threads, [=](auto t, std::size_t i, auto add) {
        using T = decltype(t);
        const T at = load<T>(x + i) + step * load<T>(d + i), zero = t * 0.0;
        store(to + i, at);
        add(0, at * at);
        add(1, at == 0.0 ? zero : zero + 1.0);
    });
}

// g·d and |g|²
std::array<double, 2> slopes(const double* g, const double* d, std::size_t n, std::size_t threads) {
    return sliced_sums<2>(n, threads, [=](auto t, std::size_t i, auto add) {
        using T = decltype(t);
        const T gi = load<T>(g + i);
        add(0, gi * load<T>(d + i));
        add(1, gi * gi);
    });
}

}  // namespace

Walk::Walk(const Objective& objective, double* theta, std::size_t n, const Stopping& stopping,
           const Report& report, std::size_t threads, const L1* l1, bool may_rise, bool orthant)
    : objective_(objective),
      stopping_(stopping),
      report_(report),
      l1_(l1),
      theta_(theta),
      n_(n),
      threads_(threads),
      may_rise_(may_rise),
      orthant_(orthant && l1),
      past_(static_cast<std::size_t>(std::max(0, stopping.period))) {
    here_.x = theta;
    here_.g = room_[0].of(n + 1);
    there_.x = room_[1].of(n + 1);
    there_.g = room_[2].of(n + 1);
    if (l1_) pseudo_ = room_[3].of(n + 1);
    if (may_rise_) best_.x = room_[4].of(n + 1);
}

Walk::~Walk() {
    const double* from = may_rise_ ? best_.x : here_.x;
    if (from != theta_) std::copy(from, from + n_, theta_);
}

void Walk::evaluate(Point& point) {
    ++progress_.evaluations;
    point.value = objective_(point.x, point.g);
}

bool Walk::begin() {
    if (may_rise_) std::copy(theta_, theta_ + n_, best_.x);
    return evaluate_here();
}

bool Walk::look_again(double digits) {
    const double before = here_.value;
    idle_ = 0;
    const bool finite = evaluate_here();
    // The difference is nearly the same at all points near this one; where it could decide, earlier values are not used.
    for (double& value : past_)
        value = stopping_.delta >= digits ? value + (here_.value - before) : double{INFINITY};
    return finite;
}

bool Walk::evaluate_here() {
    evaluate(here_);
    const auto [squares, active] = measured(here_.x, n_, threads_);
    double slope_squares = slopes(here_.g, here_.g, n_, threads_)[0];
    const bool finite = std::isfinite(here_.value) && std::isfinite(slope_squares) && std::isfinite(squares);
    if (finite && l1_) {
        here_.value += penalty(*l1_, here_.x, n_, threads_);
        slope_squares = pseudo_gradient(*l1_, here_.x, here_.g, n_, pseudo_, threads_);
    }
    here_.x_norm = std::sqrt(squares);
    here_.slope_norm = std::sqrt(slope_squares);
    here_.active = active;
    lowest_ = here_.value;
    best_.value = INFINITY;
    keep_best();
    return finite;
}

Sample Walk::at(double t, const double* d) {
    Sample sample{.step = t};
    double addition = 0.0, squares = 0.0;
    if (orthant_) {
        const Stepped to = step_in_orthant(*l1_, here_.x, pseudo_, d, t, n_, there_.x, threads_);
        sample.change = to.change;
        addition = to.penalty, squares = to.squares, there_.active = to.active;
    } else {
        const auto [length, active] = stepped(here_.x, d, t, n_, there_.x, threads_);
        squares = length, there_.active = active;
        if (l1_) addition = penalty(*l1_, there_.x, n_, threads_);
    }
    there_.x_norm = std::sqrt(squares);
    sample.finite = std::isfinite(squares);
    if (!sample.finite) return sample;
    evaluate(there_);
    there_.value += addition;
    const auto [slope, slope_squares] = slopes(there_.g, d, n_, threads_);
    there_.slope_norm = std::sqrt(slope_squares);
    sample.value = there_.value;
    sample.slope = slope;
    sample.finite = std::isfinite(there_.value) && std::isfinite(slope) && std::isfinite(slope_squares);
    return sample;
}

void Walk::accept(const Found& found) {
    const Point from = here_;
    here_ = there_;
    there_ = from;
    if (l1_) here_.slope_norm = std::sqrt(pseudo_gradient(*l1_, here_.x, here_.g, n_, pseudo_, threads_));
    gain_ = from.value - here_.value;
    ++progress_.iteration;
    progress_.trials = found.trials;
    progress_.step = found.sample.step;
    idle_ = here_.value < lowest_ ? 0 : idle_ + 1;
    lowest_ = std::min(lowest_, here_.value);
    keep_best();
}

void Walk::keep_best() {
    if (!may_rise_ || !(here_.value < best_.value)) return;
    double* const x = best_.x;
    best_ = here_;
    best_.x = x;
    std::copy(here_.x, here_.x + n_, x);
}

// eq:stopping   f_{k-p} - f_k < δ |f_k|
bool Walk::value_has_settled() {
    if (past_.empty()) return false;
    double& then = past_[static_cast<std::size_t>(progress_.iteration) % past_.size()];
    const double fall = then - here_.value;
    then = here_.value;
    return progress_.iteration >= stopping_.period && fall < stopping_.delta * std::abs(here_.value);
}

void Walk::record(Snapshot& state) {
    const auto record = [&](const std::string& name, Point& point) {
        state(name + ".value", point.value);
        state(name + ".x_norm", point.x_norm);
        state(name + ".slope_norm", point.slope_norm);
        state(name + ".active", point.active);
        state(name + ".x", point.x, n_);
        if (point.g) state(name + ".gradient", point.g, n_);
    };
    record("here", here_);
    record("before", there_);
    if (may_rise_) record("best", best_);
    state("iteration", progress_.iteration);
    state("evaluations", progress_.evaluations);
    state("trials", progress_.trials);
    state("step", progress_.step);
    state("past", past_.data(), past_.size());
    state("idle", idle_);
    state("lowest", lowest_);
    state("gain", gain_);
    if (state.reading() && l1_) pseudo_gradient(*l1_, here_.x, here_.g, n_, pseudo_, threads_);
}

bool Walk::told(const Recorded& recorded) {
    progress_.value = here_.value;
    progress_.gradient_norm = here_.slope_norm;
    progress_.theta_norm = here_.x_norm;
    progress_.active = static_cast<std::size_t>(here_.active);
    return !report_ || report_(progress_, here_.x, recorded);
}

std::optional<Stop> Walk::settled() {
    if (here_.slope_norm <= stopping_.epsilon * std::max(1.0, here_.x_norm)) return Stop::gradient;
    if (value_has_settled()) return here_.value > lowest_ ? Stop::no_progress : Stop::value;
    if (idle_ >= PATIENCE) return Stop::no_progress;
    if (stopping_.max_iterations > 0 && progress_.iteration >= stopping_.max_iterations)
        return Stop::iterations;
    return std::nullopt;
}

Outcome Walk::end(Stop reason) const {
    const Point& last = may_rise_ && reason != Stop::bad_start ? best_ : here_;
    return {reason,     progress_.iteration, progress_.evaluations,
            last.value, last.slope_norm,     static_cast<std::size_t>(last.active)};
}

}  // namespace seqlab::optimise
