#include "learn/task.hpp"

#include <algorithm>

namespace seqlab {

namespace {

// More stretches let more threads work; each costs memory for its sums, and a pass over them.
constexpr std::size_t tokens_worth_a_stretch = 8'000;
// A stretch costs a pass over all weights: few of them for a corpus of usual size, more where the sentences outweigh that.
constexpr std::size_t usual_stretches = 4, most_stretches = 32, tokens_worth_more = 50'000;
// The first of four and more is shorter by this part: its sums go first, and those of the second are not to wait for them. The
// last is as much shorter, so that two threads are through at the same time.
constexpr std::size_t shorter_by = 25;

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

std::vector<std::size_t> stretches(const Sequences& sequences) {
    const std::size_t tokens = sequences.begin(sequences.size());
    const std::size_t most = std::clamp(tokens / tokens_worth_more, usual_stretches, most_stretches);
    const std::size_t count = std::clamp<std::size_t>(tokens / tokens_worth_a_stretch, 1, most);
    std::vector<std::size_t> cuts{0};
    for (std::size_t i = 1; i < count; ++i) {
        std::size_t wanted = tokens * i / count;
        if (count >= usual_stretches && i == 1) wanted -= wanted / shorter_by;
        if (count >= usual_stretches && i + 1 == count) wanted += (tokens - wanted) / shorter_by;
        const auto cut = std::ranges::lower_bound(sequences.offset, static_cast<std::int64_t>(wanted));
        cuts.push_back(static_cast<std::size_t>(cut - sequences.offset.begin()));
    }
    cuts.push_back(sequences.size());
    return cuts;
}

}  // namespace seqlab
