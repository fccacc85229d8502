#include "learn/chain_counts.hpp"

#include <algorithm>
#include <utility>

namespace seqlab {

namespace {

// A float32 sum of so many terms is still good to five digits.
constexpr std::size_t most_terms_in_float = 512;

}  // namespace

template <class F>
HotRows HotRows::of(const ChainRows<F>& rows) {
    if (sizeof(F) > 4) return {};
    std::vector<std::size_t> uses(rows.plan.rows_and_sums());
    for (const std::span<const std::int32_t> some : {rows.rows.all_rows(), rows.clusters.all_rows()})
        for (const std::int32_t row : some) ++uses[static_cast<std::size_t>(row)];
    const auto up_to_last = [&](std::size_t first, std::size_t count) {
        while (count > 0 && uses[first + count - 1] <= most_terms_in_float) --count;
        return count;
    };
    return {up_to_last(0, rows.plan.rows()), up_to_last(rows.plan.rows(), rows.cluster_count)};
}

template <class F>
ChainCounts<F>::ChainCounts(const Task& task, const ChainRows<F>& rows, HotRows hot)
    : MoveCounts<F>(task),
      rows_(rows),
      hot_rows_(hot),
      sums_(task.observed, rows.plan, rows.LP),
      hot_(sums_.weights_of_first_rows(hot.attributes)),
      hot_clusters_(hot.clusters * rows.L) {}

template <class F>
void ChainCounts<F>::count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma) {
    kernels().of<F>().scatter_rows(sums_.dense(), rows_.LP, rows_.L, rows.rows.rows(), from, to, gamma);
    rows.rows.count_listed(gamma, rows_.L, from, to, sums_.listed());
}

template <class F>
void ChainCounts<F>::settle() {
    sums_.move_first_rows(hot_rows_.attributes, hot_.data());
    for (std::size_t c = 0; c < hot_rows_.clusters; ++c) {
        F* const row = sums_.dense() + rows_.cluster_row(c);
        double* const total = hot_clusters_.data() + c * rows_.L;
        for (std::size_t y = 0; y < rows_.L; ++y)
            total[y] += static_cast<double>(std::exchange(row[y], F{0}));
    }
}

template <class F>
void ChainCounts<F>::move_into(ChainCounts& total, std::size_t threads) {
    sums_.move_into(total.sums_, threads);
    for (std::size_t k = 0; k < hot_.size(); ++k) total.hot_[k] += std::exchange(hot_[k], 0.0);
    for (std::size_t i = 0; i < hot_clusters_.size(); ++i)
        total.hot_clusters_[i] += std::exchange(hot_clusters_[i], 0.0);
    MoveCounts<F>::move_into(total);
}

template <class F>
void ChainCounts<F>::clear() {
    sums_.clear();
    std::ranges::fill(hot_, 0.0);
    std::ranges::fill(hot_clusters_, 0.0);
    MoveCounts<F>::clear();
}

// Each cluster's sum to its attributes.
template <class F>
void ChainCounts<F>::spread_clusters() {
    for (std::size_t c = 0; c < hot_rows_.clusters; ++c)
        for (std::size_t y = 0; y < rows_.L; ++y)
            sums_.dense()[rows_.cluster_row(c) + y] +=
                static_cast<F>(std::exchange(hot_clusters_[c * rows_.L + y], 0.0));
    for (std::size_t from = 0; from < rows_.cluster_count; from += most_terms_in_float) {
        rows_.spread_clusters(sums_, from, std::min(rows_.cluster_count, from + most_terms_in_float));
        sums_.move_first_rows(hot_rows_.attributes, hot_.data());
    }
}

template <class F>
void ChainCounts<F>::move_to(double* gradient, std::size_t threads) {
    spread_clusters();
    sums_.move_to(gradient, threads);
    for (std::size_t k = 0; k < hot_.size(); ++k) gradient[k] += std::exchange(hot_[k], 0.0);
    MoveCounts<F>::move_to(gradient);
}

template HotRows HotRows::of<float>(const ChainRows<float>&);
template HotRows HotRows::of<double>(const ChainRows<double>&);
template class ChainCounts<float>;
template class ChainCounts<double>;

}  // namespace seqlab
