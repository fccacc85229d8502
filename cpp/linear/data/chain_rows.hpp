// The attributes of a task's tokens, laid out for the kernels: what stays the same while theta changes.
#pragma once

#include <memory>

#include "linear/data/task.hpp"
#include "linear/data/weight_table.hpp"

namespace seqlab {

template <class F>
struct ChainRows {
    RowPlan plan;
    std::size_t L, LP;
    FeatureRows<F> rows;
    FeatureRows<F> clusters;  // each as if it were a token
    std::size_t cluster_count = 0;

    // Every token for itself.
    explicit ChainRows(const Task& task, std::size_t threads = 1)
        : plan(task.observed, task.moves.L),
          L(task.moves.L),
          LP(kernels().of<F>().row_lanes(L)),
          rows(task.entries, task.observed, plan, task.row_index(plan, threads)) {}
    // With clusters where there are any: for who looks at the whole corpus under the same weights.
    static ChainRows clustered(const Task& task, std::size_t threads);

    // The rows of the clusters from those of their attributes.
    void sum_clusters(WeightTable<F>& weights, std::size_t threads) const;
    // The other way: what was counted for the clusters [from, to) is added to their attributes, those that have rows and those
    // that are listed; two threads may do one each.
    void spread_to_rows(WeightTable<F>& sums, std::size_t from, std::size_t to) const;
    void spread_to_listed(WeightTable<F>& sums, std::size_t from, std::size_t to) const;

    // Where row c of the clusters begins in a table.
    std::size_t cluster_row(std::size_t c) const { return (plan.rows() + c) * LP; }

private:
    template <class Add>
    void spread(WeightTable<F>& sums, std::size_t first, std::size_t last, Add add) const;

    ChainRows(const Task& task, const ClusteredRows& made)
        : plan(made.plan),
          L(task.moves.L),
          LP(kernels().of<F>().row_lanes(L)),
          rows(task.entries, task.observed, plan, made.tokens),
          clusters(task.entries, task.observed, plan, made.members),
          cluster_count(made.clusters) {}
};

// The same with value² in place of value, as a second derivative wants it; null when every entry counts 1.
template <class F>
std::unique_ptr<ChainRows<F>> squared_rows(const Task& task);

}  // namespace seqlab
