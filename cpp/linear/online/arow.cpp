#include "linear/online/arow.hpp"

namespace seqlab::online {

// eq:arow   with Δ(ŷ) - θ·ψ for ℓ, and r / w for r where the sequence has weight w
void Arow::visit(std::size_t s, Pass& pass) {
    decoder_.look_at(weights_, s);
    const Label* const guess = decoder_.best();
    if (!guess) return;
    const Mistakes wrong = mistakes(known_, s, guess, decoder_.T());
    pass.mistakes += wrong.count;
    const Label* const gold = wrong.cost > 0.0 ? decoder_.gold() : nullptr;
    if (!gold) return;
    features_.difference(s, gold, guess, difference_);
    const double loss = wrong.cost - dot(weights_, difference_);
    const double r = r_ / task_.sequences.weight_of(s);
    double doubt = 0.0;
    for (const auto& [slot, x] : difference_) doubt += variance_[slot] * x * x;
    ++pass.updates;
    pass.loss += loss;
    const double alpha = loss / (r + doubt);
    for (const auto& [slot, x] : difference_) {
        double& variance = variance_[slot];
        add(slot, alpha * variance * x);
        variance = variance * r / (r + variance * x * x);
    }
}

}  // namespace seqlab::online
