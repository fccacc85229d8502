// Weights of features over two atoms, kept by one of the two values: the owner.
//
// All pairs that a word owns, of all features, lie in one small region: the word with its tag, with the tag before, with
// the next word. A token asks for several of them, and its neighbours ask again, so one or two cache lines serve where
// a table for each feature would miss in every one (chunk preset: seven tables of some megabytes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "encode/bank.hpp"
#include "linear/data/attribute_weights.hpp"
#include "linear/tagging/piece_sums.hpp"
#include "linear/tagging/place_buckets.hpp"

namespace seqlab {

using Piece = std::array<ValueId, piece_tokens>;

class PairRegions {
public:
    // Takes the groups of two atoms.
    PairRegions(const Bank& bank, const AttributeWeights& weights);

    // Asks for the values left[i], right[i] of tokens i < n, for features of this group; answered by table().
    void ask(std::size_t group, const ValueId* left, const ValueId* right, std::size_t n,
             PlaceSearch& search) const;
    const PlaceBucket* table() const { return table_; }

private:
    struct Group {
        std::vector<PlaceRegion>* of_owner = nullptr;
        bool owner_is_left = true;
    };

    // f(region of the owner, key, place) for every pair of the group that has weights
    template <class F>
    void each(const Bank& bank, const AttributeWeights& weights, std::size_t group, F f) const;

    std::vector<Group> groups_;
    std::map<const StringPool*, std::vector<PlaceRegion>> regions_;  // by the pool that numbers the owners
    Buffer<PlaceBucket> room_;
    PlaceBucket* table_ = nullptr;
};

}  // namespace seqlab
