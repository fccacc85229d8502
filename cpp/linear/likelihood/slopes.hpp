// The slope of the likelihood over a few sequences, not yet summed over attributes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/chain_weights.hpp"
#include "linear/likelihood/move_counts.hpp"

namespace seqlab {

// eq:crf-likelihood, one term per sequence: what the model expects, less what the labels say. Labels that are known in part
// count as the labellings that fit them (eq:partial-labels).
// Where choices are local, eq:memm-likelihood, of sequences whose labels are all known.
template <class F>
class Slopes {
public:
    // So many sequences of one length the kernels take in lockstep.
    static constexpr std::size_t most_in_step = 4;

    Slopes(const Task& task, const ChainRows<F>& rows, bool local = false)
        : task_(task), rows_(rows), local_(local) {}

    // Looks at some sequences, none of them empty, and returns their loss. The same bits for any number of threads.
    double operator()(const ChainWeights<F>& weights, std::span<const std::size_t> sequences,
                      std::size_t threads);

    // Of the last call: its sequences; expected less given labels of the i-th (T, L), which the caller may change, with
    // room for a vector behind; and the sums of moves, triples and edge attributes, which the caller takes off.
    std::span<const std::size_t> sequences() const { return sequences_; }
    F* residual(std::size_t i) { return residual_[i]; }
    MoveCounts<F>& moves() { return parts_[0]->moves; }
    // Residuals times a number.
    void multiply(double by);
    // Forgets those sums, when only the loss was wanted.
    void drop() { moves().clear(); }

private:
    // Sequences that one thread looks at.
    struct Part {
        ChainScores<F> scores;
        MoveCounts<F> moves;
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
    std::vector<ChainScores<F>> several_;  // of sequences that the kernels take in lockstep
    std::vector<Trellis<F>> trellises_;
};

}  // namespace seqlab
