// Expected moves, triples and edge attributes of sequences, summed.
#pragma once

#include <span>
#include <vector>

#include "inference/plan.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"

namespace seqlab {

template <class F>
class MoveCounts {
public:
    explicit MoveCounts(const Task& task);

    // Counts moves of `batch`, sequences from `first` on, times their weights; marginals times weights go to gamma[i].
    // Returns Σ weight · log Z.
    double count_moves(Batch<F> batch, std::size_t first, const double* weight, F* const* gamma);
    // The same for one trellis of sequence s.
    double count_one(const Trellis<F>& trellis, std::size_t s, double weight, F* gamma) {
        return counted(Batch<F>(&trellis, 1), s, weight, &gamma);
    }
    // What partly known labels take off: the same counts, over the labellings that fit them, of sequences [first, last)
    // that `scores` has just scored; their marginals go off gamma[i]. Returns Σ weight · log Z.
    double subtract_clamps(ChainScores<F>& scores, std::size_t first, std::size_t last, F* const* gamma);
    // Adds p (L) to the moves from one label into a token.
    void count_row(std::size_t from, std::size_t token, const F* p);
    // Counts the moves of one labelling of sequence s.
    void count_path(std::size_t s, const Label* path, double weight);

    // Whether edge attributes count value² in place of value (eq:curvature).
    void square_pairs(bool on) { squared_ = on; }

    // Adds everything to other counts, or to the gradient (task.size()), and begins again from zero.
    void move_into(MoveCounts& total);
    void move_to(double* gradient);
    // The same for moves and triples alone, each counted from their first.
    void move_to(double* of_move, double* of_triple);
    void clear();
    // Sums of edge attributes, for who takes a few of them and sets these to zero.
    std::span<double> pairs() { return pair_; }

private:
    double counted(Batch<F> batch, std::size_t s, double weight, F* const* gamma);
    double together(Batch<F> batch, double weight, F* const* gamma);
    double apart(const Trellis<F>& trellis, std::size_t s, double weight, F* gamma);
    const double* pairs_into(std::size_t t, std::size_t slab);
    void count_pairs(const double* pair, std::size_t token, double weight);

    const Task& task_;
    bool squared_ = false;
    std::vector<double> edge_, head_;  // moves, or triples and the moves into position 1
    std::vector<double> pair_;         // edge attributes
    std::vector<double> slabs_, own_head_, sum_, log_z_;
    std::vector<F> clamped_;
};

}  // namespace seqlab
