#include "learn/chain_counts.hpp"

#include <algorithm>
#include <utility>

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
    : MoveCounts<F>(task),
      rows_(rows),
      hot_rows_(hot_rows),
      sums_(task.observed, rows.plan, rows.LP),
      hot_(sums_.weights_of_first_rows(hot_rows)) {}

template <class F>
void ChainCounts<F>::count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma) {
    kernels().of<F>().scatter_rows(sums_.dense(), rows_.LP, rows_.L, rows.rows.rows(), from, to, gamma);
    rows.rows.count_listed(gamma, rows_.L, from, to, sums_.listed());
}

template <class F>
void ChainCounts<F>::move_into(ChainCounts& total) {
    sums_.move_into(total.sums_);
    for (std::size_t k = 0; k < hot_.size(); ++k) total.hot_[k] += std::exchange(hot_[k], 0.0);
    MoveCounts<F>::move_into(total);
}

template <class F>
void ChainCounts<F>::move_to(double* gradient, std::size_t threads) {
    sums_.move_to(gradient, threads);
    for (std::size_t k = 0; k < hot_.size(); ++k) gradient[k] += std::exchange(hot_[k], 0.0);
    MoveCounts<F>::move_to(gradient);
}

template class ChainCounts<float>;
template class ChainCounts<double>;

}  // namespace seqlab
