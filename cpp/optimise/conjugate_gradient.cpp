#include <algorithm>
#include <cmath>

#include "optimise/lanes.hpp"
#include "optimise/walk.hpp"

namespace seqlab::optimise {

namespace {

// d = beta d - g; returns g·d
double turned(const double* g, double beta, std::size_t n, double* d, std::size_t threads) {
    return sliced_sums<1>(n, threads, [=](auto t, std::size_t i, auto add) {
        using T = decltype(t);
        const T gi = load<T>(g + i), di = beta * load<T>(d + i) - gi;
        store(d + i, di);
        add(0, gi * di);
    })[0];
}

class ConjugateGradient {
public:
    ConjugateGradient(Walk& walk, const ConjugateGradientOptions& options)
        : walk_(walk), options_(options), d_(room_.of(walk.size() + 1)) {
        std::fill(d_, d_ + walk.size(), 0.0);
    }

    bool advance() {
        const double factor = beta();
        double slope = turned(walk_.here().g, factor, walk_.size(), d_, walk_.threads());
        if (factor > 0.0 && slope < 0.0 && go(slope, step_ * slope_ / slope)) return true;
        if (factor > 0.0) slope = restart();
        return slope < 0.0 && go(slope, first_step());
    }

    void record(Snapshot& state) {
        state("direction", d_, walk_.size());
        state("last_step", step_);
        state("last_slope", slope_);
        state("age", age_);
    }

private:
    // eq:conjugate-gradient   β = max(0, g·(g - g') / g'·g')
    double beta() const {
        const std::size_t every =
            options_.restart > 0 ? static_cast<std::size_t>(options_.restart) : walk_.size();
        if (age_ == 0 || age_ >= every) return 0.0;
        const Point &now = walk_.here(), &then = walk_.before();
        const double change =
            now.slope_norm * now.slope_norm - dot(now.g, then.g, walk_.size(), walk_.threads());
        const double factor = change / (then.slope_norm * then.slope_norm);
        return std::isfinite(factor) ? std::max(0.0, factor) : 0.0;
    }

    double restart() {
        std::fill(d_, d_ + walk_.size(), 0.0);
        return turned(walk_.here().g, 0.0, walk_.size(), d_, walk_.threads());
    }

    bool go(double slope, double first) {
        const auto line = [&](double t) {
            Sample sample = walk_.at(t, d_);
            sample.change = t * slope;
            return sample;
        };
        const Sample origin{.value = walk_.here().value, .slope = slope};
        const Found found = search(line, origin, first, options_.searching);
        if (!found.ok) return false;
        walk_.accept(found);
        step_ = found.sample.step, slope_ = slope;
        ++age_;
        return true;
    }

    // The first step after a restart: as long as the last one, scaled by the ratio of the slopes.
    double first_step() {
        age_ = 0;
        const double norm = walk_.here().slope_norm;
        if (step_ > 0.0) return step_ * slope_ / (-norm * norm);
        return options_.first_step > 0.0 ? options_.first_step : 1.0 / norm;
    }

    Walk& walk_;
    const ConjugateGradientOptions& options_;
    Buffer<double> room_;
    double* d_;
    double step_ = 0.0, slope_ = 0.0;  // of the last iteration
    std::size_t age_ = 0;              // iterations since the last restart
};

}  // namespace

Outcome conjugate_gradient(const Objective& objective, double* theta, std::size_t n,
                           const ConjugateGradientOptions& options, const Report& report, Snapshot* resumed) {
    Walk walk(objective, theta, n, options.stopping, report, options.threads);
    if (!resumed && !walk.begin()) return walk.end(Stop::bad_start);
    ConjugateGradient method(walk, options);
    return repeat(walk, method, resumed);
}

}  // namespace seqlab::optimise
