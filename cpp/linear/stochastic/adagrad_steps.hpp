// AdaGrad: each weight has its own learning rate, which falls with its past gradients.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linear/data/task.hpp"
#include "linear/data/weight_table.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/chain_weights.hpp"
#include "linear/likelihood/slopes.hpp"

namespace seqlab {

// eq:adagrad   G_k ← G_k + slope_k²,   h_k = √(1 + G_k),   θ_k ← exp(-η decay / h_k) θ_k - η slope_k / h_k
//
// While its attribute does not occur, a weight keeps its h_k, so all skipped penalties are one exponential when it
// occurs again: `clock` is Σ η decay, and each attribute stores the clock of its last update.
template <class F>
class AdagradSteps {
public:
    AdagradSteps(const Task& task, const ChainRows<F>& rows);

    void load(const double* theta);
    // total (task.size()) += part · θ
    void add_to(double* total, double part);

    void record(Snapshot& state) {
        chain_.record(state);
        nodes_.record(state, "nodes");
        pairs_.record(state, "edges");
        state("moves", move_.data(), move_.size());
        state("move_gain", move_gain_.data(), move_gain_.size());
        state("clock", clock_);
        state("visits", visits_);
    }

    // Apply the skipped penalties to the weights that these sequences use, before they are scored.
    void prepare(std::span<const std::size_t> sequences);
    const ChainWeights<F>& chain() const { return chain_; }
    // Take one step along the gradients, which are consumed.
    void step(Slopes<F>& slopes, double rate, double decay);

private:
    // State of the attributes, and those of them that the current sequences use.
    struct Memory {
        std::span<const std::int64_t> begin;
        std::vector<F> gain;       // 1 / h, of each weight
        std::vector<double> when;  // clock of the last update of each attribute
        std::vector<std::uint64_t> visit;
        std::vector<std::size_t> used;

        explicit Memory(const Observed& observed);
        void reset();
        void record(Snapshot& state, const std::string& name) {
            state(name + ".gain", gain.data(), gain.size());
            state(name + ".when", when.data(), when.size());
            state(name + ".visit", visit.data(), visit.size());
        }
        void see(const Task& task, const Entries& entries, const FarEntries* far,
                 std::span<const std::size_t> sequences, std::uint64_t now);
        // weight(k) is the number of weight k
        template <class Weight>
        void catch_up(std::size_t a, double clock, Weight weight);
        template <class Weight, class Slope>
        void step(std::size_t a, double clock, double rate, Weight weight, Slope slope);
    };

    void catch_up_node(std::size_t a);
    void catch_up_pair(std::size_t a);
    void step_moves(double rate, double tick);

    const Task& task_;
    const ChainRows<F>& rows_;
    ChainWeights<F> chain_;
    WeightTable<F> sums_;
    Memory nodes_, pairs_;
    std::vector<double> move_, of_move_, move_gain_;
    double clock_ = 0.0;
    std::uint64_t visits_ = 0;
};

}  // namespace seqlab
