// The structured perceptron (Collins 2002), averaged.
//
// eq:perceptron   ŷ = argmax_y θ·F(y);   where ŷ is wrong, θ ← θ + w (F(y_s) - F(ŷ));   the mean of θ over all visits
#pragma once

#include "linear/online/learner.hpp"

namespace seqlab::online {

// float32: its weights are sums of few small numbers, and most of an epoch is spent reading weights.
class Perceptron final : public Walker<float> {
public:
    using Walker<float>::Walker;

private:
    void visit(std::size_t s, Pass& pass) override;
};

}  // namespace seqlab::online
