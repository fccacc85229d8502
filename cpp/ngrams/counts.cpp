#include "ngrams/counts.hpp"

#include <limits>
#include <stdexcept>

#include "base/parallel/poll_steps.hpp"
#include "base/text/hash.hpp"

namespace seqlab::ngrams {

namespace {

using Key = std::uint64_t;  // parent << 32 | symbol: sorting keys sorts nodes

Key key_of(Node parent, Symbol symbol) {
    return static_cast<Key>(static_cast<std::uint32_t>(parent)) << 32 | static_cast<std::uint32_t>(symbol);
}

void check_room(std::size_t nodes) {
    if (nodes >= static_cast<std::size_t>(std::numeric_limits<Node>::max()))
        throw std::length_error("seqlab._core: more than 2^31 - 1 n-grams of one length");
}

// Numbers keys 0, 1, 2, ... in order of appearance, and counts them.
class Tally {
public:
    Node add(Key key) {
        if ((keys_.size() + 1) * 3 > slots_.size() * 2) grow();
        std::size_t at = place(key);
        if (slots_[at].node == absent) {
            check_room(keys_.size());
            slots_[at] = {key, static_cast<Node>(keys_.size())};
            keys_.push_back(key);
            counts_.push_back(0);
        }
        ++counts_[static_cast<std::size_t>(slots_[at].node)];
        return slots_[at].node;
    }

    const std::vector<Key>& keys() const { return keys_; }
    const std::vector<std::int64_t>& counts() const { return counts_; }

private:
    struct Slot {
        Key key = 0;
        Node node = absent;
    };

    std::size_t place(Key key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = seqlab::hash(key) & mask;
        while (slots_[at].node != absent && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        poll();
        for (const Slot& slot : old)
            if (slot.node != absent) slots_[place(slot.key)] = slot;
    }

    std::vector<Slot> slots_ = std::vector<Slot>(1024);
    std::vector<Key> keys_;
    std::vector<std::int64_t> counts_;
};

struct KeyAt {
    Key key;
    std::size_t place;
};

// Add a level of these n-grams, merging equal ones; number[i] becomes the node of entry i.
void add_level(Counts& into, std::span<const Key> keys, std::span<const std::int64_t> counts,
               std::vector<Node>& number) {
    std::vector<KeyAt> order(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) order[i] = {keys[i], i};
    PollSteps steps;
    std::sort(order.begin(), order.end(), [&](const KeyAt& a, const KeyAt& b) {
        steps();
        return a.key < b.key;
    });
    Level level;
    std::vector<std::int64_t> count;
    level.parent.reserve(keys.size());
    level.symbol.reserve(keys.size());
    count.reserve(keys.size());
    number.resize(keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        steps();
        if (i == 0 || order[i].key != order[i - 1].key) {
            check_room(level.size());
            level.parent.push_back(static_cast<Node>(order[i].key >> 32));
            level.symbol.push_back(static_cast<Symbol>(order[i].key & 0xffffffffu));
            count.push_back(0);
        }
        number[order[i].place] = static_cast<Node>(level.size() - 1);
        count.back() += counts[order[i].place];
    }
    into.trie.levels.push_back(std::move(level));
    into.count.push_back(std::move(count));
}

// Make level 0, with every symbol, also unseen ones.
Counts all_symbols(std::size_t symbols) {
    check_room(symbols);
    Counts counts;
    Level level;
    level.parent.assign(symbols, 0);
    level.symbol.resize(symbols);
    for (std::size_t i = 0; i < symbols; ++i) level.symbol[i] = static_cast<Symbol>(i);
    counts.trie.levels.push_back(std::move(level));
    counts.count.emplace_back(symbols, 0);
    return counts;
}

// Sentences one after another, each with its start and end symbols.
struct Padded {
    std::vector<Symbol> symbol;
    std::vector<std::size_t> begin;  // offsets, (sentences + 1)
};

Padded padded(const Sentences& sentences, Symbol start, Symbol end) {
    Padded text;
    text.symbol.reserve(sentences.codes.size() + 2 * sentences.size());
    text.begin.reserve(sentences.size() + 1);
    for (std::size_t s = 0; s < sentences.size(); ++s) {
        text.begin.push_back(text.symbol.size());
        text.symbol.push_back(start);
        for (std::int64_t t = sentences.offset[s]; t < sentences.offset[s + 1]; ++t)
            text.symbol.push_back(sentences.codes[static_cast<std::size_t>(t)]);
        if (end >= 0) text.symbol.push_back(end);
    }
    text.begin.push_back(text.symbol.size());
    return text;
}

}  // namespace

Counts count(const Sentences& sentences, std::size_t order, Symbol start, Symbol end, std::size_t symbols) {
    const Padded text = padded(sentences, start, end);
    Counts counts = all_symbols(symbols);
    for (const Symbol symbol : text.symbol) ++counts.count[0][static_cast<std::size_t>(symbol)];
    std::vector<Node> ending(text.symbol.begin(),
                             text.symbol.end());  // the n-gram of level k - 1 that ends at t
    std::vector<Node> number;
    PollSteps steps;
    for (std::size_t k = 1; k <= order; ++k) {
        Tally tally;
        for (std::size_t s = 0; s < sentences.size(); ++s)
            // Backwards, so that `ending` still has the level above at t - 1.
            for (std::size_t t = text.begin[s + 1]; t-- > text.begin[s] + k; steps())
                ending[t] = tally.add(key_of(ending[t - 1], text.symbol[t]));
        add_level(counts, tally.keys(), tally.counts(), number);
        for (std::size_t s = 0; s < sentences.size(); ++s)
            for (std::size_t t = text.begin[s] + k; t < text.begin[s + 1]; ++t, steps())
                ending[t] = number[static_cast<std::size_t>(ending[t])];
    }
    counts.trie.link();
    return counts;
}

Counts joined(std::span<const Counts* const> parts, std::span<const Symbol> map, std::size_t symbols) {
    Counts counts = all_symbols(symbols);
    for (const Counts* part : parts)
        for (std::size_t i = 0; i < part->symbols(); ++i)
            counts.count[0][static_cast<std::size_t>(map[i])] += part->count[0][i];
    std::vector<Node> above(map.begin(), map.end()), number;
    PollSteps steps;
    std::vector<std::size_t> first(parts.size(), 0);  // offset of a part's nodes in `above`
    for (std::size_t k = 1; k <= parts[0]->trie.order(); ++k) {
        std::vector<Key> keys;
        std::vector<std::int64_t> values;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const Level& level = parts[p]->trie.levels[k];
            const std::size_t begin = keys.size();
            for (std::size_t i = 0; i < level.size(); ++i, steps())
                keys.push_back(key_of(above[first[p] + static_cast<std::size_t>(level.parent[i])],
                                      map[static_cast<std::size_t>(level.symbol[i])]));
            values.insert(values.end(), parts[p]->count[k].begin(), parts[p]->count[k].end());
            first[p] = begin;
        }
        add_level(counts, keys, values, number);
        above.swap(number);
    }
    counts.trie.link();
    return counts;
}

}  // namespace seqlab::ngrams
