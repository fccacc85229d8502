// What a linear model is trained on: which weights there are, and the labelled sequences that use them.
//
// theta = (weights of attribute-label pairs, as Observed lists them | weights of moves between labels)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "score/feature_rows.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

// Which moves between labels have a weight, and which are forbidden.
struct Moves {
    std::size_t L;
    std::span<const std::int32_t>
        number;  // (L, L): the weight of a move, counted from 0; -1 for none, which scores 0
    std::span<const std::uint8_t> forbidden;         // (L, L), or empty
    std::span<const std::uint8_t> no_start, no_end;  // (L), or empty

    std::size_t weights() const;
};

// Labelled sequences: sequence s has tokens offset[s] .. offset[s + 1].
struct Sequences {
    std::span<const std::int64_t> offset;
    const Label* labels;
    const double* weight;  // (sequences), or null when every sequence counts 1

    std::size_t size() const { return offset.size() - 1; }
    double weight_of(std::size_t s) const { return weight ? weight[s] : 1.0; }
    std::size_t begin(std::size_t s) const { return static_cast<std::size_t>(offset[s]); }
};

// How often each weight's feature occurs with the labels given: the first half of the gradient, the same every time.
std::vector<double> empirical_counts(const Entries& entries, const Observed& observed, const Moves& moves,
                                     const Sequences& sequences);

// Stretches of sequences of about equal work, cut by the data alone: sums over a stretch are made by one thread and added
// in the order of the stretches, so results do not depend on the number of threads.
std::vector<std::size_t> stretches(const Sequences& sequences);

}  // namespace seqlab
