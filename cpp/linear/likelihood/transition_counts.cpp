#include "linear/likelihood/transition_counts.hpp"

#include <algorithm>
#include <utility>

#include "base/numerics/sum.hpp"
#include "inference/marginals.hpp"

namespace seqlab {

template <class F>
TransitionCounts<F>::TransitionCounts(const Task& task) : task_(task), pair_(task.edge_observed.weights()) {
    for (std::size_t level = 1; level <= task.transitions.order(); ++level)
        counts_.emplace_back(task.transitions.cells(level));
}

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
    const std::size_t L = task_.transitions.L;
    const bool edges = task_.has_edge_attributes();
    // The dense kernels do not support weights: their counts are weighted afterwards.
    const bool later = task_.plain() && weight != 1.0;
    CountTarget target{counts_.back().data(), 0, {nullptr, nullptr}, nullptr, later ? 1.0 : weight};
    for (std::size_t t = 1; t < counts_.size(); ++t) target.head[t - 1] = counts_[t - 1].data();
    if (later) {
        own_.assign(L * L, 0.0);
        target.edge = own_.data();
    }
    if (edges) {
        slabs_.assign(batch[0].T > 1 ? (batch[0].T - 1) * L * L : 0, 0.0);
        target.pairs = slabs_.data();
    }
    log_z_.resize(batch.size());
    expected_counts<F>(batch, gamma, &target, !edges, log_z_.data(), nullptr, 1);
    for (std::size_t m = 0; later && m < own_.size(); ++m) counts_[0][m] += weight * own_[m];
    for (std::size_t t = 1; edges && t < batch[0].T; ++t)
        count_pairs(slabs_.data() + (t - 1) * L * L, task_.sequences.begin(s) + t);
    CompensatedSum loss;
    for (const double z : log_z_) loss.add(weight * z);
    if (weight == 1.0) return loss.value();
    for (std::size_t i = 0; i < batch.size(); ++i)
        for (std::size_t n = 0; n < batch[i].T * L; ++n) gamma[i][n] *= static_cast<F>(weight);
    return loss.value();
}

template <class F>
void TransitionCounts<F>::count_pairs(const double* pair, std::size_t token) {
    const Entries& entries = task_.edge_entries;
    for (auto i = entries.indptr[token]; i < entries.indptr[token + 1]; ++i) {
        const double given = entries.values ? entries.values[i] : 1.0;
        const double value = squared_ ? given * given : given;
        each_move(entries, task_.edge_observed, static_cast<std::size_t>(i),
                  [&](std::size_t move, std::size_t k) { pair_[k] += value * pair[move]; });
    }
}

template <class F>
void TransitionCounts<F>::count_row(std::size_t t, std::size_t before, std::size_t token, const F* p) {
    const std::size_t L = task_.transitions.L;
    double* const row = counts_[task_.transitions.level_into(t) - 1].data() + before * L;
    for (std::size_t y = 0; y < L; ++y) row[y] += static_cast<double>(p[y]);
    if (!task_.has_edge_attributes()) return;
    slabs_.assign(L * L, 0.0);
    for (std::size_t y = 0; y < L; ++y) slabs_[before % L * L + y] = static_cast<double>(p[y]);
    count_pairs(slabs_.data(), token);
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
    const std::size_t begin = task_.sequences.begin(s), T = task_.sequences.end(s) - begin;
    const Transitions& moves = task_.transitions;
    for (std::size_t t = 1; t < T; ++t) {
        const std::size_t level = moves.level_into(t);
        counts_[level - 1][moves.cell(level, path + t)] += weight;
        if (task_.has_edge_attributes())
            add_entries(task_.edge_entries, task_.edge_observed, begin + t,
                        static_cast<std::int32_t>(moves.cell(1, path + t)), weight, pair_.data());
    }
}

template <class F>
void TransitionCounts<F>::move_into(TransitionCounts& total) {
    const auto add = [](std::vector<double>& from, std::vector<double>& to) {
        for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
        std::ranges::fill(from, 0.0);
    };
    for (std::size_t j = counts_.size(); j-- > 0;) add(counts_[j], total.counts_[j]);
    add(pair_, total.pair_);
}

template <class F>
void TransitionCounts<F>::clear() {
    for (auto& level : counts_) std::ranges::fill(level, 0.0);
    std::ranges::fill(pair_, 0.0);
}

template <class F>
void TransitionCounts<F>::move_to(double* gradient) {
    move_moves_to(gradient + task_.first_move());
    for (std::size_t k = 0; k < pair_.size(); ++k)
        gradient[task_.first_edge() + k] += std::exchange(pair_[k], 0.0);
}

// A transition counts for its own weight, and for those of its last labels in the tables of fewer labels.
template <class F>
void TransitionCounts<F>::move_moves_to(double* of_move) {
    const Transitions& moves = task_.transitions;
    for (std::size_t top = moves.order(); top > 0; --top) {
        std::vector<double>& counts = counts_[top - 1];
        for (std::size_t cell = 0; cell < counts.size(); ++cell) {
            const double x = std::exchange(counts[cell], 0.0);
            for (std::size_t level = 1; x != 0.0 && level <= top; ++level)
                if (const auto k = moves.weight(level, cell % moves.cells(level)); k >= 0) of_move[k] += x;
        }
    }
}

template class TransitionCounts<float>;
template class TransitionCounts<double>;

}  // namespace seqlab
