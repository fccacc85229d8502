// From the values of a feature's atoms straight to its weights, many tokens at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "encode/feature.hpp"
#include "score/attribute_weights.hpp"

namespace seqlab {

// Tokens that are looked up together: what they need is brought near first, and all of it fits the first cache.
inline constexpr std::size_t piece_tokens = 256;

using Piece = std::array<ValueId, piece_tokens>;
using Places = std::array<AttributeWeights::Place, piece_tokens>;

// One group of features. The last table of its chain holds weights, or where they are, instead of attributes: one
// cache line less per token on the way.
class PlaceMap {
public:
    using Place = AttributeWeights::Place;

    struct Slot {
        Pair key{-1, -1};
        Place place;
    };

    // Slots that a group needs, a power of two; none when its features have but one atom.
    static std::size_t slots_for(const Attributes& attributes);

    // The attributes and the slots must outlive this.
    PlaceMap(const Attributes& attributes, const AttributeWeights& weights, Slot* slots);

    // places[i] for the values atoms[0][i], atoms[1][i], ... of tokens i < n
    void find(const ValueId* const* atoms, std::size_t n, Places& places) const;

private:
    std::size_t slot_of(Pair key) const {
        std::size_t i = hash(key) & mask_;
        while (slots_[i].key != key && slots_[i].key != Slot{}.key) i = (i + 1) & mask_;
        return i;
    }
    void find_values(const ValueId* values, std::size_t n, Places& places) const;
    void find_pairs(const ValueId* left, const ValueId* right, std::size_t n, Places& places) const;

    const Attributes& attributes_;
    std::vector<Place> of_value_;
    Slot* slots_;  // sixteen bytes each: never two cache lines
    std::size_t mask_;
};

}  // namespace seqlab
