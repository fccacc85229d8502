// Decoding: the best path, beam search, and the position where no path is legal.
#pragma once

#include <cstdint>

#include "inference/path_sum.hpp"
#include "inference/plan.hpp"

namespace seqlab {

// eq:path-score   score(y) = Σ_t node_t(y_t) + Σ_t edge_t(y_{t-k}, ..., y_t), in float64 with compensation
template <class F>
double path_score(const Trellis<F>& trellis, const Label* path);

// Compute the best paths: paths[i] (T_i), scores[i]; -inf for a sequence without a legal path.
template <class F>
void viterbi(Batch<F> batch, Label* const* paths, double* scores, std::size_t threads);

// eq:beam   Viterbi that keeps only the `width` best states of each position. exact[i] = 1 when none was dropped.
// dead[i]: the position where every state of the beam died, or -1.
template <class F>
void beam(Batch<F> batch, std::size_t width, Label* const* paths, double* scores, std::uint8_t* exact,
          std::int64_t* dead, std::size_t threads);

// The first position that no legal path reaches, or -1.
template <class F>
std::int64_t first_dead(const Trellis<F>& trellis);

// The rows of δ for any order and mask (eq:viterbi), up to the first position that no path reaches.
template <class F>
class BestRows {
public:
    explicit BestRows(const Steps<F>& steps) : sum_(steps), possible_(sum_.forward() > IMPOSSIBLE) {}

    bool possible() const { return possible_; }
    std::size_t rows() const { return sum_.rows(); }
    const double* row(std::size_t t) const { return sum_.alpha(t); }

    // Scores of the transitions into state (r, y) at t, one per a: δ_{t-1}(a, r) + edge(a, r, y).
    void arrivals(std::size_t t, std::size_t state, std::vector<double>& out) const;

private:
    PathSum<F, BestScores> sum_;
    bool possible_;
};

}  // namespace seqlab
