#include "learn/problem.hpp"

#include <algorithm>

namespace seqlab {

namespace {

// More stretches let more threads work; each costs memory for its sums, and a pass over them.
constexpr std::size_t tokens_worth_a_stretch = 50'000;
constexpr std::size_t most_stretches = 4;

}  // namespace

std::size_t Moves::weights() const {
    return static_cast<std::size_t>(std::ranges::count_if(number, [](std::int32_t n) { return n >= 0; }));
}

std::vector<double> empirical_counts(const Entries& entries, const Observed& observed, const Moves& moves,
                                     const Sequences& sequences) {
    std::vector<double> counts(observed.weights() + moves.weights());
    double* const of_move = counts.data() + observed.weights();
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const double weight = sequences.weight_of(s);
        for (std::size_t t = sequences.begin(s); t < sequences.begin(s + 1); ++t) {
            const Label y = sequences.labels[t];
            for (auto i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
                const auto a = static_cast<std::size_t>(entries.ids[i]);
                const auto* const first = observed.label.data() + observed.begin[a];
                const auto* const last = observed.label.data() + observed.begin[a + 1];
                const auto* const found = std::lower_bound(first, last, y);
                if (found != last && *found == y)
                    counts[static_cast<std::size_t>(found - observed.label.data())] +=
                        weight * (entries.values ? entries.values[i] : 1.0);
            }
            if (t == sequences.begin(s)) continue;
            const std::int32_t move =
                moves.number[static_cast<std::size_t>(sequences.labels[t - 1]) * moves.L +
                             static_cast<std::size_t>(y)];
            if (move >= 0) of_move[move] += weight;
        }
    }
    return counts;
}

std::vector<std::size_t> stretches(const Sequences& sequences) {
    const std::size_t tokens = sequences.begin(sequences.size());
    const std::size_t count = std::clamp<std::size_t>(tokens / tokens_worth_a_stretch, 1, most_stretches);
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
