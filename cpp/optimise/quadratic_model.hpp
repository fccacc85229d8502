// The quadratic model of a proximal quasi-Newton step, and its lowest point (eq:proximal).
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/kernels.hpp"
#include "optimise/optimise.hpp"

namespace seqlab::optimise {

// f(x + d) ≈ f(x) + g·d + ½ d·B d, where B is a diagonal and the last few steps in the compact form of L-BFGS:
//
//   B = B₀ - W K⁻¹ Wᵀ,   B₀ = γ diag(1 / inverse),   W = (B₀ S  Y),   K = (SᵀB₀S  L; Lᵀ  -diag(SᵀY))
//
// S holds the steps, Y the changes of the gradient along them, L the part of SᵀY below its diagonal.
class QuadraticModel {
public:
    QuadraticModel(std::size_t n, int memory, const Diagonal* diagonal, std::size_t threads);

    // Take in a step; one along which the gradient does not rise is left out.
    void see(const StepEnds& move);
    void forget() { steps_.clear(); }
    bool empty() const { return steps_.empty(); }
    void record(Snapshot& state);

    // Write to d the minimum of  g·d + ½ d·B d + Σ c_i |x_i + d_i|,  found by coordinate descent over the coordinates
    // that are not 0 or would leave it. Without steps γ is `bend`. Returns  g·d + Σ c_i (|x_i + d_i| - |x_i|).
    double lowest(const double* x, const double* g, const L1& l1, double bend, double* d);

private:
    struct Step {
        std::vector<float> s, y;
        double bend = 0.0;  // yᵀ diag(inverse) y / sᵀy: the γ that fits this step
    };

    double inverse(std::size_t i) const {
        return diagonal_ && diagonal_->inverse ? diagonal_->inverse[i] : 1.0;
    }
    void forget_oldest();
    void weigh(std::size_t of);  // products of the step `of` with those before it
    void weigh_anew();
    std::vector<double> middle(double gamma) const;  // K⁻¹ in rows of width()
    std::size_t width() const {
        return steps_.empty() ? 8 : (2 * steps_.size() + 7) / 8 * 8;
    }  // whole vectors of any kernel
    void gather(const double* x, const double* g, const L1& l1);
    void gather_rows(double gamma);

    std::size_t n_, memory_, threads_;
    const Diagonal* diagonal_;
    unsigned version_ = 0;     // of the diagonal that products were made with
    std::vector<Step> steps_;  // oldest first
    Step newest_;
    std::vector<double> sds_, sy_;    // (memory, memory): S diag(1 / inverse) S, and s_i·y_j
    std::vector<double> s_, y_, ds_;  // the newest step
    std::vector<Coordinate> free_;
    std::vector<float> w_, kw_;  // rows of W and of W K⁻¹ for the free coordinates
    std::vector<double> u_;      // K⁻¹ Wᵀ d
};

}  // namespace seqlab::optimise
