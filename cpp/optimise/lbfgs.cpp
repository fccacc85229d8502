#include <cmath>

#include "optimise/history.hpp"
#include "optimise/lanes.hpp"
#include "optimise/walk.hpp"

namespace seqlab::optimise {

namespace {

class Lbfgs {
public:
    Lbfgs(Walk& walk, const LbfgsOptions& options, const L1* l1)
        : walk_(walk),
          options_(options),
          searching_(options.searching),
          l1_(l1),
          history_(remember(walk.size(), options.memory, options.float32, options.diagonal, options.threads)),
          d_(room_.of(walk.size() + 1)) {
        if (l1_) searching_.kind = LineSearch::armijo;
    }

    // Run one iteration. When the direction of the history leads to no progress, the history is cleared and steepest
    // descent is tried.
    bool advance() {
        for (int attempt = 0; attempt < 2; ++attempt) {
            look();
            const double slope = history_->direction(walk_.slope(), l1_, d_);
            if (slope < 0.0 && go(slope)) return true;
            const bool visible = !(-slope <= searching_.precision * std::abs(walk_.here().value));
            if (history_->empty() || !visible) return false;
            history_->forget();
        }
        return false;
    }

    void record(Snapshot& state) {
        history_->record(state);
        state("moved", moved_);
    }

private:
    void look() {
        const Point &to = walk_.here(), &from = walk_.before();
        const StepEnds move{from.x, to.x, from.g, to.g};
        history_->see(moved_ ? &move : nullptr, walk_.slope());
        moved_ = false;
    }

    bool go(double slope) {
        const double first = history_->empty() ? first_step(slope) : 1.0;
        const Sample origin{.value = walk_.here().value, .slope = slope};
        const auto line = [&](double t) {
            Sample sample = walk_.at(t, d_);
            if (!l1_) sample.change = t * slope;
            return sample;
        };
        const Found found = search(line, origin, first, searching_);
        if (!found.ok) return false;
        walk_.accept(found);
        return moved_ = true;
    }

    double first_step(double slope) const {
        if (options_.first_step) return options_.first_step(d_, slope);
        return 1.0 / std::sqrt(dot(d_, d_, walk_.size(), walk_.threads()));
    }

    Walk& walk_;
    const LbfgsOptions& options_;
    Searching searching_;
    const L1* l1_;
    std::unique_ptr<Remembered> history_;
    Buffer<double> room_;
    double* d_;
    bool moved_ = false;  // `before` and `here` are the ends of a step not yet in the history
};

}  // namespace

Outcome lbfgs(const Objective& objective, double* theta, std::size_t n, const LbfgsOptions& options,
              const Report& report, Snapshot* resumed) {
    const L1* l1 = options.l1.any() ? &options.l1 : nullptr;
    Walk walk(objective, theta, n, options.stopping, report, options.threads, l1);
    if (!resumed && !walk.begin()) return walk.end(Stop::bad_start);
    Lbfgs method(walk, options, l1);
    return repeat(walk, method, resumed, {options.refine, options.refine_below});
}

}  // namespace seqlab::optimise
