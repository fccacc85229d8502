#include "linear/likelihood/chain_counts.hpp"

#include <algorithm>
#include <utility>

namespace seqlab {

namespace {

// A float32 sum of this many terms is still exact to five digits.
constexpr std::size_t most_terms_in_float = 512;

}  // namespace

template <class F>
FrequentRows FrequentRows::of(const Task& task, const ChainRows<F>& rows) {
    if (sizeof(F) > 4) return {};
    std::vector<std::uint32_t> of_row(rows.plan.rows_and_sums()), of_weight(task.observed.weights());
    for (const FeatureRows<F>* const some : {&rows.rows, &rows.clusters}) {
        some->each_use([&](std::span<const std::int32_t> used, std::span<const std::int32_t> listed) {
            for (const std::int32_t row : used) ++of_row[static_cast<std::size_t>(row)];
            for (const std::int32_t weight : listed) ++of_weight[static_cast<std::size_t>(weight)];
        });
    }
    // A listed attribute has all its weights in the list.
    const auto uses = [&](std::size_t a) {
        if (const std::int32_t row = rows.plan.row(a); row != RowPlan::listed)
            return of_row[static_cast<std::size_t>(row)];
        return task.observed.count(a) > 0 ? of_weight[static_cast<std::size_t>(task.observed.begin[a])] : 0;
    };
    FrequentRows frequent{rows.plan.attributes(), rows.cluster_count};
    while (frequent.attributes > 0 && uses(frequent.attributes - 1) <= most_terms_in_float)
        --frequent.attributes;
    while (frequent.clusters > 0 && of_row[rows.plan.rows() + frequent.clusters - 1] <= most_terms_in_float)
        --frequent.clusters;
    return frequent;
}

template <class F>
ChainCounts<F>::ChainCounts(const Task& task, const ChainRows<F>& rows, FrequentRows frequent)
    : TransitionCounts<F>(task),
      rows_(rows),
      hot_rows_(frequent),
      sums_(task.observed, rows.plan, rows.LP),
      frequent_(static_cast<std::size_t>(task.observed.begin[frequent.attributes])),
      frequent_clusters_(frequent.clusters * rows.L) {}

template <class F>
void ChainCounts<F>::count_nodes(const ChainRows<F>& rows, std::size_t from, std::size_t to, const F* gamma) {
    const RowView<F> seen = rows.rows.view(from, to);
    kernels().of<F>().scatter_rows(sums_.dense(), rows_.LP, rows_.L, seen.rows, from - seen.first,
                                   to - seen.first, gamma);
    rows.rows.count_listed(gamma, rows_.L, from, to, sums_.listed());
}

template <class F>
void ChainCounts<F>::settle() {
    sums_.move_first_rows(hot_rows_.attributes, frequent_.data());
    sums_.move_first_listed(hot_rows_.attributes, frequent_.data());
    for (std::size_t c = 0; c < hot_rows_.clusters; ++c) {
        F* const row = sums_.dense() + rows_.cluster_row(c);
        double* const total = frequent_clusters_.data() + c * rows_.L;
        for (std::size_t y = 0; y < rows_.L; ++y)
            total[y] += static_cast<double>(std::exchange(row[y], F{0}));
    }
}

template <class F>
void ChainCounts<F>::move_into(ChainCounts& total, std::size_t threads) {
    sums_.move_into(total.sums_, threads);
    for (std::size_t k = 0; k < frequent_.size(); ++k) total.frequent_[k] += std::exchange(frequent_[k], 0.0);
    for (std::size_t i = 0; i < frequent_clusters_.size(); ++i)
        total.frequent_clusters_[i] += std::exchange(frequent_clusters_[i], 0.0);
    TransitionCounts<F>::move_into(total);
}

template <class F>
void ChainCounts<F>::clear() {
    sums_.clear();
    std::ranges::fill(frequent_, 0.0);
    std::ranges::fill(frequent_clusters_, 0.0);
    TransitionCounts<F>::clear();
}

// Add each cluster's sum to its attributes.
template <class F>
void ChainCounts<F>::spread_clusters(std::size_t threads) {
    for (std::size_t c = 0; c < hot_rows_.clusters; ++c)
        for (std::size_t y = 0; y < rows_.L; ++y)
            sums_.dense()[rows_.cluster_row(c) + y] +=
                static_cast<F>(std::exchange(frequent_clusters_[c * rows_.L + y], 0.0));
    parallel_for(2, threads, [&, &set = kernels()](std::size_t part) {
        const PinKernels pin(set);
        for (std::size_t from = 0; from < rows_.cluster_count; from += most_terms_in_float) {
            const std::size_t to = std::min(rows_.cluster_count, from + most_terms_in_float);
            if (part == 0) {
                rows_.spread_to_rows(sums_, from, to);
                sums_.move_first_rows(hot_rows_.attributes, frequent_.data());
            } else {
                rows_.spread_to_listed(sums_, from, to);
                sums_.move_first_listed(hot_rows_.attributes, frequent_.data());
            }
        }
    });
}

template <class F>
void ChainCounts<F>::move_to(double* gradient, std::size_t threads) {
    spread_clusters(threads);
    sums_.move_to(gradient, threads);
    for (std::size_t k = 0; k < frequent_.size(); ++k) gradient[k] += std::exchange(frequent_[k], 0.0);
    TransitionCounts<F>::move_to(gradient);
}

template FrequentRows FrequentRows::of<float>(const Task&, const ChainRows<float>&);
template FrequentRows FrequentRows::of<double>(const Task&, const ChainRows<double>&);
template class ChainCounts<float>;
template class ChainCounts<double>;

}  // namespace seqlab
