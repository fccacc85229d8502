// The mean of all weights that a learner went through, touched only when weights change.
//
// With steps j = 1 .. K of importance ω_j, W_j = ω_1 + ... + ω_j, and δ_j what step j adds to θ:
//
//   θ̄ = (1 / W_K) Σ_j ω_j θ_j = θ_K - (1 / W_K) Σ_j W_{j-1} δ_j
//
// since δ_j is part of θ_j and of all that come after it. The second sum is all that is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace seqlab::online {

class Averages {
public:
    Averages(std::size_t size, bool wanted) : late_(wanted ? size : 0) {}

    bool wanted() const { return !late_.empty(); }
    void begin_step(double importance) {
        before_ = total_;
        total_ += importance;
    }
    // Steps from now on count, those before do not.
    void restart() {
        std::fill(late_.begin(), late_.end(), 0.0);
        before_ = total_ = 0.0;
    }
    // The step of the moment adds x to a slot.
    void add(std::size_t slot, double x) {
        if (wanted()) late_[slot] += before_ * x;
    }
    // The mean of a slot, which is now `last`.
    double mean(std::size_t slot, double last) const {
        return wanted() && total_ > 0.0 ? last - late_[slot] / total_ : last;
    }

private:
    std::vector<double> late_;
    double before_ = 0.0, total_ = 0.0;
};

}  // namespace seqlab::online
