// Which features one labelling of a sequence has and another has not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "learn/chain_scores.hpp"
#include "learn/task.hpp"

namespace seqlab::online {

// Where each kind of weight begins in theta (learn/task.hpp), counted once.
struct Layout {
    std::size_t move, triple, edge, size;

    explicit Layout(const Task& task)
        : move(task.first_move()), triple(task.first_triple()), edge(task.first_edge()), size(task.size()) {}
};

// A number of theta and how much of it.
struct Item {
    std::uint32_t k;
    double x;
};
using Sparse = std::vector<Item>;  // k rising, no x is 0

template <class F>
class Features {
public:
    Features(const Task& task, const ChainRows<F>& rows)
        : task_(task), rows_(rows), layout_(task), number_(rows.plan.rows() * rows.L, -1) {
        for (std::size_t a = 0; a < rows.plan.attributes(); ++a)
            if (const std::int32_t row = rows.plan.row(a); row != RowPlan::listed)
                for (auto k = task.observed.begin[a]; k < task.observed.begin[a + 1]; ++k)
                    number_[static_cast<std::size_t>(row) * rows.L + at(task.observed.label, k)] =
                        static_cast<std::int32_t>(k);
    }

    const Layout& layout() const { return layout_; }
    // The weight of (row of the dense table, label), or -1: lanes of a row that no attribute was observed with have none.
    std::int32_t number(std::size_t row, std::size_t y) const { return number_[row * rows_.L + y]; }

    // visit(k, x) for each use of a feature that `one` has (x > 0) and `other` has not, and the other way round (x < 0).
    // Only positions where the two differ are looked at; a k may come more than once.
    template <class Visit>
    void each_difference(std::size_t s, const Label* one, const Label* other, Visit visit) const {
        const std::size_t begin = task_.sequences.begin(s), T = task_.sequences.end(s) - begin;
        std::size_t differ = 0;  // how many of the last labels differ: bit 0 is position t
        for (std::size_t t = 0; t < T; ++t) {
            differ = (differ << 1 | (one[t] != other[t] ? 1U : 0U)) & 7U;
            if (differ & 1U) node(begin + t, one[t], other[t], visit);
            if (t > 0 && (differ & 3U)) {
                move(begin + t, one + t, F{1}, visit);
                move(begin + t, other + t, F{-1}, visit);
            }
            if (t > 1 && differ && task_.moves.order() == 2) {
                triple(one + t, F{1}, visit);
                triple(other + t, F{-1}, visit);
            }
        }
    }

    // F(one) - F(other), each k once.
    void difference(std::size_t s, const Label* one, const Label* other, Sparse& out) const {
        out.clear();
        each_difference(s, one, other, [&](std::size_t k, F x) {
            out.push_back({static_cast<std::uint32_t>(k), static_cast<double>(x)});
        });
        std::stable_sort(out.begin(), out.end(), [](const Item& a, const Item& b) { return a.k < b.k; });
        std::size_t n = 0;
        for (std::size_t i = 0; i < out.size();) {
            Item sum = out[i];
            for (++i; i < out.size() && out[i].k == sum.k; ++i) sum.x += out[i].x;
            if (sum.x != 0.0) out[n++] = sum;
        }
        out.resize(n);
    }

private:
    static std::size_t at(std::span<const std::int32_t> numbers, std::int64_t i) {
        return static_cast<std::size_t>(numbers[static_cast<std::size_t>(i)]);
    }

    template <class Visit>
    void node(std::size_t token, Label one, Label other, Visit& visit) const {
        const RowList<F> rows = rows_.rows.rows();
        for (auto i = rows.begin[token]; i < rows.begin[token + 1]; ++i) {
            const std::int32_t* const own = number_.data() + static_cast<std::size_t>(rows.row[i]) * rows_.L;
            const F value = rows.value ? rows.value[i] : F{1};
            if (own[one] >= 0) visit(static_cast<std::size_t>(own[one]), value);
            if (own[other] >= 0) visit(static_cast<std::size_t>(own[other]), -value);
        }
        rows_.rows.each_listed(token, [&](std::size_t k, Label y, F value) {
            if (y == one) visit(k, value);
            if (y == other) visit(k, -value);
        });
    }

    template <class Visit>
    void move(std::size_t token, const Label* y, F sign, Visit& visit) const {
        const std::size_t cell = static_cast<std::size_t>(y[-1]) * rows_.L + static_cast<std::size_t>(y[0]);
        if (const auto k = task_.moves.number[cell]; k >= 0)
            visit(layout_.move + static_cast<std::size_t>(k), sign);
        if (!task_.sees_moves()) return;
        const Entries& entries = task_.edge_entries;
        const auto& [begin, moves] = task_.edge_observed;
        for (auto i = entries.indptr[token]; i < entries.indptr[token + 1]; ++i) {
            const auto a = static_cast<std::size_t>(entries.ids[i]);
            const auto* const last = moves.data() + begin[a + 1];
            const auto* const found =
                std::lower_bound(moves.data() + begin[a], last, static_cast<std::int32_t>(cell));
            if (found != last && static_cast<std::size_t>(*found) == cell)
                visit(layout_.edge + static_cast<std::size_t>(found - moves.data()),
                      sign * (entries.values ? static_cast<F>(entries.values[i]) : F{1}));
        }
    }

    template <class Visit>
    void triple(const Label* y, F sign, Visit& visit) const {
        std::size_t cell = 0;
        for (std::ptrdiff_t back = 2; back >= 0; --back)
            cell = cell * rows_.L + static_cast<std::size_t>(y[-back]);
        if (const auto k = task_.moves.triple[cell]; k >= 0)
            visit(layout_.triple + static_cast<std::size_t>(k), sign);
    }

    const Task& task_;
    const ChainRows<F>& rows_;
    Layout layout_;
    std::vector<std::int32_t> number_;
};

}  // namespace seqlab::online
