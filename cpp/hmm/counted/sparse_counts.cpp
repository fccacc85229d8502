#include "hmm/counted/sparse_counts.hpp"

#include <algorithm>

#include "base/parallel/poll_steps.hpp"

namespace seqlab {

SparseCounts added(const std::vector<Occurrence>& occurrences, std::size_t things, std::size_t L) {
    std::vector<std::size_t> first(things + 1, 0);
    for (const Occurrence& one : occurrences) ++first[static_cast<std::size_t>(one.thing) + 1];
    for (std::size_t i = 0; i < things; ++i) first[i + 1] += first[i];
    std::vector<std::uint32_t> order(occurrences.size());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    PollSteps steps;
    for (std::size_t i = 0; i < occurrences.size(); ++i, steps())
        order[next[static_cast<std::size_t>(occurrences[i].thing)]++] = static_cast<std::uint32_t>(i);

    SparseCounts counts;
    counts.begin.reserve(things + 1);
    std::vector<double> sum(L, 0.0);
    std::vector<std::uint8_t> seen(L, 0);
    std::vector<Label> found;
    for (std::size_t thing = 0; thing < things; ++thing) {
        found.clear();
        for (std::size_t i = first[thing]; i < first[thing + 1]; ++i, steps()) {
            const Occurrence& one = occurrences[order[i]];
            const auto y = static_cast<std::size_t>(one.label);
            if (!seen[y]) found.push_back(one.label);
            seen[y] = 1;
            sum[y] += one.count;
        }
        std::sort(found.begin(), found.end());
        for (const Label label : found) {
            const auto y = static_cast<std::size_t>(label);
            counts.label.push_back(label);
            counts.count.push_back(sum[y]);
            sum[y] = 0.0;
            seen[y] = 0;
        }
        counts.begin.push_back(static_cast<std::int64_t>(counts.label.size()));
    }
    return counts;
}

}  // namespace seqlab
