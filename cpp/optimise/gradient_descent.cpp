#include "optimise/lanes.hpp"
#include "optimise/walk.hpp"

namespace seqlab::optimise {

namespace {

class Gradient {
public:
    Gradient(Walk& walk, const GradientOptions& options)
        : walk_(walk), options_(options), d_(room_.of(walk.size() + 1)), step_(options.fixed_step) {}

    // eq:gradient-descent   d = -g
    bool advance() {
        const double* g = walk_.here().g;
        for (std::size_t i = 0; i < walk_.size(); ++i) d_[i] = -g[i];
        return options_.fixed_step > 0.0 ? leap() : descend();
    }

    void record(Snapshot& state) {
        state("last_step", step_);
        state("easy", easy_);
    }

private:
    // Start from twice the last step where that step needed no shortening, so that steps can grow again.
    bool descend() {
        const double norm = walk_.here().slope_norm, slope = -norm * norm;
        double first = options_.first_step > 0.0 ? options_.first_step : 1.0 / norm;
        if (step_ > 0.0) first = easy_ ? 2.0 * step_ : step_;
        const auto line = [&](double t) {
            Sample sample = walk_.at(t, d_);
            sample.change = t * slope;
            return sample;
        };
        const Found found =
            search(line, {.value = walk_.here().value, .slope = slope}, first, options_.searching);
        if (!found.ok) return false;
        walk_.accept(found);
        step_ = found.sample.step;
        easy_ = found.trials == 1;
        return true;
    }

    // Take the fixed step, even if the value rises; the step is halved permanently when the value is not finite.
    bool leap() {
        for (int trial = 1; trial <= options_.searching.max_trials; ++trial, step_ *= 0.5) {
            const Sample sample = walk_.at(step_, d_);
            if (!sample.finite) continue;
            walk_.accept({true, trial, sample});
            return true;
        }
        return false;
    }

    Walk& walk_;
    const GradientOptions& options_;
    Buffer<double> room_;
    double* d_;
    double step_;
    bool easy_ = false;
};

}  // namespace

Outcome gradient_descent(const Objective& objective, double* theta, std::size_t n,
                         const GradientOptions& options, const Report& report, Snapshot* resumed) {
    Walk walk(objective, theta, n, options.stopping, report, options.threads, nullptr,
              options.fixed_step > 0.0);
    if (!resumed && !walk.begin()) return walk.end(Stop::bad_start);
    Gradient method(walk, options);
    return repeat(walk, method, resumed);
}

}  // namespace seqlab::optimise
