#include "ngrams/trie.hpp"

namespace seqlab::ngrams {

bool Trie::sound(std::size_t symbols) const {
    if (levels.empty() || levels[0].size() != symbols) return false;
    for (std::size_t i = 0; i < symbols; ++i)
        if (levels[0].symbol[i] != static_cast<Symbol>(i)) return false;
    for (std::size_t k = 1; k < levels.size(); ++k) {
        const Level& level = levels[k];
        if (level.parent.size() != level.size()) return false;
        for (std::size_t i = 0; i < level.size(); ++i) {
            const Node parent = level.parent[i];
            const Symbol symbol = level.symbol[i];
            if (parent < 0 || static_cast<std::size_t>(parent) >= levels[k - 1].size()) return false;
            if (symbol < 0 || static_cast<std::size_t>(symbol) >= symbols) return false;
            if (i == 0) continue;
            const Node before = level.parent[i - 1];
            if (parent < before || (parent == before && symbol <= level.symbol[i - 1])) return false;
        }
    }
    return true;
}

}  // namespace seqlab::ngrams
