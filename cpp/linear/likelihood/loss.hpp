// The loss that batch learners minimise: a sum over sequences, with its gradient.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace seqlab {

// The quantity computed in a pass over the corpus.
enum class Wanted { slope, curvature };

class Loss {
public:
    virtual ~Loss() = default;

    virtual std::size_t size() const = 0;
    // Return the value at theta; gradient (size()) is overwritten.
    virtual double operator()(const double* theta, double* gradient, std::size_t threads) = 0;
    // Approximate the diagonal of the Hessian, never negative: Σ p (1 - p) value² (eq:curvature). For preconditioning
    // only.
    virtual void curvature(const double* theta, double* diagonal, std::size_t threads) = 0;
};

// A loss that is built on first use: the exact one is needed near the end only, if at all.
class Deferred final : public Loss {
public:
    Deferred(std::size_t size, std::function<std::unique_ptr<Loss>(std::size_t threads)> make)
        : size_(size), make_(std::move(make)) {}

    std::size_t size() const override { return size_; }
    double operator()(const double* theta, double* gradient, std::size_t threads) override {
        return made(threads)(theta, gradient, threads);
    }
    void curvature(const double* theta, double* diagonal, std::size_t threads) override {
        made(threads).curvature(theta, diagonal, threads);
    }

private:
    Loss& made(std::size_t threads) {
        if (!loss_) loss_ = make_(threads);
        return *loss_;
    }

    std::size_t size_;
    std::function<std::unique_ptr<Loss>(std::size_t)> make_;
    std::unique_ptr<Loss> loss_;
};

}  // namespace seqlab
