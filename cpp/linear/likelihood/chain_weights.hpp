// theta in the layout that the kernels read: rows of attributes, tables of transitions, a list of edge attributes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "linear/data/task.hpp"
#include "linear/data/weight_table.hpp"

namespace seqlab {

template <class F>
class ChainWeights {
public:
    ChainWeights(const Task& task, const RowPlan& plan, std::size_t LP)
        : task_(task), node_(task.observed, plan, LP), pair_(task.edge_observed.weights()) {
        for (std::size_t level = 1; level <= task.transitions.order(); ++level)
            tables_.emplace_back(task.transitions.cells(level) + behind);
    }

    void load(const double* theta, std::size_t threads = 1) {
        node_.load(theta, threads);
        load_moves(theta + task_.first_move());
        const double* const pair = theta + task_.first_edge();
        for (std::size_t k = 0; k < pair_.size(); ++k) pair_[k] = static_cast<F>(pair[k]);
        scale_ = F{1};
    }
    // Load the weights of transitions only. A table contains the scores of the tables of fewer labels.
    void load_moves(const double* weight) {
        const Transitions& moves = task_.transitions;
        for (std::size_t level = 1, later = 1; level <= moves.order(); ++level, later *= moves.L) {
            F* const table = tables_[level - 1].data();
            const F* const shorter = level > 1 ? tables_[level - 2].data() : nullptr;
            const std::size_t rest = moves.cells(level) / moves.L;  // size of the table of one label less
            for (std::size_t first = 0; first < moves.L; ++first)
                for (std::size_t i = 0; i < rest; ++i) {
                    const std::size_t cell = first * rest + i;
                    const auto k = moves.weight(level, cell);
                    const F own = k >= 0 ? static_cast<F>(weight[k]) : F{0};
                    table[cell] = forbidden(cell / later) ? never : shorter ? own + shorter[i] : own;
                }
        }
    }
    // All numbers as they are: tables that were added to differ from loaded ones in their last bits.
    void record(Snapshot& state) {
        node_.record(state, "node");
        for (std::size_t i = 0; i < tables_.size(); ++i)
            state("transitions." + std::to_string(i + 1), tables_[i].data(), tables_[i].size());
        state("pairs", pair_.data(), pair_.size());
        state("scale", scale_);
    }
    // Factor of the numbers of node() and pairs().
    F scale() const { return scale_; }
    void set_scale(F scale) { scale_ = scale; }

    // Add to one weight at a time, for learners that change few of them. Forbidden transitions stay -inf.
    WeightTable<F>& node() { return node_; }
    void add_to_move(std::size_t level, std::size_t cell, F x) {
        const std::size_t cells = task_.transitions.cells(level);
        for (std::size_t longer = level; longer <= tables_.size(); ++longer)
            for (std::size_t i = cell; i < task_.transitions.cells(longer); i += cells)
                tables_[longer - 1][i] += x;
    }
    void add_to_pair(std::size_t pair, F x) { pair_[pair] += x; }

    const WeightTable<F>& node() const { return node_; }
    // Scores of level + 1 labels in a row, with those of their last labels added; -inf if forbidden.
    const F* moves(std::size_t level) const { return tables_[level - 1].data(); }
    F* pairs() { return pair_.data(); }
    const F* pairs() const { return pair_.data(); }

    // Readable numbers after a table of transitions, because whole vectors are loaded.
    static constexpr std::size_t behind = 16;

private:
    static constexpr F never = -std::numeric_limits<F>::infinity();

    bool forbidden(std::size_t move) const {
        return !task_.transitions.forbidden.empty() && task_.transitions.forbidden[move] != 0;
    }

    const Task& task_;
    WeightTable<F> node_;
    std::vector<std::vector<F>> tables_;
    std::vector<F> pair_;
    F scale_ = 1;
};

}  // namespace seqlab
