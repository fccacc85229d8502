// Base of all online learners: sequences are visited one by one, and the weights change after each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/poll.hpp"
#include "kernels/kernels.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/online/averages.hpp"
#include "linear/online/decoder.hpp"
#include "linear/online/features.hpp"
#include "linear/online/known_labels.hpp"
#include "linear/online/live_weights.hpp"
#include "linear/online/visits.hpp"

namespace seqlab::online {

// Statistics of an epoch.
struct Pass {
    std::size_t mistakes = 0;  // wrong tokens, for learners that compute their own best path
    std::size_t updates = 0;   // sequences that changed the weights
    double loss = 0.0;         // summed over sequences, each with the weights at its visit
};

class OnlineLearner {
public:
    virtual ~OnlineLearner() = default;

    virtual std::size_t size() const = 0;
    virtual Pass epoch() = 0;
    // Visit these sequences, none of them empty, instead of all in the learner's own order.
    virtual Pass epoch(std::span<const std::int64_t> order) = 0;
    // The weights theta (size()) of a model that stops now.
    virtual void weights(double* theta) const = 0;
    // The state after an epoch; one that is read makes a learner of the same task and options go on there.
    virtual void record(Snapshot& state) = 0;
    // The weights after the last visit, where those of a model would be their mean.
    virtual void last_weights(double* theta) const = 0;
};

struct Schedule {
    bool averaged = true;
    bool shuffle = true;
    std::uint64_t seed = 0;
};

// Weights of type F, with everything needed to update them sequence by sequence. The task must outlive this.
template <class F>
class Walker : public OnlineLearner {
public:
    Walker(const Task& task, const double* theta, const Schedule& schedule)
        : set_(kernels()),
          task_(task),
          rows_(task),
          features_(task, rows_),
          known_(task),
          weights_(task, rows_, features_),
          decoder_(task, rows_, known_),
          averages_(features_.slots().size, schedule.averaged),
          visits_(task, known_, schedule.shuffle, schedule.seed) {
        weights_.load(theta);
    }

    std::size_t size() const override { return task_.size(); }

    Pass epoch() override { return visit_all(visits_.next()); }
    Pass epoch(std::span<const std::int64_t> order) override { return visit_all(order); }

    void weights(double* theta) const override {
        features_.each_weight(
            [&](std::size_t k, std::size_t slot) { theta[k] = averages_.mean(slot, weights_[slot]); });
    }
    void last_weights(double* theta) const override {
        features_.each_weight([&](std::size_t k, std::size_t slot) { theta[k] = weights_[slot]; });
    }

    void record(Snapshot& state) override {
        const PinKernels pin(set_);
        weights_.record(state);
        averages_.record(state, "averages");
        visits_.record(state);
    }

protected:
    virtual void visit(std::size_t s, Pass& pass) = 0;

    Pass visit_all(const auto& order) {
        const PinKernels pin(set_);
        Pass pass;
        for (const auto s : order) {
            poll();
            visit(static_cast<std::size_t>(s), pass);
        }
        return pass;
    }

    // θ += x in one slot, in the current step.
    void add(std::size_t slot, F x) {
        weights_.add(slot, x);
        averages_.add(slot, static_cast<double>(x));
    }
    static double dot(const LiveWeights<F>& weights, const Sparse& with) {
        double sum = 0.0;
        for (const auto& [slot, x] : with) sum += weights[slot] * x;
        return sum;
    }
    static double squared(const Sparse& of) {
        double sum = 0.0;
        for (const auto& [slot, x] : of) sum += x * x;
        return sum;
    }

    const Kernels& set_;  // the tables are padded for this set
    const Task& task_;
    ChainRows<F> rows_;
    Features<F> features_;
    KnownLabels known_;
    LiveWeights<F> weights_;
    Decoder<F> decoder_;
    Averages averages_;
    Visits visits_;
};

}  // namespace seqlab::online
