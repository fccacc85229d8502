// Adaptive regularisation of weights (Crammer, Kulesza, Dredze 2009), with one variance per weight.
//
// eq:arow   θ ← θ + α Σψ,   α = ℓ / (r + ψ·Σψ),   Σ_kk ← 1 / (1 / Σ_kk + ψ_k² / r)
#pragma once

#include <vector>

#include "linear/online/learner.hpp"

namespace seqlab::online {

class Arow final : public Walker<double> {
public:
    Arow(const Task& task, const double* theta, const Schedule& schedule, double r)
        : Walker<double>(task, theta, schedule), r_(r), variance_(features_.slots().size, 1.0) {}

    void record(Snapshot& state) override {
        Walker<double>::record(state);
        state("variance", variance_.data(), variance_.size());
    }

private:
    void visit(std::size_t s, Pass& pass) override;

    double r_;
    std::vector<double> variance_;
    Sparse difference_;
};

}  // namespace seqlab::online
