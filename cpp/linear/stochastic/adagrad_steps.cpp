#include "linear/stochastic/adagrad_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace seqlab {

namespace {

// exp(-x) for small x, where four terms are exact; most x are small, and these take a fifth of the time.
constexpr double small = 1e-3;
template <class F>
F shrunk_little(F x) {
    return F{1} - x * (F{1} - x * (F{0.5} - x * (F(1.0 / 6.0) - x * F(1.0 / 24.0))));
}

template <class F>
F shrunk(F x) {
    return x < F(small) ? shrunk_little(x) : std::exp(-x);
}

// 1 / √(h² + slope²) for gain = 1 / h
template <class F>
F steeper(F gain, F slope) {
    return gain / std::sqrt(F{1} + slope * gain * (slope * gain));
}

}  // namespace

template <class F>
AdagradSteps<F>::Memory::Memory(const Observed& observed)
    : begin(observed.begin),
      gain(observed.weights(), F{1}),
      when(observed.begin.empty() ? 0 : observed.attributes()),
      visit(when.size()) {}

template <class F>
void AdagradSteps<F>::Memory::reset() {
    std::ranges::fill(gain, F{1});
    std::ranges::fill(when, 0.0);
}

template <class F>
void AdagradSteps<F>::Memory::see(const Task& task, const Entries& entries, const FarEntries* far,
                                  std::span<const std::size_t> sequences, std::uint64_t now) {
    used.clear();
    each_attribute(entries, far, task.sequences, sequences, [&](std::size_t a) {
        if (std::exchange(visit[a], now) != now) used.push_back(a);
    });
}

template <class F>
template <class Weight>
void AdagradSteps<F>::Memory::catch_up(std::size_t a, double clock, Weight weight) {
    const double missed = clock - std::exchange(when[a], clock);
    const F x = static_cast<F>(missed);
    const auto first = static_cast<std::size_t>(begin[a]), last = static_cast<std::size_t>(begin[a + 1]);
    if (missed == 0.0) return;
    if (missed < small) {  // gains are at most 1
        for (auto k = first; k < last; ++k) weight(k) *= shrunk_little(x * gain[k]);
    } else {
        for (auto k = first; k < last; ++k) weight(k) *= shrunk(x * gain[k]);
    }
}

template <class F>
template <class Weight, class Slope>
void AdagradSteps<F>::Memory::step(std::size_t a, double clock, double rate, Weight weight, Slope slope) {
    const auto first = static_cast<std::size_t>(begin[a]), last = static_cast<std::size_t>(begin[a + 1]);
    for (auto k = first; k < last; ++k) gain[k] = steeper(gain[k], static_cast<F>(slope(k)));
    catch_up(a, clock, weight);
    const F by = static_cast<F>(rate);
    for (auto k = first; k < last; ++k) weight(k) -= by * gain[k] * static_cast<F>(slope(k));
}

template <class F>
AdagradSteps<F>::AdagradSteps(const Task& task, const ChainRows<F>& rows)
    : task_(task),
      rows_(rows),
      chain_(task, rows.plan, rows.LP),
      sums_(task.observed, rows.plan, rows.LP),
      nodes_(task.observed),
      pairs_(task.edge_observed),
      move_(task.transitions.weights()),
      of_move_(move_.size()),
      move_gain_(move_.size(), 1.0) {}

template <class F>
void AdagradSteps<F>::load(const double* theta) {
    chain_.load(theta);
    std::copy_n(theta + task_.first_move(), move_.size(), move_.begin());
    nodes_.reset();
    pairs_.reset();
    std::ranges::fill(move_gain_, 1.0);
    clock_ = 0.0;
}

template <class F>
void AdagradSteps<F>::add_to(double* total, double part) {
    for (std::size_t a = 0; a < nodes_.when.size(); ++a) catch_up_node(a);
    for (std::size_t a = 0; a < pairs_.when.size(); ++a) catch_up_pair(a);
    chain_.node().add_to(total, part);
    for (std::size_t k = 0; k < move_.size(); ++k) total[task_.first_move() + k] += part * move_[k];
    for (std::size_t k = 0; k < task_.edge_observed.weights(); ++k)
        total[task_.first_edge() + k] += part * static_cast<double>(chain_.pairs()[k]);
}

template <class F>
void AdagradSteps<F>::catch_up_node(std::size_t a) {
    nodes_.catch_up(a, clock_, [&](std::size_t k) -> F& { return chain_.node().at(a, k); });
}

template <class F>
void AdagradSteps<F>::catch_up_pair(std::size_t a) {
    pairs_.catch_up(a, clock_, [&](std::size_t k) -> F& { return chain_.pairs()[k]; });
}

template <class F>
void AdagradSteps<F>::prepare(std::span<const std::size_t> sequences) {
    ++visits_;
    nodes_.see(task_, task_.entries, task_.far.get(), sequences, visits_);
    for (const std::size_t a : nodes_.used) catch_up_node(a);
    if (!task_.has_edge_attributes()) return;
    pairs_.see(task_, task_.edge_entries, nullptr, sequences, visits_);
    for (const std::size_t a : pairs_.used) catch_up_pair(a);
}

template <class F>
void AdagradSteps<F>::step(Slopes<F>& slopes, double rate, double decay) {
    const double tick = rate * decay;
    clock_ += tick;
    for (std::size_t i = 0; i < slopes.sequences().size(); ++i) {
        const std::size_t s = slopes.sequences()[i];
        const std::size_t from = task_.sequences.begin(s), to = task_.sequences.end(s);
        const RowView<F> seen = rows_.rows.view(from, to);
        kernels().of<F>().scatter_rows(sums_.dense(), rows_.LP, rows_.L, seen.rows, from - seen.first,
                                       to - seen.first, slopes.residual(i));
        rows_.rows.count_listed(slopes.residual(i), rows_.L, from, to, sums_.listed());
    }
    for (const std::size_t a : nodes_.used) {
        nodes_.step(
            a, clock_, rate, [&](std::size_t k) -> F& { return chain_.node().at(a, k); },
            [&](std::size_t k) { return sums_.at(a, k); });
        sums_.clear(a);
    }
    const std::span<double> of_pair = slopes.moves().pairs();
    for (const std::size_t a : pairs_.used) {
        pairs_.step(
            a, clock_, rate, [&](std::size_t k) -> F& { return chain_.pairs()[k]; },
            [&](std::size_t k) { return of_pair[k]; });
        std::fill(of_pair.begin() + pairs_.begin[a], of_pair.begin() + pairs_.begin[a + 1], 0.0);
    }
    slopes.moves().move_moves_to(of_move_.data());
    step_moves(rate, tick);
    chain_.load_moves(move_.data());
}

// Transitions are few, so all are updated every time.
template <class F>
void AdagradSteps<F>::step_moves(double rate, double tick) {
    for (std::size_t k = 0; k < move_.size(); ++k) {
        const double of = std::exchange(of_move_[k], 0.0);
        double& gain = move_gain_[k];
        gain = steeper(gain, of);
        move_[k] = move_[k] * shrunk(tick * gain) - rate * gain * of;
    }
}

template class AdagradSteps<float>;
template class AdagradSteps<double>;

}  // namespace seqlab
