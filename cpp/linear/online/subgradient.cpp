#include <algorithm>
#include <limits>

#include "linear/online/structured_svm.hpp"

namespace seqlab::online {

namespace {

// Weight of the start in epochs: ten for one other than 0; one for 0, so that the first steps are not too long.
constexpr double worth_of_start = 10.0;

std::vector<double> times(const double* theta, std::size_t n, double factor) {
    std::vector<double> out(theta, theta + n);
    for (double& x : out) x *= factor;
    return out;
}

}  // namespace

// v_0 = λ i_0 θ_0
Subgradient::Subgradient(const Task& task, const double* theta, const Schedule& schedule, double l2)
    : StructuredSvm(task, times(theta, task.size(), 2.0 * l2 * worth_of_start).data(), schedule, l2),
      N_(static_cast<double>(visits_.size())),
      from_zero_(std::all_of(theta, theta + task.size(), [](double x) { return x == 0.0; })),
      before_(from_zero_ ? N_ : N_ * worth_of_start),
      whole_(std::ranges::all_of(visits_.all(), [&](std::size_t s) { return known_.all(s); })),
      costs_(1, schedule.averaged) {}

const Label* Subgradient::right(std::size_t, Decoder<double>& decoder) const {
    return decoder.gold();
}

// eq:structured-svm   v ← v + w_s ψ
void Subgradient::visit(std::size_t s, Pass& pass) {
    averages_.begin_step(1.0);
    costs_.begin_step(1.0);
    const double weight = task_.sequences.weight_of(s);
    const double factor = N_ / (2.0 * l2_ * (before_ + steps_));
    const Rival found = rival(weights_, factor, s, decoder_, difference_);
    steps_ += 1.0;
    if (found.loss == 0.0) return;
    ++pass.updates;
    pass.loss += weight * found.loss;
    for (const auto& [slot, x] : difference_) add(slot, weight * x);
    cost_ += weight * found.cost;
    costs_.add(0, weight * found.cost);
}

// Divisor of v, or of its mean over the steps, to give θ, or the mean of θ_i with importance i_0 + i.
double Subgradient::per_step() const {
    return (averages_.wanted() && steps_ > 0.0 ? before_ + 0.5 * (steps_ + 1.0) : before_ + steps_) / N_;
}

void Subgradient::weights(double* theta) const {
    StructuredSvm::weights(theta);
    if (N_ == 0.0) return;
    const double factor = 1.0 / (2.0 * l2_ * per_step());
    for (std::size_t k = 0; k < size(); ++k) theta[k] *= factor;
}

void Subgradient::record(Snapshot& state) {
    StructuredSvm::record(state);
    state("cost", cost_);
    state("steps", steps_);
    costs_.record(state, "costs");
}

double Subgradient::mean_cost() const {
    if (!from_zero_ || !whole_) return std::numeric_limits<double>::quiet_NaN();
    return N_ == 0.0 ? 0.0 : costs_.mean(0, cost_) / per_step();
}

}  // namespace seqlab::online
