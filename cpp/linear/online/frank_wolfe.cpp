#include <algorithm>

#include "linear/online/structured_svm.hpp"

namespace seqlab::online {

namespace {

// out = a · one + b · other
void merge(const Sparse& one, double a, const Sparse& other, double b, Sparse& out) {
    out.clear();
    auto i = one.begin(), j = other.begin();
    while (i != one.end() || j != other.end()) {
        if (j == other.end() || (i != one.end() && i->slot < j->slot)) {
            out.push_back({i->slot, a * i->x});
            ++i;
        } else if (i == one.end() || j->slot < i->slot) {
            out.push_back({j->slot, b * j->x});
            ++j;
        } else {
            if (const double x = a * i->x + b * j->x; x != 0.0) out.push_back({i->slot, x});
            ++i, ++j;
        }
    }
}

}  // namespace

FrankWolfe::FrankWolfe(const Task& task, const double* theta, const Schedule& schedule, double l2)
    : StructuredSvm(task, theta, schedule, l2),
      block_(task.sequences.size()),
      costs_(1, schedule.averaged),
      right_(task.sequences.size()) {
    // With weights of 0, partial labels cannot be completed: fully labelled sentences come first, if there are any.
    const bool knows = std::any_of(theta, theta + size(), [](double x) { return x != 0.0; });
    if (knows || std::ranges::none_of(visits_.all(), [&](std::size_t s) { return known_.all(s); }))
        FrankWolfe::renew();
    weights_.load(std::vector<double>(size()).data());
}

const Label* FrankWolfe::right(std::size_t s, Decoder<double>&) const {
    if (known_.all(s)) return known_.labels(s);
    return right_[s].empty() ? nullptr : right_[s].data();
}

// θ_s → (w_s / 2 l2) ψ, the corner of the most violating path
void FrankWolfe::visit(std::size_t s, Pass& pass) {
    averages_.begin_step(++steps_);
    costs_.begin_step(steps_);
    Block& block = block_[s];
    const double weight = task_.sequences.weight_of(s);
    const Rival found = rival(weights_, 1.0, s, decoder_, difference_);
    pass.loss += weight * found.loss;
    merge(difference_, weight / (2.0 * l2_), block.theta, -1.0, direction_);
    const double cost = weight * found.cost - block.cost;
    const double step = line_search(cost);
    if (step == 0.0) return;
    ++pass.updates;
    move(block, step, cost);
}

// eq:duality-gap   D(θ + γ d) = D + γ (cost - 2 l2 θ·d) - γ² l2 |d|²: a parabola, maximised over [0, 1]
double FrankWolfe::line_search(double cost) const {
    const double slope = cost - 2.0 * l2_ * dot(weights_, direction_);
    const double bend = 2.0 * l2_ * squared(direction_);
    if (slope <= 0.0) return 0.0;
    return slope >= bend ? 1.0 : slope / bend;
}

void FrankWolfe::move(Block& block, double step, double cost) {
    for (const auto& [slot, x] : direction_) add(slot, step * x);
    merge(block.theta, 1.0, direction_, step, merged_);
    std::swap(block.theta, merged_);
    block.cost += step * cost;
    cost_ += step * cost;
    costs_.add(0, step * cost);
}

// The vectors and gold paths of all sequences, end to end.
void FrankWolfe::record(Snapshot& state) {
    StructuredSvm::record(state);
    state("cost", cost_);
    state("steps", steps_);
    costs_.record(state, "costs");
    if (state.reading()) {
        read_blocks(state);
        return;
    }
    std::vector<std::uint64_t> items, labels;
    std::vector<std::uint32_t> slots;
    std::vector<double> values, costs;
    std::vector<Label> path;
    for (std::size_t s = 0; s < block_.size(); ++s) {
        items.push_back(block_[s].theta.size());
        labels.push_back(right_[s].size());
        costs.push_back(block_[s].cost);
        for (const auto& [slot, x] : block_[s].theta) slots.push_back(slot), values.push_back(x);
        path.insert(path.end(), right_[s].begin(), right_[s].end());
    }
    state.keep("blocks.items", std::move(items));
    state.keep("blocks.slots", std::move(slots));
    state.keep("blocks.values", std::move(values));
    state.keep("blocks.costs", std::move(costs));
    state.keep("blocks.labels", std::move(labels));
    state.keep("blocks.path", std::move(path));
}

void FrankWolfe::read_blocks(Snapshot& state) {
    const auto items = state.take<std::uint64_t>("blocks.items"),
               labels = state.take<std::uint64_t>("blocks.labels");
    const auto slots = state.take<std::uint32_t>("blocks.slots");
    const auto values = state.take<double>("blocks.values"), costs = state.take<double>("blocks.costs");
    const auto path = state.take<Label>("blocks.path");
    const std::size_t N = block_.size();
    if (items.size() != N || labels.size() != N || costs.size() != N || values.size() != slots.size())
        throw SnapshotMismatch("blocks are of another corpus");
    std::size_t item = 0, label = 0;
    for (std::size_t s = 0; s < N; ++s) {
        const std::size_t T = task_.sequences.end(s) - task_.sequences.begin(s);
        if (items[s] > slots.size() - item || labels[s] > path.size() - label ||
            (labels[s] != 0 && labels[s] != T))
            throw SnapshotMismatch("blocks do not fit together");
        block_[s] = {{}, costs[s]};
        for (const std::size_t end = item + items[s]; item < end; ++item) {
            if (slots[item] >= features_.slots().size) throw SnapshotMismatch("blocks have no such weight");
            block_[s].theta.push_back({slots[item], values[item]});
        }
        const auto first = path.begin() + static_cast<std::ptrdiff_t>(label);
        right_[s].assign(first, first + static_cast<std::ptrdiff_t>(labels[s]));
        label += labels[s];
    }
    const auto known = [L = task_.transitions.L](Label y) {
        return y >= 0 && static_cast<std::size_t>(y) < L;
    };
    if (!std::ranges::all_of(path, known)) throw SnapshotMismatch("blocks have no such label");
}

// A sequence with a new gold path restarts from 0, and so do the averages, as their multipliers belong to the old path.
std::size_t FrankWolfe::renew() {
    const PinKernels pin(set_);
    std::size_t renewed = 0;
    for (const std::size_t s : visits_.all()) {
        if (known_.all(s)) continue;
        decoder_.look_at(weights_, s);
        const Label* const best = decoder_.gold();
        if (!best || std::equal(right_[s].begin(), right_[s].end(), best, best + decoder_.T())) continue;
        right_[s].assign(best, best + decoder_.T());
        ++renewed;
        for (const auto& [slot, x] : block_[s].theta) weights_.add(slot, -x);
        cost_ -= block_[s].cost;
        block_[s] = {};
    }
    if (renewed > 0) {
        averages_.restart();
        costs_.restart();
        steps_ = 0.0;
    }
    return renewed;
}

}  // namespace seqlab::online
