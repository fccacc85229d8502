#include "ngrams/estimate.hpp"

#include <cmath>
#include <stdexcept>

#include "base/parallel/poll_steps.hpp"

namespace seqlab::ngrams {

namespace {

using Numbers = std::vector<std::int64_t>;

// For every node, the node of the level above with all of its symbols but the first: the lower-order distribution.
std::vector<std::vector<Node>> without_first(const Trie& trie) {
    std::vector<std::vector<Node>> rest(trie.levels.size());
    PollSteps steps;
    for (std::size_t k = 1; k < trie.levels.size(); ++k) {
        const Level& level = trie.levels[k];
        rest[k].resize(level.size());
        for (std::size_t i = 0; i < level.size(); ++i, steps()) {
            const Node found = k == 1
                                   ? level.symbol[i]
                                   : trie.child(k - 2, rest[k - 1][static_cast<std::size_t>(level.parent[i])],
                                                level.symbol[i]);
            if (found == absent) throw std::invalid_argument("an n-gram was counted, but its end was not");
            rest[k][i] = found;
        }
    }
    return rest;
}

// Count the distinct symbols before each n-gram, for all but the longest. Nothing precedes the start symbol, so n-grams
// that begin with it keep their counts.
std::vector<Numbers> continuations(const Counts& counts, const std::vector<std::vector<Node>>& rest) {
    std::vector<Numbers> adjusted(counts.count.size());
    adjusted.back() = counts.count.back();
    std::vector<char> first(counts.symbols(), 0), next;  // does the n-gram begin with the start symbol?
    first.back() = 1;
    for (std::size_t k = 0; k + 1 < counts.count.size(); ++k) {
        adjusted[k].assign(counts.count[k].size(), 0);
        for (const Node node : rest[k + 1]) ++adjusted[k][static_cast<std::size_t>(node)];
        for (std::size_t i = 0; i < first.size(); ++i)
            if (first[i]) adjusted[k][i] = counts.count[k][i];
        next.clear();
        for (const Node parent : counts.trie.levels[k + 1].parent)
            next.push_back(first[static_cast<std::size_t>(parent)]);
        first.swap(next);
    }
    return adjusted;
}

// eq:discounts   D_j = j - (j + 1) Y n_{j+1} / n_j,   Y = n_1 / (n_1 + 2 n_2)
// Where no n-gram has one of these counts (few symbols, much text), or a discount would not lie between 0 and its
// count, the usual values for such text are taken.
Discounts discounts_of(std::span<const std::int64_t> counts) {
    constexpr Discounts usual{0.5, 1.0, 1.5};
    double n[5] = {0, 0, 0, 0, 0};
    for (const std::int64_t count : counts)
        if (count >= 1 && count <= 4) ++n[count];
    if (n[1] == 0 || n[2] == 0 || n[3] == 0) return usual;
    const double y = n[1] / (n[1] + 2 * n[2]);
    Discounts found{};
    for (int j = 1; j <= 3; ++j) {
        const double d = j - (j + 1) * y * n[j + 1] / n[j];
        if (!(d >= 0 && d <= j)) return usual;
        found[static_cast<std::size_t>(j - 1)] = d;
    }
    return found;
}

double discount_of(const Discounts& discounts, std::int64_t count) {
    return count <= 0 ? 0 : discounts[static_cast<std::size_t>(std::min<std::int64_t>(count, 3) - 1)];
}

// eq:deleted-interpolation   Weights of the uniform distribution and of histories of 0, 1, ... symbols. Every symbol of
// the text votes for the one that predicts it best when it is left out of the counts; ties go to the longest history.
std::vector<double> deleted_weights(const Counts& counts, const std::vector<std::vector<Node>>& rest) {
    constexpr double least = 1e-3;  // so that no length has weight 0 in a short text
    const std::size_t levels = counts.count.size();
    const double flat = 1.0 / static_cast<double>(counts.symbols() - 1);
    std::vector<Numbers> followed(levels);  // how often a history was followed by a symbol
    followed[0].assign(1, 0);
    for (std::size_t i = 0; i + 1 < counts.symbols(); ++i) followed[0][0] += counts.count[0][i];
    for (std::size_t k = 1; k < levels; ++k) {
        followed[k].assign(counts.count[k - 1].size(), 0);
        for (std::size_t i = 0; i < counts.count[k].size(); ++i)
            followed[k][static_cast<std::size_t>(counts.trie.levels[k].parent[i])] += counts.count[k][i];
    }
    std::vector<double> weight(levels + 1, 0.0);
    PollSteps steps;
    std::vector<char> first(counts.symbols(), 0), next;  // does the n-gram begin with the start symbol?
    first.back() = 1;
    for (std::size_t k = 1; k < levels; ++k) {
        next.clear();
        for (const Node parent : counts.trie.levels[k].parent)
            next.push_back(first[static_cast<std::size_t>(parent)]);
        first.swap(next);
        for (std::size_t i = 0; i < counts.count[k].size(); ++i, steps()) {
            if (k + 1 < levels && !first[i]) continue;  // the symbol has a longer history
            double best = 0;
            std::size_t chosen = 0, at = i;
            for (std::size_t j = k + 1; j-- > 0;) {
                const std::size_t history =
                    j == 0 ? 0 : static_cast<std::size_t>(counts.trie.levels[j].parent[at]);
                const auto others = static_cast<double>(followed[j][history] - 1);
                const double share = others > 0 ? static_cast<double>(counts.count[j][at] - 1) / others : 0;
                if (share > best) {
                    best = share;
                    chosen = j + 1;
                }
                if (j > 0) at = static_cast<std::size_t>(rest[j][at]);
            }
            weight[flat > best ? 0 : chosen] += static_cast<double>(counts.count[k][i]);
        }
    }
    double total = 0;
    for (const double one : weight) total += one;
    double sum = 0;
    for (double& one : weight) sum += one = std::max(one / total, least);
    for (double& one : weight) one /= sum;
    return weight;
}

// Probability mass that a history keeps for the symbols seen after it, and the mass for lower orders.
struct Share {
    double total;   // divisor of the discounted counts
    double passed;  // mass for the shorter history, or for the uniform distribution
};

class Estimator {
public:
    Estimator(const Counts& counts, const Method& method)
        : counts_(counts), method_(method), rest_(without_first(counts.trie)) {
        if (method.kind == Kind::kneser_ney) {
            adjusted_ = continuations(counts, rest_);
            for (std::size_t k = 0; k < adjusted_.size(); ++k) {
                // The start symbol is not counted: it is never predicted.
                const std::span<const std::int64_t> all(adjusted_[k]);
                discounts_.push_back(method.discounts
                                         ? *method.discounts
                                         : discounts_of(k == 0 ? all.first(all.size() - 1) : all));
            }
        }
        if (method.kind == Kind::interpolated) {
            double so_far = 0;
            for (const double weight : deleted_weights(counts, rest_)) {
                passed_.push_back(so_far / (so_far + weight));
                so_far += weight;
            }
        }
    }

