// A back-off table: log-probabilities of n-grams, and the back-off weight of each history for the one without its first
// symbol. Every smoothing method gives such a table, and an ARPA file is one.
#pragma once

#include <limits>
#include <span>

#include "ngrams/counts.hpp"

namespace seqlab::ngrams {

inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

struct Table {
    Trie trie;
    std::vector<std::vector<double>> log_prob;  // (nodes,) for every level: log P(last symbol | those before)
    std::vector<std::vector<double>> log_backoff;  // (nodes,) for every level but the last
    std::size_t predicted =
        0;  // symbols 0 .. predicted - 1 can follow a history; the next one is the start symbol
    // True when only full histories have entries: every symbol unseen after one has the same probability
    // exp(log_backoff).
    bool flat = false;

    Symbol start() const { return static_cast<Symbol>(predicted); }
    std::size_t order() const { return trie.order(); }
};

// The histories of 1, 2, ... symbols that end at one position, as nodes.
class History {
public:
    static constexpr std::size_t longest = 5;

    // Start with an empty history, or with the start symbol.
    History(const Table& table, bool start);

    // eq:backoff   Return log P(symbol | history) and append the symbol to the history.
    double step(Symbol symbol);
    // Compute P(symbol | history) for every symbol that can follow.
    void probabilities(std::span<double> out) const;
    // Draw the symbol at which the cumulative probability passes u, from 0 to 1: first among those seen after the
    // history, then among all.
    Symbol draw(double u, std::span<double> room) const;

private:
    double look(const Node* children, Symbol symbol) const;

    const Table& table_;
    Node node_[longest];  // node_[k]: of the last k + 1 symbols
    std::size_t length_ = 0;
};

// Compute log P of every symbol and of every end, one sentence after another.
void score(const Table& table, const Sentences& sentences, Symbol end, std::size_t threads,
           std::span<double> out);

// Draw a sentence until its end, or of at most `most` symbols. Sentence `number` does not depend on how many are drawn.
std::vector<Symbol> sample(const Table& table, Symbol end, std::size_t most, std::uint64_t seed,
                           std::uint64_t number);

}  // namespace seqlab::ngrams
