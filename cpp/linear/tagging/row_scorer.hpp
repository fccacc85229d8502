// Node scores from rows of attribute numbers: Scorer<float> on mapped tables, with fewer cache lines per attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linear/tagging/piece_sums.hpp"

namespace seqlab {

// With memory of its own: one for each thread.
class RowScorer {
public:
    // place_of: Place::bits of every attribute
    RowScorer(const PlacedWeights& weights, std::span<const std::uint64_t> place_of)
        : weights_(weights), place_of_(place_of), totals_(weights) {}

    // node (to - from, L), with LP spare numbers after its last row
    void operator()(const Entries& rows, std::size_t from, std::size_t to, float* node);

private:
    struct Scaled {
        std::size_t t;
        Place place;
        float value;
    };

    void score(const Entries& rows, std::size_t from, std::size_t to, float* node);
    void set_apart(const Entries& rows, std::size_t from, std::size_t to);

    const PlacedWeights& weights_;
    std::span<const std::uint64_t> place_of_;
    PieceSums totals_;
    std::vector<Place> places_;
    std::vector<Scaled> scaled_;
};

}  // namespace seqlab
