// Flat tables for decoding template features, in memory or in a mapped file, used in place.
//
// The strings of each pool of values are in a StringPool. Tables map the values of a feature's atoms directly to
// weights: one array for features on one atom, regions of buckets for more. The first words of the training data have
// precomputed sums of all features on one cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "encode/feature.hpp"
#include "linear/tagging/place_buckets.hpp"

namespace seqlab {

using Piece = std::array<ValueId, piece_tokens>;

// The attributes of one group of features.
struct GroupTables {
    std::size_t atoms = 0;
    std::span<const std::uint64_t> of_value;  // up to one atom: the Place of each value
    std::span<const std::uint64_t> of_owner;  // two: the region of each value of the atom that owns the pairs
    bool owner_is_left = true;
    std::vector<PlaceRegion> chain;  // more: the number (+ 1) of each pair, triple, ...; finally the place
};

// The words of one column with precomputed sums.
struct WordTables {
    StringPool strings;
    std::span<const ValueId> values;  // (values that are read at tokens, words)
    std::span<const float> rows;      // (words, cells of all families of the column, L), and behind_rows more
};

struct TemplateTables {
    std::vector<Values> values;
    std::vector<Feature> features;
    std::vector<GroupTables> groups;
    Buckets buckets;
    std::vector<WordTables> words;  // one per column

    // Look up places for features of this group, from the values atoms[0][i], atoms[1][i], ... of tokens i < n: `ask`
    // prefetches, and the answer is read later.
    void ask(std::size_t group, const ValueId* const* atoms, std::size_t n, PlaceSearch& search) const;
    void answer(std::size_t group, const PlaceSearch& search, std::size_t n, Places& places) const;
};

// The first of the values that share a pool: tables of a pool are stored under its number.
std::size_t leader(const std::vector<Values>& values, std::size_t of);

// Choose the owner of pairs: the value of the larger pool, because a tag would own half the corpus. All pairs that a
// word owns, of all features, are in one small region: the word with its tag, with the tag before, with the next word.
// A token looks up several of them, and so do its neighbours, so one or two cache lines suffice, while a table for each
// feature would miss every time (chunk preset: seven tables of some megabytes).
bool owner_is_left(const std::vector<Values>& values, const Feature& feature);

}  // namespace seqlab
