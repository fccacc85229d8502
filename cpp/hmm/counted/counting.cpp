#include "hmm/counted/counting.hpp"

#include <vector>

#include "base/parallel/poll_steps.hpp"

namespace seqlab {

SparseCounts count_words(const Labelled& data, std::size_t V, std::size_t L) {
    std::vector<Occurrence> tokens;
    tokens.reserve(data.tokens());
    PollSteps steps;
    for (std::size_t t = 0; t < data.tokens(); ++t, steps())
        if (data.weight_of(t) > 0) tokens.push_back({data.word[t], data.label[t], data.weight_of(t)});
    return added(tokens, V, L);
}

void count_moves(const Labelled& data, std::size_t order, std::size_t L, double* table, double* last) {
    std::size_t contexts = 1;
    for (std::size_t i = 0; i < order; ++i) contexts *= L + 1;
    PollSteps steps;
    for (std::size_t s = 0; s < data.sentences; ++s) {
        std::size_t context = contexts - 1;  // nothing but "not begun"
        const auto end = static_cast<std::size_t>(data.offset[s + 1]);
        for (auto t = static_cast<std::size_t>(data.offset[s]); t < end; ++t, steps()) {
            const auto y = static_cast<std::size_t>(data.label[t]);
            table[context * L + y] += data.weight_of(t);
            context = (context * (L + 1) + y) % contexts;
            if (t + 1 == end) last[y] += data.weight_of(t);
        }
    }
}

}  // namespace seqlab
