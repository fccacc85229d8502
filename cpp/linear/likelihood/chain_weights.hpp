// theta in the layout that the kernels read: rows of attributes, one table of transitions, a list of edge attributes.
#pragma once

#include <limits>
#include <vector>

#include "linear/data/task.hpp"
#include "linear/data/weight_table.hpp"

namespace seqlab {

template <class F>
class ChainWeights {
public:
    ChainWeights(const Task& task, const RowPlan& plan, std::size_t LP)
        : task_(task),
          node_(task.observed, plan, LP),
          move_(task.transitions.L * task.transitions.L + behind),
          moves_(task.transitions.L * task.transitions.L),
          triple_(task.transitions.triple.size()),
          pair_(task.edge_observed.weights()) {}

    void load(const double* theta, std::size_t threads = 1) {
        node_.load(theta, threads);
        load_moves(theta + task_.first_move(), theta + task_.first_triple());
        const double* const pair = theta + task_.first_edge();
        for (std::size_t k = 0; k < pair_.size(); ++k) pair_[k] = static_cast<F>(pair[k]);
        scale_ = F{1};
    }
    // Load transitions and triples only, each counted from their first.
    void load_moves(const double* move, const double* triple) {
        for (std::size_t i = 0; i < moves_; ++i) move_[i] = masked(task_.transitions.number[i], move, i);
        for (std::size_t i = 0; i < triple_.size(); ++i) {
            const auto k = task_.transitions.triple[i];
            const std::size_t first = i / task_.transitions.L, second = i % moves_;
            triple_[i] = (k >= 0 ? static_cast<F>(triple[k]) : F{0}) + move_[second];
            if (forbidden(first)) triple_[i] = never;
        }
    }
    // Factor of the numbers of node() and pairs().
    F scale() const { return scale_; }
    void set_scale(F scale) { scale_ = scale; }

    // Add to one weight at a time, for learners that change few of them. Forbidden transitions stay -inf.
    WeightTable<F>& node() { return node_; }
    void add_to_move(std::size_t move, F x) {
        move_[move] += x;
        for (std::size_t i = move; i < triple_.size(); i += moves_) triple_[i] += x;
    }
    void add_to_triple(std::size_t triple, F x) { triple_[triple] += x; }
    void add_to_pair(std::size_t pair, F x) { pair_[pair] += x; }

    const WeightTable<F>& node() const { return node_; }
    const F* moves() const { return move_.data(); }
    // (L, L), or for order 2 (L, L, L) with the transition weights added; -inf where forbidden
    const F* edge() const { return triple_.empty() ? move_.data() : triple_.data(); }
    std::size_t edge_size() const { return triple_.empty() ? moves_ : triple_.size(); }
    F* pairs() { return pair_.data(); }
    const F* pairs() const { return pair_.data(); }

    // Readable numbers after a table of transitions, because whole vectors are loaded.
    static constexpr std::size_t behind = 16;

private:
    static constexpr F never = -std::numeric_limits<F>::infinity();

    bool forbidden(std::size_t move) const {
        return !task_.transitions.forbidden.empty() && task_.transitions.forbidden[move] != 0;
    }
    F masked(std::int32_t k, const double* weight, std::size_t move) const {
        if (forbidden(move)) return never;
        return k >= 0 ? static_cast<F>(weight[k]) : F{0};
    }

    const Task& task_;
    WeightTable<F> node_;
    std::vector<F> move_;
    std::size_t moves_;
    std::vector<F> triple_, pair_;
    F scale_ = 1;
};

}  // namespace seqlab
