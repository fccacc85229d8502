// Memory asked for before it is needed. In a shuffled epoch no sentence lies behind the last one, and waiting for attributes
// and weights was a third of the time (CoNLL-2000: 62 ms an epoch shuffled, 40 in the order of the file).
#pragma once

#include <cstddef>
#include <span>

#include "learn/chain_scores.hpp"
#include "learn/task.hpp"
#include "score/weight_table.hpp"

namespace seqlab::online {

template <class F>
class Ahead {
public:
    Ahead(const Task& task, const ChainRows<F>& rows, const WeightTable<F>& weights)
        : task_(task), rows_(rows.rows.rows()), listed_(rows.rows.listed()), weights_(weights) {}

    // The sequences that come next. Each step needs what the step before it has asked for, so each looks one further.
    void look(std::span<const std::size_t> next) const {
        if (next.size() > 2) ask_for_ranges(next[2]);
        if (next.size() > 1) ask_for_entries(next[1]);
        if (next.size() > 0) ask_for_weights(next[0]);
    }

private:
    static constexpr std::size_t line = 64;

    template <class X>
    static void ask(const X* x, std::int64_t from, std::int64_t to) {
        for (; from < to; from += static_cast<std::int64_t>(line / sizeof(X))) __builtin_prefetch(x + from);
    }
    std::int64_t begin(std::size_t s) const { return task_.sequences.offset[s]; }
    std::int64_t end(std::size_t s) const { return task_.sequences.offset[s + 1]; }

    void ask_for_ranges(std::size_t s) const {
        ask(rows_.begin, begin(s), end(s) + 1);
        ask(listed_.begin, begin(s), end(s) + 1);
        ask(task_.sequences.labels, begin(s), end(s));
    }
    void ask_for_entries(std::size_t s) const {
        ask(rows_.row, rows_.begin[begin(s)], rows_.begin[end(s)]);
        ask(listed_.entry, listed_.begin[begin(s)], listed_.begin[end(s)]);
    }
    void ask_for_weights(std::size_t s) const {
        const std::size_t LP = weights_.LP();
        for (auto i = rows_.begin[begin(s)]; i < rows_.begin[end(s)]; ++i) {
            const F* const row = weights_.dense() + static_cast<std::size_t>(rows_.row[i]) * LP;
            __builtin_prefetch(row);
            __builtin_prefetch(row + LP - 1);
        }
        for (auto i = listed_.begin[begin(s)]; i < listed_.begin[end(s)]; ++i)
            __builtin_prefetch(weights_.listed() + listed_.entry[i].weight);
    }

    const Task& task_;
    RowList<F> rows_;
    ListedEntries<F> listed_;
    const WeightTable<F>& weights_;
};

}  // namespace seqlab::online
