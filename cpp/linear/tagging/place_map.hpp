// From the values of a feature's atoms straight to its weights, many tokens at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "encode/bank.hpp"
#include "linear/data/attribute_weights.hpp"
#include "linear/tagging/pair_regions.hpp"

namespace seqlab {

// One group of features. Tables hold weights, or where they are, instead of attributes: one cache line less per token on
// the way. Features over two atoms are in PairRegions; longer ones have a table of their own at the end of their chain.
class PlaceMap {
public:
    using Place = AttributeWeights::Place;

    // Buckets that a group needs; none when its features have fewer than three atoms.
    static std::size_t buckets_for(const Attributes& attributes);

    // All of them must outlive this.
    PlaceMap(const Bank& bank, std::size_t group, const AttributeWeights& weights, const PairRegions& pairs,
             PlaceBucket* table);

    // places[i] for the values atoms[0][i], atoms[1][i], ... of tokens i < n: asked for, and answered some time later.
    void ask(const ValueId* const* atoms, std::size_t n, PlaceSearch& search) const;
    void answer(const PlaceSearch& search, std::size_t n, Places& places) const;

private:
    const Attributes& attributes_;
    const PairRegions& pairs_;
    std::size_t group_;
    std::vector<Place> of_value_;
    PlaceBucket* table_;
    PlaceRegion region_;
};

}  // namespace seqlab
