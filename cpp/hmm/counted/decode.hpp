// Decode sentences whose words have short lists of labels; a tagger spends most of its time here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hmm/counted/lexicon.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

// move[a, ..., b, y]: log P(y | labels a, ..., b before it), (L + 1)^order x L entries, where L as a label before y
// means the start of the sentence. last (L entries, or null) is added at the last position.
struct CountedTransitions {
    const double* move;
    const double* last;
    std::size_t L;
    std::size_t order;
};

struct Coded {
    const std::int32_t* word;
    const std::int64_t* offset;
    std::size_t sentences;
};

// eq:viterbi over the label lists of `rows`; ids gets one label per token. Returns the first sentence without a path of
// finite score, or -1; the labels of that sentence, and only those, stay unchanged.
std::int64_t best_labels(const CountedTransitions& moves, const Rows& rows, const Coded& data, Label* ids,
                         std::size_t threads);

}  // namespace seqlab
