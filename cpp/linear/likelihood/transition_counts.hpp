// Expected counts of transitions and edge attributes, summed over sequences.
#pragma once

#include <span>
#include <vector>

#include "inference/plan.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"

namespace seqlab {

template <class F>
class TransitionCounts {
public:
    explicit TransitionCounts(const Task& task);

    // Count the transitions of `batch`, sequences from `first` on, times their weights; marginals times weights go to
    // gamma[i]. Returns Σ weight · log Z.
    double count_moves(Batch<F> batch, std::size_t first, const double* weight, F* const* gamma);
    // Count the transitions of one trellis of sequence s.
    double count_one(const Trellis<F>& trellis, std::size_t s, double weight, F* gamma) {
        return counted(Batch<F>(&trellis, 1), s, weight, &gamma);
    }
    // Subtract the counts of partly labelled sequences: expected counts over the labellings consistent with the partial
    // labels, for sequences [first, last) that `scores` has just scored; their marginals are subtracted from gamma[i].
    // Returns Σ weight · log Z.
    double subtract_partial_labels(ChainScores<F>& scores, std::size_t first, std::size_t last,
                                   F* const* gamma);
    // Add p (L) to the transitions into position t, which is `token` of the corpus, from labels numbered as in
    // Transitions::cell.
    void count_row(std::size_t t, std::size_t before, std::size_t token, const F* p);
    // Count the transitions of one labelling of sequence s.
    void count_path(std::size_t s, const Label* path, double weight);

    // Count value² in place of value for edge attributes (eq:curvature).
    void square_pairs(bool on) { squared_ = on; }

    // Add everything to other counts, or to the gradient (task.size()), and reset to zero.
    void move_into(TransitionCounts& total);
    void move_to(double* gradient);
    // Add the counts of transitions only to the gradient, which begins with their weights, and reset them.
    void move_moves_to(double* of_move);
    void clear();
    // Sums of edge attributes; the caller takes some of them and sets these to zero.
    std::span<double> pairs() { return pair_; }

private:
    double counted(Batch<F> batch, std::size_t s, double weight, F* const* gamma);
    void count_pairs(const double* pair, std::size_t token);

    const Task& task_;
    bool squared_ = false;
    std::vector<std::vector<double>> counts_;  // a table per level; lower ones are for the first positions
    std::vector<double> pair_;                 // edge attributes
    std::vector<double> own_, slabs_, log_z_;
    std::vector<F> restricted_;
};

}  // namespace seqlab
