// A trie of n-grams: a node of level k is an n-gram of k + 1 symbols, the child of its first k. Nodes of a level are
// sorted by parent and symbol, so that the children of a node are adjacent, and a node of level 0 has the number of its
// symbol. Equal sets of n-grams give equal tries, in whatever order they were added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace seqlab::ngrams {

using Node = std::int32_t;
using Symbol = std::int32_t;
inline constexpr Node absent = -1;

struct Level {
    std::vector<Node> parent;    // of the level above; 0 at level 0
    std::vector<Symbol> symbol;  // the last of the n-gram
    std::vector<std::int64_t>
        begin;  // children of node i: begin[i] .. begin[i + 1] of the next level; none at the last

    std::size_t size() const { return symbol.size(); }
};

struct Trie {
    std::vector<Level> levels;

    std::size_t order() const { return levels.size() - 1; }

    // Find the child of a node of level k; absent if it has none with this symbol.
    Node child(std::size_t k, Node node, Symbol symbol) const {
        const std::int64_t* const begin = levels[k].begin.data() + node;
        const Symbol* const first = levels[k + 1].symbol.data();
        const Symbol* const last = first + begin[1];
        const Symbol* const found = std::lower_bound(first + begin[0], last, symbol);
        return found != last && *found == symbol ? static_cast<Node>(found - first) : absent;
    }

    // Compute the offsets of children, once parents and symbols of all levels are set.
    void link() {
        for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
            std::vector<std::int64_t>& begin = levels[k].begin;
            begin.assign(levels[k].size() + 1, 0);
            for (const Node parent : levels[k + 1].parent) ++begin[static_cast<std::size_t>(parent) + 1];
            for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
        }
    }

    // Validate a trie from a file: parents exist, symbols are below `symbols`, and nodes are sorted.
    bool sound(std::size_t symbols) const;
};

}  // namespace seqlab::ngrams
