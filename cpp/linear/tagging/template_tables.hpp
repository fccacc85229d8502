// What a decoder of template features reads: flat tables, in memory or in a mapped file, used where they lie.
//
// Strings of each pool of values stand in a StringPool. From the values of a feature's atoms, tables lead straight to the
// weights: one array for features on one atom, regions of buckets for more. Words that training met first have the sums of
// all features that look at one cell ready made.
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
    std::vector<PlaceRegion>
        chain;  // more: the number (+ 1) of each pair, triple, ...; and at last the place
};

// The words of one column whose sums are ready made.
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

    // For features of this group, from the values atoms[0][i], atoms[1][i], ... of tokens i < n to places: asked for, and
    // answered some time later.
    void ask(std::size_t group, const ValueId* const* atoms, std::size_t n, PlaceSearch& search) const;
    void answer(std::size_t group, const PlaceSearch& search, std::size_t n, Places& places) const;
};

// The first of the values that share a pool with these: tables of the pool are called by its number.
std::size_t leader(const std::vector<Values>& values, std::size_t of);

// Which of the two values of each pair keeps the pair; the one of the larger pool: a tag would own half the corpus. All pairs
// that a word owns, of all features, lie in one small region: the word with its tag, with the tag before, with the next
// word. A token asks for several of them, and its neighbours ask again, so one or two cache lines serve where a table for
// each feature would miss in every one (chunk preset: seven tables of some megabytes).
bool owner_is_left(const std::vector<Values>& values, const Feature& feature);

}  // namespace seqlab
