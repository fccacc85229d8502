// Sums over the paths of a local model (MEMM) that are consistent with given label lists.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/data/task.hpp"

namespace seqlab {

// p_t(y | a) for every position, and the probability of each transition among the consistent paths. Position 0 has one
// row, a = 0.
class LocalPaths {
public:
    void resize(std::size_t T, std::size_t L) {
        T_ = T, L_ = L;
        choice_.assign(T * L * L, 0.0);
    }
    std::size_t rows(std::size_t t) const { return t > 0 ? L_ : 1; }
    double* choices(std::size_t t, std::size_t a) { return choice_.data() + (t * L_ + a) * L_; }
    double choice(std::size_t t, std::size_t a, std::size_t y) const {
        return choice_[(t * L_ + a) * L_ + y];
    }

    // log Σ over the paths consistent with the lists from `row` on. Scaled at every position, because products of many
    // probabilities underflow.
    double sum(const ActiveLists& lists, std::size_t row) {
        alpha_.assign(T_ * L_, 0.0);
        beta_.assign(T_ * L_, 0.0);
        scale_.assign(T_, 0.0);
        for (std::size_t t = 0; t < T_; ++t) forward(t, lists.at(row + t));
        for (std::size_t t = T_; t-- > 0;) backward(t, lists.at(row + t));
        double log_p = 0.0;
        for (const double c : scale_) log_p += std::log(c);
        return log_p;
    }
    // ξ_t(a, y), after sum(); at position 0, γ_0(y).
    double move(std::size_t t, std::size_t a, std::size_t y) const {
        const double before = t > 0 ? alpha_[(t - 1) * L_ + a] : 1.0;
        return before * choice(t, a, y) * beta_[t * L_ + y] / scale_[t];
    }

private:
    void forward(std::size_t t, Labels fitting) {
        for (const Label label : fitting) {
            const auto y = static_cast<std::size_t>(label);
            double total = t > 0 ? 0.0 : choice(0, 0, y);
            for (std::size_t a = 0; t > 0 && a < L_; ++a) total += alpha_[(t - 1) * L_ + a] * choice(t, a, y);
            alpha_[t * L_ + y] = total;
            scale_[t] += total;
        }
        for (std::size_t y = 0; y < L_; ++y) alpha_[t * L_ + y] /= scale_[t];
    }
    void backward(std::size_t t, Labels fitting) {
        for (const Label label : fitting) {
            const auto a = static_cast<std::size_t>(label);
            double total = t + 1 == T_ ? 1.0 : 0.0;
            for (std::size_t y = 0; t + 1 < T_ && y < L_; ++y)
                total += choice(t + 1, a, y) * beta_[(t + 1) * L_ + y] / scale_[t + 1];
            beta_[t * L_ + a] = total;
        }
    }

    std::size_t T_ = 0, L_ = 0;
    std::vector<double> choice_, alpha_, beta_, scale_;
};

}  // namespace seqlab
