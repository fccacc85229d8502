// Counts of n-grams of every length up to order + 1. Sentences begin with the start symbol, which occurs in histories
// only, and end with the end symbol, if there is one.
#pragma once

#include <span>

#include "ngrams/trie.hpp"

namespace seqlab::ngrams {

struct Counts {
    Trie trie;
    std::vector<std::vector<std::int64_t>> count;  // (nodes,) for every level

    std::size_t symbols() const { return trie.levels[0].size(); }
};

struct Sentences {
    std::span<const Symbol> codes;
    std::span<const std::int64_t> offset;  // sentence s has codes offset[s] .. offset[s + 1]

    std::size_t size() const { return offset.size() - 1; }
};

// eq:ngram   c(h w) for every history h of up to `order` symbols. `end` is -1 when sentences have no end symbol.
Counts count(const Sentences& sentences, std::size_t order, Symbol start, Symbol end, std::size_t symbols);

// Add up all parts, renumbering symbol s as map[s]; map has an entry for each symbol of the largest part. Symbols with
// equal numbers are merged; the result has `symbols` symbols.
Counts joined(std::span<const Counts* const> parts, std::span<const Symbol> map, std::size_t symbols);

}  // namespace seqlab::ngrams
