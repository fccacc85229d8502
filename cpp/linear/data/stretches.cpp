#include "linear/data/stretches.hpp"

namespace seqlab {

namespace {

// A block costs memory for its sums and a pass over them; parts of a block wait for each other when their counts are
// added, a third of the work. So two blocks are enough for a few threads, and more only where the corpus is large.
constexpr std::size_t tokens_worth_a_stretch = 8'000, usual_stretches = 2, tokens_worth_more = 100'000,
                      most_stretches = 16;
// With per-position edges, blocks have one part each: the sums are long.
constexpr std::size_t usual_alone = 4, alone_worth_more = 50'000, most_alone = 32;

// The scores and marginals of a part fit the second-level cache, and its float32 sums stay exact, unless sentences are
// very long: a part needs several sentences, since those of about equal length run together.
constexpr std::size_t numbers_a_part = std::size_t{1} << 17, tokens_a_part = 6'000, least_sentences = 16,
                      most_sentences = 256;

// The end of the part that begins with sentence `first` of a block.
std::size_t part_end(const Task& task, std::size_t first, std::size_t end_of_stretch) {
    const std::size_t enough =
        std::min(tokens_a_part, numbers_a_part / std::max<std::size_t>(task.moves.L, 1));
    const std::size_t begin = task.sequences.begin(first);
    const std::size_t most = std::min(end_of_stretch, first + most_sentences);
    std::size_t end = std::min(most, first + least_sentences);
    while (end < most && task.sequences.begin(end) - begin < enough) ++end;
    return end;
}

}  // namespace

Stretches::Stretches(const Task& task) {
    const Sequences& sequences = task.sequences;
    const std::size_t tokens = sequences.begin(sequences.size());
    const bool alone = task.sees_moves();
    const std::size_t most = alone ? std::clamp(tokens / alone_worth_more, usual_alone, most_alone)
                                   : std::clamp(tokens / tokens_worth_more, usual_stretches, most_stretches);
    const std::size_t count = std::clamp<std::size_t>(tokens / tokens_worth_a_stretch, 1, most);
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
