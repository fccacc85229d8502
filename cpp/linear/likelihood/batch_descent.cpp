#include "linear/likelihood/batch_descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "optimise/lanes.hpp"

namespace seqlab {

namespace {

// Exponent of the diagonal curvature, and the iteration from which it applies. Far from the optimum full Newton scaling
// (1) is nearly right; near it, features that occur together make it wrong, and the L-BFGS history is better
// (docs/decisions/0010). Proximal steps use the diagonal for each coordinate, and keep the first exponent (0020).
struct Trust {
    int iteration;
    double exponent;
};
constexpr Trust trust[] = {{0, 0.8}, {8, 0.6}, {16, 0.4}, {30, 0.2}};
// The diagonal ignores that features occur together, so a first step along it would be too long by about this factor.
constexpr double caution = 4.0;
// Relative error of float32 sums over a corpus is some 1e-6.
constexpr double quick_digits = 3e-6;

// The diagonal of eq:preconditioner, updated during the run.
class Preconditioner {
public:
    Preconditioner(Loss& loss, double l2, std::size_t threads)
        : loss_(loss), l2_(l2), threads_(threads), h_(loss.size()), inverse_(loss.size()) {}

    void renew(const double* theta, double exponent) {
        loss_.curvature(theta, h_.data(), threads_);
        optimise::each_slice(h_.size(), threads_, [&](std::size_t, std::size_t from, std::size_t to) {
            for (std::size_t k = from; k < to; ++k) {
                h_[k] += 2.0 * l2_;
                // Without a penalty a feature that never varies has no curvature.
                inverse_[k] = std::pow(std::max(h_[k], 1e-3), -exponent);
            }
        });
        diagonal_.inverse = inverse_.data();
        ++diagonal_.version;
    }
    void record(Snapshot& state) {
        state("curvature", h_.data(), h_.size());
        state("diagonal", inverse_.data(), inverse_.size());
        state("diagonal.version", diagonal_.version);
        diagonal_.inverse = inverse_.data();
    }
    const optimise::Diagonal* diagonal() const { return &diagonal_; }

    // -slope / (4 Σ h d²): the minimum of the parabola with this curvature along d, divided by `caution`.
    double first_step(const double* d, double slope) const {
        double bend = 0.0;
        for (std::size_t k = 0; k < h_.size(); ++k) bend += h_[k] * d[k] * d[k];
        return bend > 0.0 ? -slope / (caution * bend) : 1.0;
    }

private:
    Loss& loss_;
    double l2_;
    std::size_t threads_;
    std::vector<double> h_, inverse_;
    optimise::Diagonal diagonal_{};
};

}  // namespace

double with_l2(Loss& loss, const double* theta, double* gradient, double l2, const double* centre,
               std::size_t threads) {
    const double value = loss(theta, gradient, threads);
    if (l2 == 0.0) return value;
    const auto [norm] = optimise::sliced_sums<1>(loss.size(), threads, [=](auto t, std::size_t k, auto add) {
        using T = decltype(t);
        T away = optimise::load<T>(theta + k);
        if (centre) away -= optimise::load<T>(centre + k);
        optimise::store(gradient + k, optimise::load<T>(gradient + k) + 2.0 * l2 * away);
        add(0, away * away);
    });
    return value + l2 * norm;
}

optimise::Outcome descend(Loss& quick, Loss* exact, double* theta, const BatchOptions& options,
                          std::size_t threads, const optimise::Report& report, Snapshot* resumed) {
    const Crew crew(threads);
    Loss* loss = &quick;
    const optimise::Objective objective = [&](const double* x, double* gradient) {
        return with_l2(*loss, x, gradient, options.l2, options.centre, threads);
    };
    optimise::LbfgsOptions lbfgs = options.lbfgs;
    lbfgs.threads = threads;
    if (exact) {
        lbfgs.refine = [&] {
            if (loss == exact) return false;
            loss = exact;
            return true;
        };
        lbfgs.refine_below = quick_digits;
    }
    const bool sparse = lbfgs.l1.any();
    const auto method = sparse ? optimise::proximal : optimise::lbfgs;
    std::uint8_t refined = 0;
    if (resumed) {
        (*resumed)("refined", refined);
        if (refined != 0 && exact) loss = exact;
    }
    // The snapshot of the method, with that of the loss.
    const auto tell = [&](const optimise::Progress& progress, const double* x, const Recorded& recorded) {
        return report(progress, x, [&](Snapshot& state) {
            refined = loss == exact;
            state("refined", refined);
            recorded(state);
        });
    };
    if (!options.precondition) return method(objective, theta, quick.size(), lbfgs, tell, resumed);

    Preconditioner preconditioner(quick, options.l2, threads);
    if (resumed)
        preconditioner.record(*resumed);
    else
        preconditioner.renew(theta, trust[0].exponent);
    lbfgs.diagonal = preconditioner.diagonal();
    if (!lbfgs.first_step)
        lbfgs.first_step = [&](const double* d, double slope) { return preconditioner.first_step(d, slope); };
    const optimise::Report renewing = [&](const optimise::Progress& progress, const double* x,
                                          const Recorded& recorded) {
        for (const Trust& now : trust)
            if (progress.iteration > 0 && progress.iteration == now.iteration)
                preconditioner.renew(x, sparse ? trust[0].exponent : now.exponent);
        return tell(progress, x, [&](Snapshot& state) {
            recorded(state);
            preconditioner.record(state);
        });
    };
    return method(objective, theta, quick.size(), lbfgs, renewing, resumed);
}

}  // namespace seqlab
