#include "linear/data/chain_rows.hpp"

#include <algorithm>
#include <vector>

#include "linear/data/row_windows.hpp"

namespace seqlab {

namespace {

constexpr std::size_t block_clusters = 64;  // their sums stay in the first-level cache

// Call work(from, to) for blocks of [first, last).
template <class Work>
void each_block(std::size_t first, std::size_t last, Work work) {
    for (std::size_t from = first; from < last; from += block_clusters)
        work(from, std::min(last, from + block_clusters));
}

}  // namespace

template <class F>
ChainRows<F> ChainRows<F>::clustered(const Task& task, std::size_t threads) {
    const auto made = task.clustered_rows(threads);
    return made->clusters == 0 ? ChainRows(task, threads) : ChainRows(task, *made);
}

template <class F>
void ChainRows<F>::sum_clusters(WeightTable<F>& weights, std::size_t threads) const {
    constexpr std::size_t worth_a_thread = 512;
    const std::size_t parts = std::clamp<std::size_t>(cluster_count / worth_a_thread, 1, threads);
    parallel_for(parts, parts, [&, &set = kernels()](std::size_t i) {
        const PinKernels pin(set);
        Buffer<F> room;
        F* const sums = room.of(block_clusters * L + LP);
        each_block(cluster_count * i / parts, cluster_count * (i + 1) / parts,
                   [&](std::size_t from, std::size_t to) {
                       set.of<F>().gather_rows(weights.dense(), LP, L, clusters.view(from, to).rows, from, to,
                                               sums);
                       clusters.add_listed(weights.listed(), L, from, to, sums);
                       for (std::size_t c = from; c < to; ++c)
                           std::copy_n(sums + (c - from) * L, L, weights.dense() + cluster_row(c));
                   });
    });
}

// Call add(from, to, counted) for blocks of clusters; `counted` has their sums one after another, with a spare vector
// after them.
template <class F>
template <class Add>
void ChainRows<F>::spread(WeightTable<F>& sums, std::size_t first, std::size_t last, Add add) const {
    Buffer<F> room;
    F* const counted = room.of(block_clusters * L + LP);
    std::fill_n(counted, block_clusters * L + LP, F{0});
    each_block(first, last, [&](std::size_t from, std::size_t to) {
        for (std::size_t c = from; c < to; ++c)
            std::copy_n(sums.dense() + cluster_row(c), L, counted + (c - from) * L);
        add(from, to, counted);
    });
}

template <class F>
void ChainRows<F>::spread_to_rows(WeightTable<F>& sums, std::size_t first, std::size_t last) const {
    spread(sums, first, last, [&](std::size_t from, std::size_t to, const F* counted) {
        kernels().of<F>().scatter_rows(sums.dense(), LP, L, clusters.view(from, to).rows, from, to, counted);
    });
}

template <class F>
void ChainRows<F>::spread_to_listed(WeightTable<F>& sums, std::size_t first, std::size_t last) const {
    spread(sums, first, last, [&](std::size_t from, std::size_t to, const F* counted) {
        clusters.count_listed(counted, L, from, to, sums.listed());
    });
}

template <class F>
std::unique_ptr<ChainRows<F>> squared_rows(const Task& task) {
    if (task.far) {
        if (!task.far->valued()) return nullptr;
        auto windows = std::make_shared<const RowWindows>(
            task.far, task.observed,
            RowPlan(task.observed, task.transitions.L, 0, RowPlan::longest_in_training(task.transitions.L)),
            nullptr, 0, 1, true);
        return std::unique_ptr<ChainRows<F>>(new ChainRows<F>(task, FeatureRows<F>(std::move(windows))));
    }
    if (!task.entries.values) return nullptr;
    const auto entries = static_cast<std::size_t>(task.entries.indptr[task.entries.tokens()]);
    std::vector<double> values(task.entries.values, task.entries.values + entries);
    for (double& v : values) v *= v;
    Task squared = task;
    squared.entries.values = values.data();
    return std::make_unique<ChainRows<F>>(squared);
}

template struct ChainRows<float>;
template struct ChainRows<double>;
template std::unique_ptr<ChainRows<float>> squared_rows<float>(const Task&);
template std::unique_ptr<ChainRows<double>> squared_rows<double>(const Task&);

}  // namespace seqlab
