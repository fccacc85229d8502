// Passive-aggressive learning (Crammer et al. 2006): the smallest change that corrects the mistake.
//
// eq:passive-aggressive   θ ← θ + τ ψ,   ψ = F(y_s) - F(ŷ),   ℓ = cost - θ·ψ,   τ = ℓ / |ψ|², limited by C
#pragma once

#include "linear/online/learner.hpp"

namespace seqlab::online {

// Margin. Hamming: Δ(ŷ), with ŷ by eq:loss-augmented; otherwise √Δ(ŷ) or 1, with ŷ the best path.
enum class Cost { hamming, sqrt, one };

struct PassiveAggressiveOptions {
    int kind = 1;  // 0: PA, unlimited; 1 and 2: PA-I and PA-II
    double C = 1.0;
    Cost cost = Cost::hamming;
};

class PassiveAggressive final : public Walker<double> {
public:
    PassiveAggressive(const Task& task, const double* theta, const Schedule& schedule,
                      const PassiveAggressiveOptions& options)
        : Walker<double>(task, theta, schedule), options_(options) {}

private:
    void visit(std::size_t s, Pass& pass) override;
    double cost_of(double wrong) const;
    double step(double loss, double norm, double weight) const;

    PassiveAggressiveOptions options_;
    Sparse difference_;
};

}  // namespace seqlab::online
