#include "linear/online/passive_aggressive.hpp"

#include <algorithm>
#include <cmath>

namespace seqlab::online {

void PassiveAggressive::visit(std::size_t s, Pass& pass) {
    averages_.begin_step(1.0);
    decoder_.look_at(weights_, s);
    const Label* const guess =
        options_.cost == Cost::hamming ? decoder_.best_with_cost(1.0) : decoder_.best();
    if (!guess) return;
    const Mistakes wrong = mistakes(known_, s, guess, decoder_.T());
    pass.mistakes += wrong.count;
    const Label* const gold = wrong.cost > 0.0 ? decoder_.gold() : nullptr;
    if (!gold) return;
    features_.difference(s, gold, guess, difference_);
    const double loss = cost_of(wrong.cost) - dot(weights_, difference_);
    const double norm = squared(difference_);
    if (loss <= 0.0 || norm == 0.0) return;
    ++pass.updates;
    pass.loss += loss;
    const double tau = step(loss, norm, task_.sequences.weight_of(s));
    for (const auto& [slot, x] : difference_) add(slot, tau * x);
}

double PassiveAggressive::cost_of(double wrong) const {
    if (options_.cost == Cost::one) return 1.0;
    return options_.cost == Cost::sqrt ? std::sqrt(wrong) : wrong;
}

// eq:passive-aggressive   for a sequence of weight w, C is multiplied by w
double PassiveAggressive::step(double loss, double norm, double weight) const {
    if (options_.kind == 1) return std::min(options_.C * weight, loss / norm);
    if (options_.kind == 2) return loss / (norm + 0.5 / (options_.C * weight));
    return loss / norm;
}

}  // namespace seqlab::online
