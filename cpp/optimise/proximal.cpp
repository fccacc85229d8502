// Proximal quasi-Newton for an L1 penalty. OWL-QN takes a direction of the smooth part and cuts it at the border of an
// orthant, which spoils it: near the end it needs three times as many evaluations (docs/decisions/0020).
#include <cmath>

#include "optimise/lanes.hpp"
#include "optimise/quadratic_model.hpp"
#include "optimise/walk.hpp"

namespace seqlab::optimise {

namespace {

class Proximal {
public:
    Proximal(Walk& walk, const LbfgsOptions& options)
        : walk_(walk),
          options_(options),
          searching_(options.searching),
          model_(walk.size(), options.memory, options.diagonal, options.threads),
          d_(room_.of(walk.size() + 1)) {
        searching_.kind = LineSearch::armijo;
    }

    // Run one iteration. When the model with its steps leads nowhere, it is tried once more without them.
    bool advance() {
        for (int attempt = 0; attempt < 2; ++attempt) {
            if (moved_) model_.see({walk_.before().x, walk_.here().x, walk_.before().g, walk_.here().g});
            moved_ = false;
            const double bend = model_.empty() ? first_bend() : 0.0;
            const double change = model_.lowest(walk_.here().x, walk_.here().g, options_.l1, bend, d_);
            if (change < 0.0 && go(change)) return true;
            const bool visible = !(-change <= searching_.precision * std::abs(walk_.here().value));
            if (model_.empty() || !visible) return false;
            model_.forget();
        }
        return false;
    }

    void record(Snapshot& state) {
        model_.record(state);
        state("moved", moved_);
    }

private:
    bool go(double change) {
        const Sample origin{.value = walk_.here().value, .slope = change};
        const auto line = [&](double t) {
            Sample sample = walk_.at(t, d_);
            sample.change = t * change;
            return sample;
        };
        const Found found = search(line, origin, 1.0, searching_);
        if (found.ok) walk_.accept(found);
        return moved_ = found.ok;
    }

    // The bend that makes the first step as long as that of L-BFGS along the pseudo-gradient.
    double first_bend() {
        const Diagonal* diagonal = options_.diagonal;
        const double* const inverse = diagonal ? diagonal->inverse : nullptr;
        double slope = 0.0;
        for (std::size_t i = 0; i < walk_.size(); ++i) {
            d_[i] = -walk_.slope()[i] * (inverse ? inverse[i] : 1.0);
            slope += walk_.slope()[i] * d_[i];
        }
        const double step = options_.first_step ? options_.first_step(d_, slope)
                                                : 1.0 / std::sqrt(dot(d_, d_, walk_.size(), walk_.threads()));
        return step > 0.0 && std::isfinite(step) ? 1.0 / step : 1.0;
    }

    Walk& walk_;
    const LbfgsOptions& options_;
    Searching searching_;
    QuadraticModel model_;
    Buffer<double> room_;
    double* d_;
    bool moved_ = false;  // `before` and `here` are the ends of a step that the model has not seen
};

}  // namespace

Outcome proximal(const Objective& objective, double* theta, std::size_t n, const LbfgsOptions& options,
                 const Report& report, Snapshot* resumed) {
    Walk walk(objective, theta, n, options.stopping, report, options.threads, &options.l1, false, false);
    if (!resumed && !walk.begin()) return walk.end(Stop::bad_start);
    Proximal method(walk, options);
    return repeat(walk, method, resumed, {options.refine, options.refine_below});
}

}  // namespace seqlab::optimise
