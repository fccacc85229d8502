// Stochastic gradient descent on the likelihood of a linear-chain CRF: a step after every few sequences.
//
// eq:sgd   θ ← θ - η_i (Σ_{s in B} ∇ℓ_s(θ) + 2 l2 θ |B| / N),   B the next sequences of a shuffled epoch, i those before them
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/numerics/snapshot.hpp"
#include "linear/data/task.hpp"

namespace seqlab {

// η_i / η_0 after i sequences, with N sequences per epoch
enum class RateSchedule {
    inverse,      // 1 / (1 + 2 l2 η_0 i / N)
    constant,     // 1
    sqrt,         // 1 / √(1 + i / N)
    exponential,  // 0.85^(i / N)
};

struct StochasticOptions {
    double l2 = 1.0;
    std::size_t batch = 1;  // sequences a step
    double rate = 0.0;      // η_0; 0: chosen on a sample
    RateSchedule schedule = RateSchedule::inverse;
    bool adagrad = false;
    bool averaged = false;
    bool float32 = true;
    std::uint64_t seed = 0;
};

// Statistics of an epoch.
struct StochasticEpoch {
    double loss = 0.0;       // of every sequence before its step; not finite: the epoch stopped there
    double squares = 0.0;    // |θ|² at the end
    double rate = 0.0;       // of the last step
    std::size_t active = 0;  // nonzero weights at the end
};

class Stochastic {
public:
    virtual ~Stochastic() = default;

    virtual std::size_t size() const = 0;
    // Run an epoch. Bit-identical for any number of threads; more than one help only where a step has many sequences.
    virtual StochasticEpoch epoch(std::size_t threads) = 0;
    // Visit these sequences, none of them empty, instead of all in a random order.
    virtual StochasticEpoch epoch(std::span<const std::int64_t> order, std::size_t threads) = 0;
    // Begin anew where the learner began, with this rate.
    virtual void restart(double rate) = 0;
    // The weights theta (size()) of a model that stops now: of the last step, or their mean.
    virtual void weights(double* theta) = 0;
    // The state after an epoch; one that is read makes a learner of the same task and options go on there.
    virtual void record(Snapshot& state) = 0;
};

// Make a learner that starts from theta; the task must outlive it.
std::unique_ptr<Stochastic> make_stochastic(const Task& task, const double* theta,
                                            const StochasticOptions& options);

}  // namespace seqlab
