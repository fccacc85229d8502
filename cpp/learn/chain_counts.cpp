#include "learn/chain_counts.hpp"

#include <algorithm>

#include "inference/marginals.hpp"
#include "numerics/sum.hpp"

namespace seqlab {

namespace {

// A float32 sum of so many terms is still good to five digits.
constexpr std::size_t most_terms_in_float = 512;

}  // namespace

std::size_t count_hot_rows(const Entries& entries, const RowPlan& plan) {
    std::vector<std::size_t> uses(plan.rows());
    for (std::int64_t i = 0; i < entries.indptr[entries.tokens()]; ++i)
        if (const std::int32_t row = plan.row(static_cast<std::size_t>(entries.ids[i]));
            row != RowPlan::listed)
            ++uses[static_cast<std::size_t>(row)];
    const auto last =
        std::find_if(uses.rbegin(), uses.rend(), [](std::size_t n) { return n > most_terms_in_float; });
    return static_cast<std::size_t>(uses.rend() - last);
}

template <class F>
ChainCounts<F>::ChainCounts(const Task& task, const ChainRows<F>& rows, std::size_t hot_rows)
    : task_(task),
      rows_(rows),
      hot_rows_(hot_rows),
      sums_(task.observed, rows.plan, rows.LP),
      hot_(sums_.weights_of_first_rows(hot_rows)),
      edge_(task.moves.order() == 2 ? task.moves.triple.size() : task.moves.number.size()),
      head_(task.moves.order() == 2 ? task.moves.number.size() : 0),
      pair_(task.edge_observed.weights()),
      sum_(task.moves.number.size()) {}

// Sequences of one weight run together where they share their edges.
template <class F>
double ChainCounts<F>::count_moves(Batch<F> batch, std::size_t first, const double* weight, F* const* gamma) {
    CompensatedSum loss;
    for (std::size_t i = 0, end; i < batch.size(); i = end) {
        const double w = weight ? weight[first + i] : 1.0;
        end = i + 1;
        while (!task_.sees_moves() && end < batch.size() && (!weight || weight[first + end] == w)) ++end;
        loss.add(counted(batch.subspan(i, end - i), first + i, w, gamma + i));
    }
    return loss.value();
}

template <class F>
double ChainCounts<F>::counted(Batch<F> batch, std::size_t s, double weight, F* const* gamma) {
    const double loss =
        task_.sees_moves() ? apart(batch[0], s, weight, gamma[0]) : together(batch, weight, gamma);
    if (weight == 1.0) return loss;
    for (std::size_t i = 0; i < batch.size(); ++i)
        for (std::size_t n = 0; n < batch[i].T * rows_.L; ++n) gamma[i][n] *= static_cast<F>(weight);
    return loss;
}

template <class F>
double ChainCounts<F>::together(Batch<F> batch, double weight, F* const* gamma) {
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

// A sequence whose edges are its own: the counts of every position are wanted.
template <class F>
double ChainCounts<F>::apart(const Trellis<F>& trellis, std::size_t s, double weight, F* gamma) {
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

// (L, L): how likely each move into t is, from the counts of apart().
template <class F>
const double* ChainCounts<F>::pairs_into(std::size_t t, std::size_t slab) {
    const std::size_t order = task_.moves.order();
    if (t < order) return own_head_.data();
    const double* const at = slabs_.data() + (t - order) * slab;
    if (order == 1) return at;
    std::ranges::fill(sum_, 0.0);
    for (std::size_t i = 0; i < slab; ++i) sum_[i % sum_.size()] += at[i];
    return sum_.data();
}

template <class F>
void ChainCounts<F>::count_pairs(const double* pair, std::size_t token, double weight) {
    const Entries& entries = task_.edge_entries;
    for (auto i = entries.indptr[token]; i < entries.indptr[token + 1]; ++i) {
        const auto a = static_cast<std::size_t>(entries.ids[i]);
        const double given = entries.values ? entries.values[i] : 1.0;
        const double value = weight * (squared_ ? given * given : given);
        for (auto k = static_cast<std::size_t>(task_.edge_observed.begin[a]);
             k < static_cast<std::size_t>(task_.edge_observed.begin[a + 1]); ++k)
            pair_[k] += value * pair[task_.edge_observed.label[k]];
    }
}

template <class F>
void ChainCounts<F>::count_row(std::size_t from, std::size_t token, const F* p) {
    const std::size_t L = rows_.L;
    for (std::size_t y = 0; y < L; ++y) edge_[from * L + y] += static_cast<double>(p[y]);
    if (!task_.sees_moves()) return;
    std::ranges::fill(sum_, 0.0);
    for (std::size_t y = 0; y < L; ++y) sum_[from * L + y] = static_cast<double>(p[y]);
    count_pairs(sum_.data(), token, 1.0);
}

template <class F>
void ChainCounts<F>::count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma) {
    kernels().of<F>().scatter_rows(sums_.dense(), rows_.LP, rows_.L, rows.rows.rows(), from, to, gamma);
    rows.rows.count_listed(gamma, rows_.L, from, to, sums_.listed());
}

template <class F>
void ChainCounts<F>::move_into(ChainCounts& total) {
    sums_.move_into(total.sums_);
    for (const auto part :
         {&ChainCounts::hot_, &ChainCounts::edge_, &ChainCounts::head_, &ChainCounts::pair_}) {
        std::vector<double>&from = this->*part, &to = total.*part;
        for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
        std::ranges::fill(from, 0.0);
    }
}

template <class F>
void ChainCounts<F>::move_to(double* gradient) {
    sums_.move_to(gradient);
    for (std::size_t k = 0; k < hot_.size(); ++k) gradient[k] += hot_[k];
    const Moves& moves = task_.moves;
    double* const of_move = gradient + task_.first_move();
    for (std::size_t m = 0; m < edge_.size(); ++m)
        if (const auto k = moves.number[m % moves.number.size()]; k >= 0) of_move[k] += edge_[m];
    for (std::size_t m = 0; m < head_.size(); ++m)
        if (moves.number[m] >= 0) of_move[moves.number[m]] += head_[m];
    for (std::size_t m = 0; m < moves.triple.size(); ++m)
        if (moves.triple[m] >= 0)
            gradient[task_.first_triple() + static_cast<std::size_t>(moves.triple[m])] += edge_[m];
    for (std::size_t k = 0; k < pair_.size(); ++k) gradient[task_.first_edge() + k] += pair_[k];
    for (auto* part : {&hot_, &edge_, &head_, &pair_}) std::ranges::fill(*part, 0.0);
}

template class ChainCounts<float>;
template class ChainCounts<double>;

}  // namespace seqlab
