// Weights with a rate of their own each, which falls with the slopes that they have seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/data/task.hpp"
#include "linear/data/weight_table.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/likelihood/chain_weights.hpp"
#include "linear/likelihood/slopes.hpp"

namespace seqlab {

// eq:adagrad   G_k ← G_k + slope_k²,   h_k = √(1 + G_k),   θ_k ← exp(-η decay / h_k) θ_k - η slope_k / h_k
//
// A weight whose attribute does not occur keeps its h_k, so the penalties that it misses are one exponential when it
// occurs again: `clock` is Σ η decay, and each attribute remembers when it was last brought up to date.
template <class F>
class AdagradSteps {
public:
    AdagradSteps(const Task& task, const ChainRows<F>& rows);

    void load(const double* theta);
    // total (task.size()) += part · θ
    void add_to(double* total, double part);

    // Called before the sequences are looked at: brings what they use up to date.
    void prepare(std::span<const std::size_t> sequences);
    const ChainWeights<F>& chain() const { return chain_; }
    // One step along the slopes, which are used up.
    void step(Slopes<F>& slopes, double rate, double decay);

private:
    // What is remembered of attributes, and which of them the sequences of the moment use.
    struct Memory {
        std::span<const std::int64_t> begin;
        std::vector<F> gain;       // 1 / h, of each weight
        std::vector<double> when;  // of each attribute
        std::vector<std::uint64_t> visit;
        std::vector<std::size_t> used;

        explicit Memory(const Observed& observed);
        void reset();
        void see(const Task& task, const Entries& entries, std::span<const std::size_t> sequences,
                 std::uint64_t now);
        // weight(k) is the number of weight k
        template <class Weight>
        void catch_up(std::size_t a, double clock, Weight weight);
        template <class Weight, class Slope>
        void step(std::size_t a, double clock, double rate, Weight weight, Slope slope);
    };

    void catch_up_node(std::size_t a);
    void catch_up_pair(std::size_t a);
    static void step_dense(std::vector<double>& weight, std::vector<double>& gain, std::vector<double>& slope,
                           double rate, double tick);

    const Task& task_;
    const ChainRows<F>& rows_;
    ChainWeights<F> chain_;
    WeightTable<F> sums_;
    Memory nodes_, pairs_;
    std::vector<double> move_, triple_, of_move_, of_triple_, move_gain_, triple_gain_;
    double clock_ = 0.0;
    std::uint64_t visits_ = 0;
};

}  // namespace seqlab
