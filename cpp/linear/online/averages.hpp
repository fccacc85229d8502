// The mean of all weight vectors during training, updated only when weights change.
//
// With steps j = 1 .. K of importance ω_j, W_j = ω_1 + ... + ω_j, and δ_j the change of θ in step j:
//
//   θ̄ = (1 / W_K) Σ_j ω_j θ_j = θ_K - (1 / W_K) Σ_j W_{j-1} δ_j
//
// since δ_j is part of θ_j and of all later ones. Only the second sum is stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/numerics/snapshot.hpp"

namespace seqlab::online {

class Averages {
public:
    Averages(std::size_t size, bool wanted) : late_(wanted ? size : 0) {}

    bool wanted() const { return !late_.empty(); }
    void begin_step(double importance) {
        before_ = total_;
        total_ += importance;
    }
    // Average over the steps from now on.
    void restart() {
        std::fill(late_.begin(), late_.end(), 0.0);
        before_ = total_ = 0.0;
    }
    // Record that the current step adds x to a slot.
    void add(std::size_t slot, double x) {
        if (wanted()) late_[slot] += before_ * x;
    }
    // The mean of a slot, whose current value is `last`.
    double mean(std::size_t slot, double last) const {
        return wanted() && total_ > 0.0 ? last - late_[slot] / total_ : last;
    }

    void record(Snapshot& state, const std::string& name) {
        state(name + ".late", late_.data(), late_.size());
        state(name + ".before", before_);
        state(name + ".total", total_);
    }

private:
    std::vector<double> late_;
    double before_ = 0.0, total_ = 0.0;
};

}  // namespace seqlab::online
