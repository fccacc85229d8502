#include "linear/data/partition.hpp"

namespace seqlab {

namespace {

// A shard costs memory for its sums and a pass over them; parts of a shard wait for each other when their counts are
// added, a third of the work. So two shards are enough for a few threads, and more only where the corpus is large.
constexpr std::size_t tokens_worth_a_shard = 8'000, usual_shards = 2, tokens_worth_more = 100'000,
                      most_shards = 16;
// With per-position edges, shards have one part each: the sums are long.
constexpr std::size_t usual_alone = 4, alone_worth_more = 50'000, most_alone = 32;

// The scores and marginals of a part fit the second-level cache, and its float32 sums stay exact, unless sentences are
// very long: a part needs several sentences, since those of about equal length run together.
constexpr std::size_t numbers_a_part = std::size_t{1} << 17, tokens_a_part = 6'000, least_sentences = 16,
                      most_sentences = 256;

// The end of the part that begins with sentence `first` of a shard.
std::size_t part_end(const Task& task, std::size_t first, std::size_t end_of_shard) {
    const std::size_t enough =
        std::min(tokens_a_part, numbers_a_part / std::max<std::size_t>(task.transitions.L, 1));
    const std::size_t begin = task.sequences.begin(first);
    const std::size_t most = std::min(end_of_shard, first + most_sentences);
    std::size_t end = std::min(most, first + least_sentences);
    while (end < most && task.sequences.begin(end) - begin < enough) ++end;
    return end;
}

}  // namespace

Partition::Partition(const Task& task) {
    const Sequences& sequences = task.sequences;
    const std::size_t tokens = sequences.begin(sequences.size());
    const bool alone = task.has_edge_attributes();
    const std::size_t most = alone ? std::clamp(tokens / alone_worth_more, usual_alone, most_alone)
                                   : std::clamp(tokens / tokens_worth_more, usual_shards, most_shards);
    const std::size_t count = std::clamp<std::size_t>(tokens / tokens_worth_a_shard, 1, most);
    for (std::size_t i = 1; i <= count; ++i) {
        const auto wanted =
            std::ranges::lower_bound(sequences.offset, static_cast<std::int64_t>(tokens * i / count));
        const std::size_t end =
            i == count ? sequences.size() : static_cast<std::size_t>(wanted - sequences.offset.begin());
        while (cuts.back() < end) cuts.push_back(alone ? end : part_end(task, cuts.back(), end));
        first.push_back(cuts.size() - 1);
    }
}

}  // namespace seqlab
