#include "ngrams/table.hpp"

#include <cmath>

#include "base/numerics/random.hpp"
#include "base/parallel/parallel.hpp"
#include "base/parallel/poll_steps.hpp"

namespace seqlab::ngrams {

namespace {

std::size_t index(Node node) {
    return static_cast<std::size_t>(node);
}

}  // namespace

History::History(const Table& table, bool start) : table_(table) {
    std::fill(node_, node_ + longest, absent);
    if (start) {
        node_[0] = table.start();
        length_ = 1;
    }
}

double History::look(const Node* children, Symbol symbol) const {
    double passed = 0;
    for (std::size_t k = length_; k-- > 0;) {
        if (children[k] != absent) return passed + table_.log_prob[k + 1][index(children[k])];
        if (table_.flat)
            return node_[k] != absent ? table_.log_backoff[k][index(node_[k])]
                                      : -std::log(static_cast<double>(table_.predicted));
        if (node_[k] != absent) passed += table_.log_backoff[k][index(node_[k])];
    }
    return passed + table_.log_prob[0][index(symbol)];
}

double History::step(Symbol symbol) {
    Node children[longest] = {};
    for (std::size_t k = 0; k < length_; ++k)
        children[k] = node_[k] == absent ? absent : table_.trie.child(k, node_[k], symbol);
    const double found = look(children, symbol);
    const std::size_t order = table_.order();
    for (std::size_t k = 0; k < length_ && k + 1 < order; ++k) node_[k + 1] = children[k];
    node_[0] = symbol;
    length_ = std::min(length_ + 1, order);
    return found;
}

void History::probabilities(std::span<double> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::exp(table_.log_prob[0][i]);
    for (std::size_t k = table_.flat && length_ > 0 ? length_ - 1 : 0; k < length_; ++k) {
        if (table_.flat) std::fill(out.begin(), out.end(), 1.0 / static_cast<double>(table_.predicted));
        if (node_[k] == absent) continue;
        const double passed = std::exp(table_.log_backoff[k][index(node_[k])]);
        for (double& p : out) p = table_.flat ? passed : p * passed;
        const std::vector<std::int64_t>& begin = table_.trie.levels[k].begin;
        for (std::int64_t i = begin[index(node_[k])]; i < begin[index(node_[k]) + 1]; ++i) {
            const Symbol symbol = table_.trie.levels[k + 1].symbol[static_cast<std::size_t>(i)];
            if (index(symbol) < out.size())
                out[index(symbol)] = std::exp(table_.log_prob[k + 1][static_cast<std::size_t>(i)]);
        }
    }
}

Symbol History::draw(double u, std::span<double> room) const {
    std::size_t k = length_;
    while (k > 0 && node_[k - 1] == absent) --k;
    std::int64_t first = 0, last = 0;
    const Symbol* symbols = nullptr;
    if (k > 0) {
        // Most draws end here, among the few symbols that were seen after this history.
        const std::vector<std::int64_t>& begin = table_.trie.levels[k - 1].begin;
        first = begin[index(node_[k - 1])];
        last = begin[index(node_[k - 1]) + 1];
        symbols = table_.trie.levels[k].symbol.data();
        const bool seen = !table_.flat || k == length_;
        for (std::int64_t i = first; seen && i < last; ++i) {
            if (index(symbols[i]) >= room.size()) continue;
            u -= std::exp(table_.log_prob[k][static_cast<std::size_t>(i)]);
            if (u < 0) return symbols[i];
        }
        if (!seen) last = first;
    }
    probabilities(room);
    Symbol possible = absent;  // result if rounding leaves the sum just below u
    for (std::size_t i = 0; i < room.size(); ++i) {
        const auto symbol = static_cast<Symbol>(i);
        if (room[i] > 0) possible = symbol;
        while (first < last && symbols[first] < symbol) ++first;
        if (first < last && symbols[first] == symbol) continue;
        u -= room[i];
        if (u < 0) return symbol;
    }
    return possible;
}

void score(const Table& table, const Sentences& sentences, Symbol end, std::size_t threads,
           std::span<double> out) {
    const std::size_t ends = end >= 0 ? 1 : 0, chunk = 256;
    parallel_for((sentences.size() + chunk - 1) / chunk, threads, [&](std::size_t c) {
        PollSteps steps;
        for (std::size_t s = c * chunk; s < std::min((c + 1) * chunk, sentences.size()); ++s) {
            History history(table, true);
            double* at = out.data() + static_cast<std::size_t>(sentences.offset[s]) + s * ends;
            for (std::int64_t t = sentences.offset[s]; t < sentences.offset[s + 1]; ++t, steps())
                *at++ = history.step(sentences.codes[static_cast<std::size_t>(t)]);
            if (ends) *at = history.step(end);
        }
    });
}

std::vector<Symbol> sample(const Table& table, Symbol end, std::size_t most, std::uint64_t seed,
                           std::uint64_t number) {
    const Uniform uniform(seed, number, 0);
    History history(table, true);
    std::vector<double> room(table.predicted);
    std::vector<Symbol> drawn;
    while (drawn.size() < most) {
        poll_at(drawn.size(), room.size());
        const Symbol symbol = history.draw(uniform(drawn.size()), room);
        if (symbol == end || symbol == absent) break;
        drawn.push_back(symbol);
        history.step(symbol);
    }
    return drawn;
}

}  // namespace seqlab::ngrams
