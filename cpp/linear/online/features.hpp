// Differences between the features of two labellings of a sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"

namespace seqlab::online {

// Slots: positions of weights during online learning. The cells of the dense table come first, row by row; weight k of
// theta that has no cell there is slot dense + k. So a token's weights for two labels are adjacent, in every table
// indexed by slots.
struct Slots {
    std::size_t dense;             // cells of the dense table
    std::size_t move, edge, size;  // offsets of transitions and of edge attributes, and the total number

    Slots(const Task& task, std::size_t cells)
        : dense(cells),
          move(cells + task.first_move()),
          edge(cells + task.first_edge()),
          size(cells + task.size()) {}
};

// A slot and its value.
struct Item {
    std::uint32_t slot;
    double x;
};
using Sparse = std::vector<Item>;  // slots rising, no x is 0

template <class F>
class Features {
public:
    Features(const Task& task, const ChainRows<F>& rows)
        : task_(task),
          rows_(rows),
          slots_(task, rows.plan.rows() * rows.LP),
          words_((rows.L + 63) / 64),
          has_(rows.plan.rows() * words_) {
        each_pair([&](std::size_t k, std::size_t slot) {
            if (slot >= slots_.dense) return;
            const auto y = static_cast<std::size_t>(task.observed.label[k]);
            has_[slot / rows.LP * words_ + y / 64] |= std::uint64_t{1} << (y % 64);
        });
    }

    const Slots& slots() const { return slots_; }

    // Call visit(k, slot) for all weights of theta.
    template <class Visit>
    void each_weight(Visit visit) const {
        each_pair(visit);
        for (std::size_t k = task_.observed.weights(); k < slots_.size - slots_.dense; ++k)
            visit(k, slots_.dense + k);
    }

    // Call visit(slot, x) for each feature in `one` but not in `other` (x > 0), and the other way round (x < 0). Only
    // positions where the two differ are visited; a slot may come more than once.
    template <class Visit>
    void each_difference(std::size_t s, const Label* one, const Label* other, Visit visit) const {
        const std::size_t begin = task_.sequences.begin(s), T = task_.sequences.end(s) - begin;
        const Transitions& moves = task_.transitions;
        const RowView<F> seen = rows_.rows.view(begin, begin + T);
        std::size_t equal = T;  // positions since the two labellings differed
        for (std::size_t t = 0; t < T; ++t) {
            equal = one[t] != other[t] ? 0 : equal + 1;
            if (equal == 0) node(seen, begin + t - seen.first, one[t], other[t], visit);
            for (std::size_t level = std::max<std::size_t>(equal, 1); level <= moves.level_into(t); ++level) {
                move(begin + t, level, one + t, F{1}, visit);
                move(begin + t, level, other + t, F{-1}, visit);
            }
        }
    }

    // F(one) - F(other), each slot once.
    void difference(std::size_t s, const Label* one, const Label* other, Sparse& out) const {
        out.clear();
        each_difference(s, one, other, [&](std::size_t slot, F x) {
            out.push_back({static_cast<std::uint32_t>(slot), static_cast<double>(x)});
        });
        std::stable_sort(out.begin(), out.end(),
                         [](const Item& a, const Item& b) { return a.slot < b.slot; });
        std::size_t n = 0;
        for (std::size_t i = 0; i < out.size();) {
            Item sum = out[i];
            for (++i; i < out.size() && out[i].slot == sum.slot; ++i) sum.x += out[i].x;
            if (sum.x != 0.0) out[n++] = sum;
        }
        out.resize(n);
    }

private:
    template <class Visit>
    void each_pair(Visit visit) const {
        for (std::size_t a = 0; a < rows_.plan.attributes(); ++a) {
            const std::int32_t row = rows_.plan.row(a);
            for (auto k = static_cast<std::size_t>(task_.observed.begin[a]);
                 k < static_cast<std::size_t>(task_.observed.begin[a + 1]); ++k)
                visit(k, row == RowPlan::listed ? slots_.dense + k
                                                : static_cast<std::size_t>(row) * rows_.LP +
                                                      static_cast<std::size_t>(task_.observed.label[k]));
        }
    }

    // Lanes of a row for labels that the attribute was not observed with have no weight.
    bool has(std::size_t row, std::size_t y) const {
        return (has_[row * words_ + y / 64] >> (y % 64) & 1U) != 0;
    }

    template <class Visit>
    void node(const RowView<F>& seen, std::size_t t, Label one, Label other, Visit& visit) const {
        const RowList<F>& rows = seen.rows;
        const auto y = static_cast<std::size_t>(one), z = static_cast<std::size_t>(other);
        for (auto i = rows.begin[t]; i < rows.begin[t + 1]; ++i) {
            const auto row = static_cast<std::size_t>(rows.row[i]);
            const F value = rows.value ? rows.value[i] : F{1};
            if (has(row, y)) visit(row * rows_.LP + y, value);
            if (has(row, z)) visit(row * rows_.LP + z, -value);
        }
        const ListedEntries<F>& listed = seen.listed;
        for (auto i = listed.begin[t]; i < listed.begin[t + 1]; ++i) {
            const Label label = listed.label[i];
            const std::int32_t k = listed.weight[i];
            const F value = listed.value ? listed.value[i] : F{1};
            if (label == one) visit(slots_.dense + static_cast<std::size_t>(k), value);
            if (label == other) visit(slots_.dense + static_cast<std::size_t>(k), -value);
        }
    }

    template <class Visit>
    void move(std::size_t token, std::size_t level, const Label* y, F sign, Visit& visit) const {
        const std::size_t cell = task_.transitions.cell(level, y);
        if (const auto k = task_.transitions.weight(level, cell); k >= 0)
            visit(slots_.move + static_cast<std::size_t>(k), sign);
        if (level > 1 || !task_.has_edge_attributes()) return;
        const Entries& entries = task_.edge_entries;
        for (auto i = entries.indptr[token]; i < entries.indptr[token + 1]; ++i) {
            const std::ptrdiff_t k = weight_of(entries, task_.edge_observed, static_cast<std::size_t>(i),
                                               static_cast<std::int32_t>(cell));
            if (k >= 0)
                visit(slots_.edge + static_cast<std::size_t>(k),
                      sign * (entries.values ? static_cast<F>(entries.values[i]) : F{1}));
        }
    }

    const Task& task_;
    const ChainRows<F>& rows_;
    Slots slots_;
    std::size_t words_;
    std::vector<std::uint64_t> has_;  // one bit per label for each row of the dense table
};

}  // namespace seqlab::online
