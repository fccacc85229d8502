// The paths that a mistake-driven learner needs, one sequence at a time and without allocation.
#pragma once

#include <vector>

#include "base/numerics/buffer.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"
#include "linear/online/known_labels.hpp"
#include "linear/online/live_weights.hpp"

namespace seqlab::online {

template <class F>
class Decoder {
public:
    Decoder(const Task& task, const ChainRows<F>& rows, const KnownLabels& known)
        : task_(task), known_(known), scores_(task, rows), LP_(rows.LP) {}

    // Score sequence s; the functions below refer to it. The weights must not change before they are called.
    void look_at(const LiveWeights<F>& weights, std::size_t s);
    std::size_t T() const { return trellis_.T; }

    // Each path is valid until the next call of the same function; null when no path is legal.
    const Label* best();                         // argmax_y θ·F(y)
    const Label* best_with_cost(double factor);  // argmax_y factor · Δ(y) + θ·F(y)
    const Label* gold();  // the labels given, or the best path consistent with partial labels

private:
    const Label* run(const Trellis<F>& trellis, std::vector<Label>& path);
    void add_cost(double factor, F* node) const;

    const Task& task_;
    const KnownLabels& known_;
    ChainScores<F> scores_;
    std::size_t LP_;
    const LiveWeights<F>* weights_ = nullptr;
    std::size_t s_ = 0;
    Trellis<F> trellis_;
    Buffer<F> node_room_, rows_room_;
    std::vector<Label> best_, gold_;
};

}  // namespace seqlab::online
