#include "linear/likelihood/transition_counts.hpp"

#include <algorithm>
#include <utility>

#include "base/numerics/sum.hpp"
#include "inference/marginals.hpp"

namespace seqlab {

template <class F>
TransitionCounts<F>::TransitionCounts(const Task& task)
    : task_(task),
      edge_(task.transitions.order() == 2 ? task.transitions.triple.size() : task.transitions.number.size()),
      head_(task.transitions.order() == 2 ? task.transitions.number.size() : 0),
      pair_(task.edge_observed.weights()),
      sum_(task.transitions.number.size()) {}

// Sequences of equal weight run together where they share their edges.
template <class F>
double TransitionCounts<F>::count_moves(Batch<F> batch, std::size_t first, const double* weight,
                                        F* const* gamma) {
    CompensatedSum loss;
    for (std::size_t i = 0, end; i < batch.size(); i = end) {
        const double w = weight ? weight[first + i] : 1.0;
        end = i + 1;
        while (!task_.has_edge_attributes() && end < batch.size() && (!weight || weight[first + end] == w))
            ++end;
        loss.add(counted(batch.subspan(i, end - i), first + i, w, gamma + i));
    }
    return loss.value();
}

template <class F>
double TransitionCounts<F>::counted(Batch<F> batch, std::size_t s, double weight, F* const* gamma) {
    const double loss =
        task_.has_edge_attributes() ? apart(batch[0], s, weight, gamma[0]) : together(batch, weight, gamma);
    if (weight == 1.0) return loss;
    for (std::size_t i = 0; i < batch.size(); ++i)
        for (std::size_t n = 0; n < batch[i].T * task_.transitions.L; ++n)
            gamma[i][n] *= static_cast<F>(weight);
    return loss;
}

template <class F>
double TransitionCounts<F>::together(Batch<F> batch, double weight, F* const* gamma) {
    log_z_.resize(batch.size());
    const bool direct = weight == 1.0;
    slabs_.assign(direct ? 0 : edge_.size(), 0.0);
    own_head_.assign(direct ? 0 : head_.size(), 0.0);
    double* const head = direct ? head_.data() : own_head_.data();
    const CountTarget target{
        direct ? edge_.data() : slabs_.data(), 0, {head_.empty() ? nullptr : head, nullptr}};
    expected_counts<F>(batch, gamma, &target, true, log_z_.data(), nullptr, 1);
    for (std::size_t m = 0; m < slabs_.size(); ++m) edge_[m] += weight * slabs_[m];
    for (std::size_t m = 0; m < own_head_.size(); ++m) head_[m] += weight * own_head_[m];
    CompensatedSum loss;
    for (const double z : log_z_) loss.add(weight * z);
    return loss.value();
}

// A sequence with its own edges: the counts of every position are kept.
template <class F>
double TransitionCounts<F>::apart(const Trellis<F>& trellis, std::size_t s, double weight, F* gamma) {
    const std::size_t order = trellis.order, slab = edge_.size();
    slabs_.assign(trellis.T > order ? (trellis.T - order) * slab : 0, 0.0);
    own_head_.assign(head_.size(), 0.0);
    const CountTarget target{slabs_.data(), slab, {head_.empty() ? nullptr : own_head_.data(), nullptr}};
    double log_z = 0.0;
    expected_counts<F>(Batch<F>(&trellis, 1), &gamma, &target, false, &log_z, nullptr, 1);
    for (std::size_t i = 0; i < slabs_.size(); ++i) edge_[i % slab] += weight * slabs_[i];
    for (std::size_t m = 0; m < own_head_.size(); ++m) head_[m] += weight * own_head_[m];
    for (std::size_t t = 1; t < trellis.T; ++t)
        count_pairs(pairs_into(t, slab), task_.sequences.begin(s) + t, weight);
    return weight * log_z;
}

// (L, L): the probability of each transition into t, from the counts of apart().
template <class F>
const double* TransitionCounts<F>::pairs_into(std::size_t t, std::size_t slab) {
    const std::size_t order = task_.transitions.order();
    if (t < order) return own_head_.data();
    const double* const at = slabs_.data() + (t - order) * slab;
    if (order == 1) return at;
    std::ranges::fill(sum_, 0.0);
    for (std::size_t i = 0; i < slab; ++i) sum_[i % sum_.size()] += at[i];
    return sum_.data();
}

template <class F>
void TransitionCounts<F>::count_pairs(const double* pair, std::size_t token, double weight) {
    const Entries& entries = task_.edge_entries;
    for (auto i = entries.indptr[token]; i < entries.indptr[token + 1]; ++i) {
        const double given = entries.values ? entries.values[i] : 1.0;
        const double value = weight * (squared_ ? given * given : given);
        each_move(entries, task_.edge_observed, static_cast<std::size_t>(i),
                  [&](std::size_t move, std::size_t k) { pair_[k] += value * pair[move]; });
    }
}

template <class F>
void TransitionCounts<F>::count_row(std::size_t from, std::size_t token, const F* p) {
    const std::size_t L = task_.transitions.L;
    for (std::size_t y = 0; y < L; ++y) edge_[from * L + y] += static_cast<double>(p[y]);
    if (!task_.has_edge_attributes()) return;
    std::ranges::fill(sum_, 0.0);
    for (std::size_t y = 0; y < L; ++y) sum_[from * L + y] = static_cast<double>(p[y]);
    count_pairs(sum_.data(), token, 1.0);
}

template <class F>
double TransitionCounts<F>::subtract_partial_labels(ChainScores<F>& scores, std::size_t first,
                                                    std::size_t last, F* const* gamma) {
    const auto& partial = task_.partial_labels;
    CompensatedSum known;
    auto c = static_cast<std::size_t>(
        std::ranges::lower_bound(partial.sequence, static_cast<std::int64_t>(first)) -
        partial.sequence.begin());
    for (; c < partial.size() && partial.sequence[c] < static_cast<std::int64_t>(last); ++c) {
        const auto s = static_cast<std::size_t>(partial.sequence[c]);
        const Trellis<F>& trellis = scores.restricted(c);
        restricted_.resize(trellis.T * trellis.L);
        known.add(-count_one(trellis, s, -partial.weight[c], restricted_.data()));
        for (std::size_t n = 0; n < restricted_.size(); ++n) gamma[s - first][n] += restricted_[n];
    }
    return known.value();
}

template <class F>
void TransitionCounts<F>::count_path(std::size_t s, const Label* path, double weight) {
    const std::size_t begin = task_.sequences.begin(s), T = task_.sequences.end(s) - begin,
                      L = task_.transitions.L;
    for (std::size_t t = 1; t < T; ++t) {
        const std::size_t move =
            static_cast<std::size_t>(path[t - 1]) * L + static_cast<std::size_t>(path[t]);
        if (task_.transitions.order() == 1) {
            edge_[move] += weight;
        } else if (t == 1) {
            head_[move] += weight;
        } else {
            edge_[static_cast<std::size_t>(path[t - 2]) * L * L + move] += weight;
        }
        if (task_.has_edge_attributes())
            add_entries(task_.edge_entries, task_.edge_observed, begin + t, static_cast<std::int32_t>(move),
                        weight, pair_.data());
    }
}

template <class F>
void TransitionCounts<F>::move_into(TransitionCounts& total) {
    for (const auto part : {&TransitionCounts::edge_, &TransitionCounts::head_, &TransitionCounts::pair_}) {
        std::vector<double>&from = this->*part, &to = total.*part;
        for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
        std::ranges::fill(from, 0.0);
    }
}

template <class F>
void TransitionCounts<F>::clear() {
    for (auto* part : {&edge_, &head_, &pair_}) std::ranges::fill(*part, 0.0);
}

template <class F>
void TransitionCounts<F>::move_to(double* gradient) {
    move_to(gradient + task_.first_move(), gradient + task_.first_triple());
    for (std::size_t k = 0; k < pair_.size(); ++k)
        gradient[task_.first_edge() + k] += std::exchange(pair_[k], 0.0);
}

template <class F>
void TransitionCounts<F>::move_to(double* of_move, double* of_triple) {
    const Transitions& moves = task_.transitions;
    for (std::size_t m = 0; m < edge_.size(); ++m)
        if (const auto k = moves.number[m % moves.number.size()]; k >= 0) of_move[k] += edge_[m];
    for (std::size_t m = 0; m < head_.size(); ++m)
        if (moves.number[m] >= 0) of_move[moves.number[m]] += head_[m];
    for (std::size_t m = 0; m < moves.triple.size(); ++m)
        if (moves.triple[m] >= 0) of_triple[moves.triple[m]] += edge_[m];
    std::ranges::fill(edge_, 0.0);
    std::ranges::fill(head_, 0.0);
}

template class TransitionCounts<float>;
template class TransitionCounts<double>;

}  // namespace seqlab
