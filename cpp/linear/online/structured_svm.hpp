// The structured support vector machine: every path stays below the labels given by as much as it is wrong.
//
// eq:structured-svm   P(θ) = l2 |θ|² + Σ_s w_s H_s(θ),   H_s(θ) = max(0, max_y Δ_s(y) - θ·ψ_s(y)),   ψ_s(y) = F(y_s) - F(y)
#pragma once

#include <vector>

#include "linear/online/learner.hpp"

namespace seqlab::online {

// eq:duality-gap   P - D >= P - min P >= 0
struct Check {
    double primal;  // P at weights()
    double dual;    // D at the multipliers that weights() is made of; NaN where it is not made of any
};

class StructuredSvm : public Walker<double> {
public:
    StructuredSvm(const Task& task, const double* theta, const Schedule& schedule, double l2)
        : Walker<double>(task, theta, schedule), l2_(l2) {}

    // A pass over all sequences.
    Check check(std::size_t threads) const;
    // Labels known in part: chooses the paths that count as right by the weights of the moment, where that is not done at every
    // visit. Returns how many are new; with 0, nothing has changed.
    virtual std::size_t renew() { return 0; }

protected:
    // The path that is furthest above what its mistakes allow, with factor · θ for θ, and what it says.
    struct Rival {
        double cost = 0.0;  // Δ(y)
        double loss = 0.0;  // Δ(y) - θ·ψ(y), not below 0; 0 when nothing is above the labels given
    };
    Rival rival(const LiveWeights<double>& weights, double factor, std::size_t s, Decoder<double>& decoder,
                Sparse& difference) const;

    virtual const Label* right(std::size_t s, Decoder<double>& decoder) const = 0;
    // Σ_s w_s Σ_y α_s(y) Δ_s(y), for the α that weights() is made of.
    virtual double mean_cost() const = 0;

    double l2_;
    Sparse difference_;
};

// Block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013) on the dual. θ is the sum of one vector per sequence; a visit moves
// that of its sequence towards that of the rival, as far as is best. The vectors are kept, as lists of what is not 0.
class FrankWolfe final : public StructuredSvm {
public:
    // The start is 0, as the dual has no other; theta, if not 0, only chooses the first paths for labels known in part.
    FrankWolfe(const Task& task, const double* theta, const Schedule& schedule, double l2);

    std::size_t renew() override;

private:
    struct Block {
        Sparse theta;
        double cost = 0.0;
    };

    void visit(std::size_t s, Pass& pass) override;
    const Label* right(std::size_t s, Decoder<double>& decoder) const override;
    double mean_cost() const override { return costs_.mean(0, cost_); }

    void move(Block& block, double step, double cost);
    double line_search(double cost) const;

    std::vector<Block> block_;
    double cost_ = 0.0;
    Averages costs_;
    double steps_ = 0.0;
    Sparse direction_, merged_;
    std::vector<std::vector<Label>> right_;  // of sequences with partly known labels
};

// Stochastic subgradient steps of length 1 / (λ (i_0 + i)), λ = 2 l2 / N, as in Pegasos, where i_0 is what the start is worth:
// θ_i is v_i / (λ (i_0 + i)), and v changes only where ψ is not 0.
class Subgradient final : public StructuredSvm {
public:
    Subgradient(const Task& task, const double* theta, const Schedule& schedule, double l2);

    void weights(double* theta) const override;

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
