// Weights for SGD; those of attributes are stored as scale · number, so that the penalty costs one multiplication.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/chain_weights.hpp"
#include "linear/likelihood/slopes.hpp"

namespace seqlab {

// For each row of the weight table, a mask of the lanes that have a weight, for the kernel move_rows.
template <class F>
std::vector<std::uint32_t> lanes_with_weight(const Task& task, const ChainRows<F>& rows);

// eq:sgd   θ ← (1 - η decay) θ - η slope
template <class F>
class ScaledSteps {
public:
    ScaledSteps(const Task& task, const ChainRows<F>& rows);

    void load(const double* theta);
    // total (task.size()) += part · θ
    void add_to(double* total, double part, std::size_t threads = 1);

    void record(Snapshot& state) {
        chain_.record(state);
        state("moves", move_.data(), move_.size());
        state("factor", scale_);
    }

    // Move all weights towards zero by `by`, at most to zero: the proximal step of an L1 penalty.
    void soften(double by);

    // Called before the sequences are scored; nothing to do here.
    void prepare(std::span<const std::size_t>) {}
    const ChainWeights<F>& chain() const { return chain_; }
    // Take one step along the gradients, which are consumed.
    void step(Slopes<F>& slopes, double rate, double decay);

    // The parts of step(), for callers with threads: gradients are multiplied by multiplier(), then shrink() is called,
    // then rows, listed weights and transitions are added to, in any order or in parallel. Edge attributes are not
    // included.
    double multiplier(double rate, double decay) const;
    void shrink(double rate, double decay);
    void add_to_rows(Slopes<F>& slopes);
    void add_to_listed(Slopes<F>& slopes);
    void add_to_moves(Slopes<F>& slopes, double rate, double decay);

private:
    bool at_once(double factor) const;
    void add_to_pairs(Slopes<F>& slopes, double by);

    const Task& task_;
    const ChainRows<F>& rows_;
    std::vector<std::uint32_t> lanes_;
    ChainWeights<F> chain_;
    std::vector<double> move_, of_move_;  // few, so that they need no scale
    double scale_ = 1.0;
};

}  // namespace seqlab
