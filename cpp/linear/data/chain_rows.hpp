// The attributes of a task's tokens, laid out for the kernels. They stay the same while theta changes.
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
    FeatureRows<F> clusters;  // each treated as a token
    std::size_t cluster_count = 0;

    // Without clusters.
    explicit ChainRows(const Task& task, std::size_t threads = 1)
        : plan(task.observed, task.transitions.L, 0, RowPlan::longest_in_training(task.transitions.L)),
          L(task.transitions.L),
          LP(kernels().of<F>().row_lanes(L)),
          rows(task.far ? FeatureRows<F>(task.row_windows(plan, threads))
                        : FeatureRows<F>(task.entries, task.observed, plan, task.row_index(plan, threads))) {}
    // With clusters where there are any: for passes over the whole corpus under the same weights.
    static ChainRows clustered(const Task& task, std::size_t threads);

    // Sum the rows of the attributes of each cluster into the cluster's row.
    void sum_clusters(WeightTable<F>& weights, std::size_t threads) const;
    // Add the counts of the clusters [from, to) to their attributes: to those with rows, and to those that are listed;
    // the two functions may run on two threads.
    void spread_to_rows(WeightTable<F>& sums, std::size_t from, std::size_t to) const;
    void spread_to_listed(WeightTable<F>& sums, std::size_t from, std::size_t to) const;

    // Offset of row c of the clusters in a table.
    std::size_t cluster_row(std::size_t c) const { return (plan.rows() + c) * LP; }

private:
    template <class Add>
    void spread(WeightTable<F>& sums, std::size_t first, std::size_t last, Add add) const;

    ChainRows(const Task& task, const ClusteredRows& made)
        : plan(made.plan),
          L(task.transitions.L),
          LP(kernels().of<F>().row_lanes(L)),
          rows(task.far ? FeatureRows<F>(made.windows)
                        : FeatureRows<F>(task.entries, task.observed, plan, made.tokens)),
          clusters(task.entries, task.observed, plan, made.members),
          cluster_count(made.clusters) {}
    // Of these rows alone, in place of the task's own.
    ChainRows(const Task& task, FeatureRows<F> own)
        : plan(task.observed, task.transitions.L, 0, RowPlan::longest_in_training(task.transitions.L)),
          L(task.transitions.L),
          LP(kernels().of<F>().row_lanes(L)),
          rows(std::move(own)) {}

    template <class G>
    friend std::unique_ptr<ChainRows<G>> squared_rows(const Task& task);
};

// Copy of the rows with value² instead of value, for second derivatives; null when every entry counts 1.
template <class F>
std::unique_ptr<ChainRows<F>> squared_rows(const Task& task);

}  // namespace seqlab
