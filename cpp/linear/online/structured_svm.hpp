// The structured support vector machine: every path must score below the given labels by its Hamming loss.
//
// eq:structured-svm   P(θ) = l2 |θ|² + Σ_s w_s H_s(θ),   H_s(θ) = max(0, max_y Δ_s(y) - θ·ψ_s(y)),   ψ_s(y) = F(y_s) -
// F(y)
#pragma once

#include <vector>

#include "linear/online/learner.hpp"

namespace seqlab::online {

// eq:duality-gap   P - D >= P - min P >= 0
struct Check {
    double primal;  // P at weights()
    double dual;    // D at the multipliers of weights(); NaN where there are none
};

class StructuredSvm : public Walker<double> {
public:
    StructuredSvm(const Task& task, const double* theta, const Schedule& schedule, double l2)
        : Walker<double>(task, theta, schedule), l2_(l2) {}

    // Compute primal and dual in a pass over all sequences.
    Check check(std::size_t threads) const;
    // For partial labels: choose the gold paths again with the current weights, where that is not done at every visit.
    // Returns how many changed; with 0, nothing has changed.
    virtual std::size_t renew() { return 0; }

protected:
    // The most violating path (loss-augmented decoding) under the weights factor · θ.
    struct Rival {
        double cost = 0.0;  // Δ(y)
        double loss = 0.0;  // Δ(y) - θ·ψ(y), at least 0; 0 when no path violates the margin
    };
    Rival rival(const LiveWeights<double>& weights, double factor, std::size_t s, Decoder<double>& decoder,
                Sparse& difference) const;

    virtual const Label* right(std::size_t s, Decoder<double>& decoder) const = 0;
    // Σ_s w_s Σ_y α_s(y) Δ_s(y), for the multipliers α of weights().
    virtual double mean_cost() const = 0;

    double l2_;
    Sparse difference_;
};

// Block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013) on the dual. θ is the sum of one vector per sequence; a
// visit moves the vector of its sequence towards that of the most violating path, by an exact line search. The vectors
// are stored as sparse lists.
class FrankWolfe final : public StructuredSvm {
public:
    // Starts at 0, the only known point of the dual; theta, if not 0, only chooses the first gold paths for partial
    // labels.
    FrankWolfe(const Task& task, const double* theta, const Schedule& schedule, double l2);

    std::size_t renew() override;
    void record(Snapshot& state) override;

private:
    struct Block {
        Sparse theta;
        double cost = 0.0;
    };

    void visit(std::size_t s, Pass& pass) override;
    const Label* right(std::size_t s, Decoder<double>& decoder) const override;
    double mean_cost() const override { return costs_.mean(0, cost_); }

    void move(Block& block, double step, double cost);
    void read_blocks(Snapshot& state);
    double line_search(double cost) const;

    std::vector<Block> block_;
    double cost_ = 0.0;
    Averages costs_;
    double steps_ = 0.0;
    Sparse direction_, merged_;
    std::vector<std::vector<Label>> right_;  // gold paths of sequences with partial labels
};

// Stochastic subgradient steps of length 1 / (λ (i_0 + i)), λ = 2 l2 / N, as in Pegasos, where i_0 is the weight of the
// start: θ_i is v_i / (λ (i_0 + i)), and v changes only where ψ is not 0.
class Subgradient final : public StructuredSvm {
public:
    Subgradient(const Task& task, const double* theta, const Schedule& schedule, double l2);

    void weights(double* theta) const override;
    void record(Snapshot& state) override;

private:
    void visit(std::size_t s, Pass& pass) override;
    const Label* right(std::size_t s, Decoder<double>& decoder) const override;
    double mean_cost() const override;
    double per_step() const;

    double N_;
    bool from_zero_;
    double before_;  // i_0
    bool whole_;
    double cost_ = 0.0, steps_ = 0.0;
    Averages costs_;
};

}  // namespace seqlab::online