    Estimate run() {
        Estimate made;
        Table& table = made.table;
        table.trie = counts_.trie;
        table.predicted = counts_.symbols() - 1;
        table.flat = method_.kind == Kind::add_lambda;
        table.log_prob.resize(counts_.count.size());
        table.log_backoff.resize(counts_.count.size() - 1);
        std::vector<double> below = unigrams(table.predicted), here;
        PollSteps steps;
        for (std::size_t k = 0;; ++k) {
            table.log_prob[k].resize(below.size());
            for (std::size_t i = 0; i < below.size(); ++i, steps()) table.log_prob[k][i] = std::log(below[i]);
            if (k + 1 == counts_.count.size()) break;
            longer(k, below, here, table.log_backoff[k]);
            below.swap(here);
        }
        made.discounts = std::move(discounts_);
        return made;
    }

private:
    const Numbers& numbers(std::size_t k) const {
        return adjusted_.empty() ? counts_.count[k] : adjusted_[k];
    }

    // Normaliser and back-off mass of eq:add-lambda, eq:witten-bell, eq:kneser-ney and eq:deleted-interpolation.
    Share share(std::size_t k, std::span<const std::int64_t> counts) const {
        double total = 0, types = 0, taken = 0;
        for (const std::int64_t count : counts) {
            total += static_cast<double>(count);
            types += count > 0;
            if (method_.kind == Kind::kneser_ney) taken += discount_of(discounts_[k], count);
        }
        switch (method_.kind) {
            case Kind::add_lambda: {
                const double all = total + method_.lambda * static_cast<double>(counts_.symbols() - 1);
                return {all, method_.lambda / all};
            }
            case Kind::witten_bell:
                return {total + types, types / (total + types)};
            case Kind::kneser_ney:
                return {total, taken / total};
            case Kind::interpolated:
                return {total, passed_[k + 1]};
            default:
                return {total, 0};
        }
    }

