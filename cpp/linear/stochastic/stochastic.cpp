#include "linear/stochastic/stochastic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/numerics/sum.hpp"
#include "base/parallel/parallel.hpp"
#include "linear/data/shuffle.hpp"
#include "linear/likelihood/slopes.hpp"
#include "linear/stochastic/adagrad_steps.hpp"
#include "linear/stochastic/scaled_steps.hpp"

namespace seqlab {

namespace {

constexpr double exponential_base = 0.85;  // Wapiti's

// A rate is tested on this many sequences, or on this many steps if that is more.
constexpr std::size_t sample_sequences = 1000, sample_steps = 4;
// A single step may gain from a rate at which many steps would diverge.
constexpr std::size_t least_trial_steps = 8;
constexpr double start_rate = 0.1;
constexpr int most_doublings = 10, most_halvings = 40;

// Sequences with a nonzero term in the likelihood.
std::vector<std::size_t> usable(const Sequences& sequences) {
    std::vector<std::size_t> found;
    for (std::size_t s = 0; s < sequences.size(); ++s)
        if (sequences.end(s) > sequences.begin(s) && sequences.weight_of(s) > 0.0) found.push_back(s);
    return found;
}

// Call f(some sequences) for one step after the other, as long as it returns true.
template <class Step>
void each_step(std::span<const std::size_t> order, std::size_t batch, Step step) {
    for (std::size_t first = 0; first < order.size(); first += batch)
        if (!step(order.subspan(first, std::min(batch, order.size() - first)))) return;
}

template <class F, template <class> class Steps>
class Descent final : public Stochastic {
public:
    Descent(const Task& task, const double* theta, const StochasticOptions& options)
        : set_(kernels()),
          task_(task),
          options_(options),
          rows_(task),
          usable_(usable(task.sequences)),
          slopes_(task, rows_),
          steps_(task, rows_),
          rate_(options.rate),
          start_(theta, theta + task.size()),
          theta_(start_),
          mean_(options.averaged ? task.size() : 0) {
        steps_.load(theta);
    }

    std::size_t size() const override { return task_.size(); }

    StochasticEpoch epoch(std::size_t threads) override {
        const Crew crew(std::min(threads, options_.batch));
        const PinKernels pin(set_);
        if (!(rate_ > 0.0)) rate_ = usable_.empty() ? start_rate : calibrated(threads);
        return visit_all(shuffled(usable_, options_.seed, epoch_++), threads);
    }

    StochasticEpoch epoch(std::span<const std::int64_t> order, std::size_t threads) override {
        const Crew crew(std::min(threads, options_.batch));
        const PinKernels pin(set_);
        return visit_all({order.begin(), order.end()}, threads);
    }

    void restart(double rate) override {
        const PinKernels pin(set_);
        steps_.load(start_.data());
        rate_ = rate, seen_ = snapshots_ = 0.0;
        std::ranges::fill(mean_, 0.0);
    }

    void weights(double* theta) override {
        const PinKernels pin(set_);
        if (snapshots_ > 0.0) {
            const double total = snapshots_ * (snapshots_ + 1.0) / 2.0;
            for (std::size_t k = 0; k < size(); ++k) theta[k] = mean_[k] / total;
            return;
        }
        std::fill_n(theta, size(), 0.0);
        steps_.add_to(theta, 1.0);
    }

    void record(Snapshot& state) override {
        const PinKernels pin(set_);
        steps_.record(state);
        state("rate", rate_);
        state("seen", seen_);
        state("snapshots", snapshots_);
        state("epoch", epoch_);
        state("mean", mean_.data(), mean_.size());
    }

private:
    StochasticEpoch visit_all(const std::vector<std::size_t>& order, std::size_t threads) {
        const std::size_t steps = (order.size() + options_.batch - 1) / options_.batch;
        StochasticEpoch told;
        CompensatedSum loss;
        std::size_t step = 0;
        each_step(order, options_.batch, [&](std::span<const std::size_t> some) {
            told.rate = rate(seen_);
            loss.add(visit(some, told.rate, threads));
            seen_ += static_cast<double>(some.size());
            const std::size_t due = snapshots_an_epoch * step / steps;
            if (options_.averaged && snapshots_an_epoch * ++step / steps > due) remember();
            return std::isfinite(loss.value());
        });
        told.loss = loss.value();
        take_stock(told);
        return told;
    }

