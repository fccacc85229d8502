#include "linear/data/empirical.hpp"

#include "base/parallel/parallel.hpp"

namespace seqlab {

namespace {

// Add the counts of a token with this label: to rows, and to listed weights. The listed weights of a token are
// adjacent, unlike those of its attributes.
void count_rows(const ChainRows<double>& rows, const RowList<double>& dense, std::size_t token, Label label,
                double weight, double* sums) {
    for (auto i = dense.begin[token]; i < dense.begin[token + 1]; ++i)
        sums[static_cast<std::size_t>(dense.row[i]) * rows.LP + static_cast<std::size_t>(label)] +=
            weight * (dense.value ? dense.value[i] : 1.0);
}

void count_listed(const ListedEntries<double>& listed, std::size_t token, Label label, double weight,
                  double* sums) {
    for (auto i = listed.begin[token]; i < listed.begin[token + 1]; ++i)
        if (listed.label[i] == label)
            sums[listed.weight[i]] += weight * (listed.value ? listed.value[i] : 1.0);
}

// Call count(view, token, label, weight) for every token whose label is known; the token is counted as in the view.
// Some sentences are viewed at once: a window for each would cost more than the counting.
template <class Count>
void each_label(const ChainRows<double>& rows, const Sequences& sequences, Count count) {
    for (std::size_t first = 0, last = 0; first < sequences.size(); first = last) {
        poll();
        for (last = first + 1;
             last < sequences.size() && sequences.end(last) - sequences.begin(first) <= FarEntries::block;)
            ++last;
        const RowView<double> seen = rows.rows.view(sequences.begin(first), sequences.end(last - 1));
        for (std::size_t s = first; s < last; ++s)
            if (const double weight = sequences.gold_weight_of(s); weight != 0.0) {
                const std::size_t begin = sequences.begin(s), T = sequences.end(s) - begin;
                const Label* const path = sequences.path(s);
                for (std::size_t t = 0; t < T; ++t) count(seen, begin + t - seen.first, path[t], weight);
            }
    }
}

// Count the transitions (of every level) and the edge attributes of one sequence.
void count_moves(const Task& task, std::size_t s, double weight, double* out) {
    const std::size_t begin = task.sequences.begin(s), T = task.sequences.end(s) - begin;
    const Label* const path = task.sequences.path(s);
    const Transitions& moves = task.transitions;
    for (std::size_t t = 1; t < T; ++t) {
        for (std::size_t level = 1; level <= moves.level_into(t); ++level)
            if (const auto k = moves.weight(level, moves.cell(level, path + t)); k >= 0)
                out[task.first_move() + static_cast<std::size_t>(k)] += weight;
        if (task.has_edge_attributes())
            add_entries(task.edge_entries, task.edge_observed, begin + t,
                        static_cast<std::int32_t>(moves.cell(1, path + t)), weight, out + task.first_edge());
    }
}

}  // namespace

std::vector<double> empirical_counts(const Task& task, std::size_t threads) {
    const auto rows = ChainRows<double>::clustered(task, threads);
    WeightTable<double> sums(task.observed, rows.plan, rows.LP);
    std::vector<double> counts(task.size());
    // Three parts that write to different memory.
    parallel_for(3, threads, [&](std::size_t part) {
        if (part == 0)
            each_label(rows, task.sequences,
                       [&](const RowView<double>& seen, std::size_t token, Label label, double weight) {
                           count_rows(rows, seen.rows, token, label, weight, sums.dense());
                       });
        if (part == 1)
            each_label(rows, task.sequences,
                       [&](const RowView<double>& seen, std::size_t token, Label label, double weight) {
                           count_listed(seen.listed, token, label, weight, sums.listed());
                       });
        for (std::size_t s = 0; part == 2 && s < task.sequences.size(); ++s)
            if (const double weight = task.sequences.gold_weight_of(s); weight != 0.0)
                count_moves(task, s, weight, counts.data());
    });
    rows.spread_to_rows(sums, 0, rows.cluster_count);
    rows.spread_to_listed(sums, 0, rows.cluster_count);
    sums.move_to(counts.data(), threads);
    return counts;
}

}  // namespace seqlab