    // The discounted count.
    double kept(std::size_t k, std::int64_t count) const {
        const auto c = static_cast<double>(count);
        if (method_.kind == Kind::add_lambda) return c + method_.lambda;
        if (method_.kind == Kind::interpolated) return c * (1 - passed_[k + 1]);
        return method_.kind == Kind::kneser_ney ? c - discount_of(discounts_[k], count) : c;
    }

    // Estimate the distribution without a history. The back-off mass is shared equally by all symbols, since unseen
    // symbols need some; when all were seen, there is no back-off mass.
    std::vector<double> unigrams(std::size_t predicted) const {
        const std::span<const std::int64_t> counts = std::span(numbers(0)).first(predicted);
        std::vector<double> p(predicted + 1, 0.0);  // the start symbol is never predicted
        const bool all_seen = std::find(counts.begin(), counts.end(), 0) == counts.end();
        const bool mixed = method_.kind != Kind::mle && method_.kind != Kind::add_lambda;
        const Share part = share(0, counts);
        double total = 0;
        for (const std::int64_t count : counts) total += static_cast<double>(count);
        for (std::size_t i = 0; i < predicted; ++i) {
            if (mixed && all_seen && method_.kind != Kind::interpolated)
                p[i] = static_cast<double>(counts[i]) / total;
            else
                p[i] = kept(0, counts[i]) / part.total +
                       (mixed ? part.passed / static_cast<double>(predicted) : 0.0);
        }
        return p;
    }

    // eq:interpolation   P(w | h) = kept(c(h w)) / total(h) + passed(h) P(w | h without its first symbol)
    void longer(std::size_t k, const std::vector<double>& below, std::vector<double>& here,
                std::vector<double>& log_backoff) const {
        const std::vector<std::int64_t>& begin = counts_.trie.levels[k].begin;
        const Numbers& count = numbers(k + 1);
        here.assign(count.size(), 0.0);
        log_backoff.assign(counts_.trie.levels[k].size(), 0.0);
        const bool mixed = method_.kind != Kind::add_lambda;
        PollSteps steps;
        for (std::size_t h = 0; h + 1 < begin.size(); ++h, steps()) {
            const auto first = static_cast<std::size_t>(begin[h]),
                       last = static_cast<std::size_t>(begin[h + 1]);
            if (first == last) {
                // A history that no symbol followed is treated like an unseen one.
                if (!mixed) log_backoff[h] = -std::log(static_cast<double>(counts_.symbols() - 1));
                continue;
            }
            const Share part = share(k + 1, std::span(count).subspan(first, last - first));
            log_backoff[h] = part.passed > 0 ? std::log(part.passed) : minus_infinity;
            for (std::size_t i = first; i < last; ++i)
                here[i] = kept(k + 1, count[i]) / part.total +
                          (mixed ? part.passed * below[static_cast<std::size_t>(rest_[k + 1][i])] : 0.0);
        }
    }

    const Counts& counts_;
    const Method& method_;
    std::vector<std::vector<Node>> rest_;
    std::vector<Numbers> adjusted_;
    std::vector<Discounts> discounts_;
    std::vector<double> passed_;  // factors of the uniform distribution and of each length
};

}  // namespace

Estimate estimate(const Counts& counts, const Method& method) {
    return Estimator(counts, method).run();
}

}  // namespace seqlab::ngrams
