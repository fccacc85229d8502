// The gradient of the likelihood over a few sequences, not yet summed over attributes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/chain_weights.hpp"
#include "linear/likelihood/transition_counts.hpp"

namespace seqlab {

// eq:crf-likelihood, one term per sequence: expected minus empirical counts. Partly known labels count as the
// labellings consistent with them (eq:partial-labels).
// For local models, eq:memm-likelihood, of sequences whose labels are all known.
template <class F>
class Slopes {
public:
    // The number of sequences of one length that the kernels process in lockstep.
    static constexpr std::size_t most_in_step = 4;

    Slopes(const Task& task, const ChainRows<F>& rows, bool local = false)
        : task_(task), rows_(rows), local_(local) {}

    // Process some sequences, none of them empty, and return their loss. Bit-identical for any number of threads.
    double operator()(const ChainWeights<F>& weights, std::span<const std::size_t> sequences,
                      std::size_t threads);

    // Results of the last call: its sequences; expected minus given labels of the i-th, (T, L) with a spare vector
    // after them, which the caller may change; and the sums of transitions and edge attributes, which the caller adds
    // and resets.
    std::span<const std::size_t> sequences() const { return sequences_; }
    F* residual(std::size_t i) { return residual_[i]; }
    TransitionCounts<F>& moves() { return parts_[0]->moves; }
    // Multiply the residuals by a number.
    void multiply(double by);
    // Clear the sums of transitions, when only the loss was needed.
    void drop() { moves().clear(); }

private:
    // Sequences that one thread processes.
    struct Part {
        ChainScores<F> scores;
        TransitionCounts<F> moves;
        double loss = 0.0;

        Part(const Task& task, const ChainRows<F>& rows) : scores(task, rows), moves(task) {}
    };

    void make_room();
    bool in_step() const;
    double look_together(const ChainWeights<F>& weights, Part& part);
    double subtract_given(const Trellis<F>& trellis, std::size_t i, Part& part);
    double look(const ChainWeights<F>& weights, std::size_t i, Part& part);
    double look_locally(const ChainWeights<F>& weights, std::size_t i, Part& part);

    const Task& task_;
    const ChainRows<F>& rows_;
    bool local_;
    std::span<const std::size_t> sequences_;
    Buffer<F> room_;
    std::vector<F*> residual_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::vector<ChainScores<F>> several_;  // of sequences in lockstep
    std::vector<Trellis<F>> trellises_;
};

}  // namespace seqlab
