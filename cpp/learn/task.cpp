#include "learn/task.hpp"

#include <algorithm>

namespace seqlab {

namespace {

// More stretches let more threads work; each costs memory for its sums, and a pass over them.
constexpr std::size_t tokens_worth_a_stretch = 8'000;
// A stretch costs a pass over all weights: few of them for a corpus of usual size, more where the sentences outweigh that.
constexpr std::size_t usual_stretches = 4, most_stretches = 32, tokens_worth_more = 50'000;

std::size_t numbered(std::span<const std::int32_t> numbers) {
    return static_cast<std::size_t>(std::ranges::count_if(numbers, [](std::int32_t n) { return n >= 0; }));
}

}  // namespace

void Moves::set_number(std::span<const std::int32_t> numbers) {
    number = numbers;
    weights_ = numbered(numbers);
}

void Moves::set_triple(std::span<const std::int32_t> numbers) {
    triple = numbers;
    triples_ = numbered(numbers);
}

void add_entries(const Entries& entries, const Observed& observed, std::size_t t, std::int32_t label,
                 double weight, double* out) {
    for (auto i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
        const auto a = static_cast<std::size_t>(entries.ids[i]);
        const auto* const first = observed.label.data() + observed.begin[a];
        const auto* const last = observed.label.data() + observed.begin[a + 1];
        const auto* const found = std::lower_bound(first, last, label);
        if (found != last && *found == label)
            out[found - observed.label.data()] += weight * (entries.values ? entries.values[i] : 1.0);
    }
}

void add_features(const Task& task, std::size_t s, const Label* path, double weight, double* out) {
    const std::size_t begin = task.sequences.begin(s), T = task.sequences.end(s) - begin;
    const auto L = static_cast<std::int32_t>(task.moves.L);
    for (std::size_t t = 0; t < T; ++t) {
        add_entries(task.entries, task.observed, begin + t, path[t], weight, out);
        if (t == 0) continue;
        const std::int32_t move = path[t - 1] * L + path[t];
        if (const auto k = task.moves.number[static_cast<std::size_t>(move)]; k >= 0)
            out[task.first_move() + static_cast<std::size_t>(k)] += weight;
        if (task.sees_moves())
            add_entries(task.edge_entries, task.edge_observed, begin + t, move, weight,
                        out + task.first_edge());
        if (t == 1 || task.moves.order() == 1) continue;
        const std::size_t three =
            static_cast<std::size_t>(path[t - 2]) * task.moves.number.size() + static_cast<std::size_t>(move);
        if (const auto k = task.moves.triple[three]; k >= 0)
            out[task.first_triple() + static_cast<std::size_t>(k)] += weight;
    }
}

std::vector<double> empirical_counts(const Task& task) {
    std::vector<double> counts(task.size());
    for (std::size_t s = 0; s < task.sequences.size(); ++s)
        if (const double weight = task.sequences.gold_weight_of(s); weight != 0.0)
            add_features(task, s, task.sequences.labels + task.sequences.begin(s), weight, counts.data());
    return counts;
}

std::vector<std::size_t> stretches(const Sequences& sequences) {
    const std::size_t tokens = sequences.begin(sequences.size());
    const std::size_t most = std::clamp(tokens / tokens_worth_more, usual_stretches, most_stretches);
    const std::size_t count = std::clamp<std::size_t>(tokens / tokens_worth_a_stretch, 1, most);
    std::vector<std::size_t> cuts{0};
    for (std::size_t i = 1; i < count; ++i) {
        const auto wanted = static_cast<std::int64_t>(tokens * i / count);
        cuts.push_back(static_cast<std::size_t>(std::ranges::lower_bound(sequences.offset, wanted) -
                                                sequences.offset.begin()));
    }
    cuts.push_back(sequences.size());
    return cuts;
}

}  // namespace seqlab
