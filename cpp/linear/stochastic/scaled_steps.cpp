#include "linear/stochastic/scaled_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace seqlab {

namespace {

// A smaller scale would cost precision; a smaller factor is applied directly.
constexpr double least_scale = 1e-6, least_factor = 1e-3;

}  // namespace

template <class F>
std::vector<std::uint32_t> lanes_with_weight(const Task& task, const ChainRows<F>& rows) {
    const auto& k = kernels().of<F>();
    const std::size_t vectors = k.row_vectors(rows.LP);
    std::vector<std::uint32_t> lanes(rows.plan.rows() * vectors, 0);
    for (std::size_t a = 0; a < rows.plan.attributes(); ++a)
        if (const std::int32_t row = rows.plan.row(a); row != RowPlan::listed)
            for (auto i = task.observed.begin[a]; i < task.observed.begin[a + 1]; ++i)
                k.mark_lane(rows.LP,
                            static_cast<std::size_t>(task.observed.label[static_cast<std::size_t>(i)]),
                            lanes.data() + static_cast<std::size_t>(row) * vectors);
    return lanes;
}

template <class F>
ScaledSteps<F>::ScaledSteps(const Task& task, const ChainRows<F>& rows)
    : task_(task),
      rows_(rows),
      lanes_(lanes_with_weight(task, rows)),
      chain_(task, rows.plan, rows.LP),
      move_(task.transitions.weights()),
      of_move_(move_.size()) {}

template <class F>
void ScaledSteps<F>::load(const double* theta) {
    chain_.load(theta);
    scale_ = 1.0;
    std::copy_n(theta + task_.first_move(), move_.size(), move_.begin());
}

template <class F>
void ScaledSteps<F>::add_to(double* total, double part, std::size_t threads) {
    chain_.node().add_to(total, part * scale_, threads);
    for (std::size_t k = 0; k < move_.size(); ++k) total[task_.first_move() + k] += part * move_[k];
    for (std::size_t k = 0; k < task_.edge_observed.weights(); ++k)
        total[task_.first_edge() + k] += part * scale_ * static_cast<double>(chain_.pairs()[k]);
}

template <class F>
void ScaledSteps<F>::soften(double by) {
    chain_.node().soften(static_cast<F>(by / scale_));
    for (double& x : move_) x = std::copysign(std::max(0.0, std::abs(x) - by), x);
    chain_.load_moves(move_.data());
}

template <class F>
void ScaledSteps<F>::step(Slopes<F>& slopes, double rate, double decay) {
    const double by = multiplier(rate, decay);
    slopes.multiply(by);
    shrink(rate, decay);
    add_to_rows(slopes);
    add_to_listed(slopes);
    add_to_moves(slopes, rate, decay);
    if (task_.has_edge_attributes()) add_to_pairs(slopes, by);
}

// True if a step should multiply the numbers themselves, and leave the scale at 1.
template <class F>
bool ScaledSteps<F>::at_once(double factor) const {
    return factor < least_factor || scale_ * factor < least_scale;
}

template <class F>
double ScaledSteps<F>::multiplier(double rate, double decay) const {
    const double factor = 1.0 - rate * decay;
    return -rate / (at_once(factor) ? 1.0 : scale_ * factor);
}

template <class F>
void ScaledSteps<F>::shrink(double rate, double decay) {
    const double factor = 1.0 - rate * decay;
    const bool now = at_once(factor);
    scale_ *= factor;
    if (now) {
        chain_.node().multiply(static_cast<F>(scale_));
        for (std::size_t k = 0; k < task_.edge_observed.weights(); ++k)
            chain_.pairs()[k] *= static_cast<F>(scale_);
        scale_ = 1.0;
    }
    chain_.set_scale(static_cast<F>(scale_));
}

template <class F>
void ScaledSteps<F>::add_to_rows(Slopes<F>& slopes) {
    for (std::size_t i = 0; i < slopes.sequences().size(); ++i) {
        const std::size_t s = slopes.sequences()[i];
        const RowView<F> seen = rows_.rows.view(task_.sequences.begin(s), task_.sequences.end(s));
        kernels().of<F>().move_rows(chain_.node().dense(), rows_.LP, rows_.L, lanes_.data(), seen.rows,
                                    task_.sequences.begin(s) - seen.first,
                                    task_.sequences.end(s) - seen.first, slopes.residual(i));
    }
}

template <class F>
void ScaledSteps<F>::add_to_listed(Slopes<F>& slopes) {
    for (std::size_t i = 0; i < slopes.sequences().size(); ++i) {
        const std::size_t s = slopes.sequences()[i];
        rows_.rows.count_listed(slopes.residual(i), rows_.L, task_.sequences.begin(s), task_.sequences.end(s),
                                chain_.node().listed());
    }
}

template <class F>
void ScaledSteps<F>::add_to_moves(Slopes<F>& slopes, double rate, double decay) {
    const double factor = 1.0 - rate * decay;
    std::ranges::fill(of_move_, 0.0);
    slopes.moves().move_moves_to(of_move_.data());
    for (std::size_t k = 0; k < move_.size(); ++k) move_[k] = factor * move_[k] - rate * of_move_[k];
    chain_.load_moves(move_.data());
}

// An attribute that comes twice has no gradient left the second time.
template <class F>
void ScaledSteps<F>::add_to_pairs(Slopes<F>& slopes, double by) {
    const std::span<double> sums = slopes.moves().pairs();
    each_attribute(task_.edge_entries, nullptr, task_.sequences, slopes.sequences(), [&](std::size_t a) {
        for (auto k = static_cast<std::size_t>(task_.edge_observed.begin[a]);
             k < static_cast<std::size_t>(task_.edge_observed.begin[a + 1]); ++k)
            chain_.pairs()[k] += static_cast<F>(by * std::exchange(sums[k], 0.0));
    });
}

template std::vector<std::uint32_t> lanes_with_weight<float>(const Task&, const ChainRows<float>&);
template std::vector<std::uint32_t> lanes_with_weight<double>(const Task&, const ChainRows<double>&);
template class ScaledSteps<float>;
template class ScaledSteps<double>;

}  // namespace seqlab
