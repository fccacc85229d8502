#include "optimise/line_search.hpp"

#include <algorithm>
#include <cmath>

#include "optimise/bracket.hpp"

namespace seqlab::optimise {

namespace {

// Common parts of all line searches: the conditions, the evaluation count, and the best sample so far.
class Search {
public:
    Search(const Line& line, const Sample& origin, const Searching& options)
        : line_(line), origin_(origin), options_(options) {}

    Sample at(double step) {
        ++trials_;
        last_ = line_(step);
        if (enough(last_) && (best_.step == 0.0 || last_.value < best_.value)) best_ = last_;
        return last_;
    }

    // eq:wolfe   f(t) <= f(0) + c₁ t f'(0)
    bool enough(const Sample& s) const {
        return s.finite && s.value <= origin_.value + options_.decrease * s.change;
    }
    // eq:wolfe   f'(t) >= c₂ f'(0)
    bool risen(const Sample& s) const { return s.slope >= options_.curvature * origin_.slope; }
    // eq:wolfe   |f'(t)| <= c₂ |f'(0)|
    bool flat(const Sample& s) const { return std::abs(s.slope) <= -options_.curvature * origin_.slope; }

    bool may_try(double step) const {
        // The decrease of a shorter step would be below the rounding error of the value.
        const bool visible = -step * origin_.slope > options_.precision * std::abs(origin_.value);
        return trials_ < options_.max_trials && step >= options_.min_step && step <= options_.max_step &&
               (visible || trials_ == 0);
    }
    int trials() const { return trials_; }

    Found found() const { return {true, trials_, last_}; }

    // No trials left: a step with sufficient decrease is still progress. It is evaluated again if it was not the last.
    Found settle() {
        if (best_.step == 0.0) return {false, trials_, {}};
        if (last_.step != best_.step) last_ = line_(best_.step), ++trials_;
        return {last_.finite, trials_, last_};
    }

private:
    const Line& line_;
    const Sample& origin_;
    const Searching& options_;
    int trials_ = 0;
    Sample last_{}, best_{};
};

Found backtrack(Search& search, double step, LineSearch kind) {
    constexpr double SHRINK = 0.5, GROW = 2.1;
    while (search.may_try(step)) {
        const Sample s = search.at(step);
        if (!search.enough(s))
            step *= SHRINK;
        else if (kind == LineSearch::armijo)
            return search.found();
        else if (!search.risen(s))
            step *= GROW;
        else if (kind == LineSearch::backtracking || search.flat(s))
            return search.found();
        else
            step *= SHRINK;
    }
    return search.settle();
}

Found more_thuente(Search& search, const Sample& origin, double step, const Searching& options) {
    Bracket bracket({0.0, origin.value, origin.slope}, options.decrease);
    double wall = INFINITY;  // the shortest step whose value was not finite
    while (search.may_try(step)) {
        const Sample s = search.at(step);
        if (search.enough(s) && search.flat(s)) return search.found();
        if (s.finite) {
            step = bracket.next({s.step, s.value, s.slope}, options.curvature);
        } else {
            wall = s.step;
            step = 0.5 * (bracket.low().step + wall);
        }
        if (step >= wall) step = 0.5 * (bracket.low().step + wall);
        step = std::min(step, options.max_step);
        if (bracket.closed()) break;
    }
    return search.settle();
}

}  // namespace

Found search(const Line& line, const Sample& origin, double first, const Searching& options) {
    Search state(line, origin, options);
    first = std::clamp(first, options.min_step, options.max_step);
    if (options.kind == LineSearch::more_thuente) return more_thuente(state, origin, first, options);
    return backtrack(state, first, options.kind);
}

}  // namespace seqlab::optimise
