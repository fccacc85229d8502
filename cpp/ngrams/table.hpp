// A back-off table: the logs of probabilities of n-grams, and what a history passes on to the one without its first
// symbol. Smoothed counts of every kind end as one of these, and an ARPA file is one.
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
    // Of histories of full length only: what did not follow one has the probability exp(log_backoff), the same for all.
    bool flat = false;

    Symbol start() const { return static_cast<Symbol>(predicted); }
    std::size_t order() const { return trie.order(); }
};

// The histories that end at one place, as nodes: those of 1, 2, ... symbols.
class History {
public:
    static constexpr std::size_t longest = 5;

    // A history of no symbol, or of the start symbol.
    History(const Table& table, bool start);

    // eq:backoff   log P(symbol | history), and the symbol becomes a part of the history.
    double step(Symbol symbol);
    // P(symbol | history) for every symbol that can follow.
    void probabilities(std::span<double> out) const;
    // The symbol at which the sum of probabilities passes u, from 0 to 1: first those that followed the history, then all.
    Symbol draw(double u, std::span<double> room) const;

private:
    double look(const Node* children, Symbol symbol) const;

    const Table& table_;
    Node node_[longest];  // node_[k]: of the last k + 1 symbols
    std::size_t length_ = 0;
};

// log P of every symbol and of every end, one sentence after another.
void score(const Table& table, const Sentences& sentences, Symbol end, std::size_t threads,
           std::span<double> out);

// A sentence until its end, or of so many symbols. Sentence `number` does not depend on how many are drawn.
std::vector<Symbol> sample(const Table& table, Symbol end, std::size_t most, std::uint64_t seed,
                           std::uint64_t number);

}  // namespace seqlab::ngrams