    double rate(double seen) const {
        const double epochs = seen / static_cast<double>(usable_.size());
        switch (options_.schedule) {
            case RateSchedule::inverse:
                return rate_ / (1.0 + 2.0 * options_.l2 * rate_ * epochs);
            case RateSchedule::sqrt:
                return rate_ / std::sqrt(1.0 + epochs);
            case RateSchedule::exponential:
                return rate_ * std::pow(exponential_base, epochs);
            case RateSchedule::constant:
                break;
        }
        return rate_;
    }

    // Take one step; returns the loss of its sequences before it.
    double visit(std::span<const std::size_t> some, double rate, std::size_t threads) {
        steps_.prepare(some);
        const double loss = slopes_(steps_.chain(), some, threads);
        steps_.step(
            slopes_, rate,
            2.0 * options_.l2 * static_cast<double>(some.size()) / static_cast<double>(usable_.size()));
        return loss;
    }

    // Snapshot j has weight j, so that the first ones, which are far off, soon count little.
    void remember() {
        snapshots_ += 1.0;
        steps_.add_to(mean_.data(), snapshots_);
    }

    void take_stock(StochasticEpoch& told) {
        std::ranges::fill(theta_, 0.0);
        steps_.add_to(theta_.data(), 1.0);
        for (const double x : theta_) {
            told.squares += x * x;
            told.active += x != 0.0;
        }
    }

    // Choose the rate with the lowest objective on a sample after one pass: doubled or halved as long as that helps.
    double calibrated(std::size_t threads) {
        std::vector<std::size_t> sample = shuffled(usable_, options_.seed, sample_stream);
        const std::size_t wanted = std::max(sample_sequences, sample_steps * options_.batch);
        sample.resize(std::min(sample.size(), wanted));
        const auto trial = [&](double rate) { return after_a_pass(sample, rate, threads); };
        double best = start_rate, lowest = trial(best);
        bool doubled = false;
        for (int i = 0; i < most_doublings; ++i) {
            const double value = trial(2.0 * best);
            if (!(value < lowest)) break;
            lowest = value, best *= 2.0, doubled = true;
        }
        for (int i = 0; i < most_halvings && !doubled; ++i) {
            const double value = trial(best / 2.0);
            if (std::isfinite(lowest) && !(value < lowest)) break;
            lowest = value, best /= 2.0;
        }
        steps_.load(start_.data());
        return best;
    }

    // The objective of a sample, with its share of the penalty, after a pass over it, or several if one is too few
    // steps; infinite if it diverged.
    double after_a_pass(std::span<const std::size_t> sample, double rate, std::size_t threads) {
        steps_.load(start_.data());
        double before = 0.0, after = 0.0;
        const std::size_t steps = (sample.size() + options_.batch - 1) / options_.batch;
        for (std::size_t done = 0; done < least_trial_steps; done += steps)
            each_step(sample, options_.batch, [&](std::span<const std::size_t> some) {
                before += visit(some, rate, threads);
                return std::isfinite(before);
            });
        if (!std::isfinite(before)) return std::numeric_limits<double>::infinity();
        each_step(sample, options_.batch, [&](std::span<const std::size_t> some) {
            steps_.prepare(some);
            after += slopes_(steps_.chain(), some, threads);
            slopes_.drop();
            return true;
        });
        StochasticEpoch told;
        take_stock(told);
        const double share = static_cast<double>(sample.size()) / static_cast<double>(usable_.size());
        after += share * options_.l2 * told.squares;
        return std::isfinite(after) ? after : std::numeric_limits<double>::infinity();
    }

    const Kernels& set_;  // the tables are padded for this set
    const Task& task_;
    StochasticOptions options_;
    ChainRows<F> rows_;
    std::vector<std::size_t> usable_;
    Slopes<F> slopes_;
    Steps<F> steps_;
    double rate_, seen_ = 0.0, snapshots_ = 0.0;
    std::uint64_t epoch_ = 0;
    std::vector<double> start_, theta_, mean_;
};

template <class F>
std::unique_ptr<Stochastic> made(const Task& task, const double* theta, const StochasticOptions& options) {
    if (options.adagrad) return std::make_unique<Descent<F, AdagradSteps>>(task, theta, options);
    return std::make_unique<Descent<F, ScaledSteps>>(task, theta, options);
}

}  // namespace

std::unique_ptr<Stochastic> make_stochastic(const Task& task, const double* theta,
                                            const StochasticOptions& options) {
    const PinKernels pin(kernels());
    return options.float32 ? made<float>(task, theta, options) : made<double>(task, theta, options);
}

}  // namespace seqlab
