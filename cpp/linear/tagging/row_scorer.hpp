// Node scores from rows of attributes, by number or by the location of their weights: Scorer<float> on mapped tables,
// with fewer cache lines per attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linear/tagging/piece_sums.hpp"

namespace seqlab {

// Attributes of tokens as Place::bits.
struct PlacedEntries {
    std::span<const std::int64_t> indptr;  // (tokens + 1)
    const std::uint64_t* places;
    const double* values;  // or null when every entry counts 1

    std::size_t tokens() const { return indptr.size() - 1; }
};

// With memory of its own: one for each thread.
class RowScorer {
public:
    // place_of: Place::bits of every attribute
    RowScorer(const PlacedWeights& weights, std::span<const std::uint64_t> place_of)
        : weights_(weights), place_of_(place_of), totals_(weights) {}

    // node (to - from, L), with LP spare numbers after its last row
    void operator()(const Entries& rows, std::size_t from, std::size_t to, float* node);
    void operator()(const PlacedEntries& rows, std::size_t from, std::size_t to, float* node);

private:
    struct Scaled {
        std::size_t t;
        Place place;
        float value;
    };

    template <class Rows>
    void in_pieces(const Rows& rows, std::size_t from, std::size_t to, float* node);
    void look_up(const Entries& rows, std::size_t from, std::size_t to);
    void look_up(const PlacedEntries& rows, std::size_t from, std::size_t to);
    // Sum the weights of places_, which are those of tokens from .. to.
    void score(std::span<const std::int64_t> indptr, const double* values, std::size_t from, std::size_t to,
               float* node);
    void set_apart(std::span<const std::int64_t> indptr, const double* values, std::size_t from,
                   std::size_t to);

    const PlacedWeights& weights_;
    std::span<const std::uint64_t> place_of_;
    PieceSums totals_;
    std::vector<Place> places_;
    std::vector<Scaled> scaled_;
};

}  // namespace seqlab
