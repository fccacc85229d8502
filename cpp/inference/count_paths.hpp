// Marginals and expected counts of one sequence of any shape, from α and β.
#pragma once

#include <algorithm>
#include <atomic>

#include "inference/marginals.hpp"
#include "inference/scaled.hpp"

namespace seqlab {

// Number of sequences recomputed in log space.
inline std::atomic<std::size_t>& fallbacks() {
    static std::atomic<std::size_t> count{0};
    return count;
}

// Computes marginals and counts from α and β, for any order and any mask.
template <class F, class Algebra>
class Counter {
public:
    Counter(const Steps<F>& steps, F* node, const CountTarget& target)
        : steps_(steps), node_(node), target_(target) {
        const std::size_t n = steps.trellis().T * steps.trellis().L;
        if (node_) std::fill(node_, node_ + n, F{0});
    }

    // eq:node-marginal   γ_t(y) = Σ_rest α_t(rest, y) ⊗ β_t(rest, y), the row divided by its sum
    void node(std::size_t t, const double* alpha, const double* beta) {
        const Labels labels = steps_.labels(t);
        row_.assign(labels.size(), 0.0);
        double total = 0.0;
        const std::size_t states = steps_.states(t);
        for (std::size_t i = 0; i < states; i += labels.size())
            for (std::size_t y = 0; y < labels.size(); ++y) {
                const double p = Algebra::probability(Algebra::times(alpha[i + y], beta[i + y]));
                row_[y] += p;
                total += p;
            }
        total_ = total;
        if (!node_) return;
        F* const out = node_ + t * steps_.trellis().L;
        for (std::size_t y = 0; y < labels.size(); ++y) out[labels[y]] = static_cast<F>(row_[y] / total);
    }

    // eq:edge-marginal   ξ_t(a, rest, y) = α_{t-1}(a, rest) ⊗ ψ_t(a, rest, y) ⊗ g_t(rest, y)
    void moves(std::size_t t, std::size_t r, const Block<double>& M, const double* alpha, const double* g) {
        double* const out = tensor(t);
        if (!out) return;
        const std::size_t k = steps_.trellis().order;
        const Step step = steps_.into(t);
        const Labels to = steps_.labels(t);
        for (std::size_t a = 0; a < step.from; ++a) {
            const Label from = t >= k ? steps_.labels(t - k)[a] : 0;
            double* const row = out + steps_.position(t, from, r, 0);
            for (std::size_t y = 0; y < step.to; ++y) {
                const double x = Algebra::times(alpha[a * step.rest], M.data[a * M.stride + y]);
                row[to[y]] += Algebra::probability(Algebra::times(x, g[y])) / total_;
            }
        }
    }

private:
    double* tensor(std::size_t t) const {
        const std::size_t k = steps_.trellis().order;
        return t < k ? target_.head[t - 1] : (target_.edge ? target_.edge + (t - k) * target_.slab : nullptr);
    }

    const Steps<F>& steps_;
    F* node_;
    CountTarget target_;
    std::vector<double> row_;
    double total_ = 1.0;
};

// Counts of an attempt whose result may be rejected, separate from sums that already contain other sequences.
class Attempt {
public:
    Attempt(const CountTarget& target, std::size_t L, std::size_t order) : target_(target), own_(target) {
        if (!target.edge || target.slab) return;  // one slab per position belongs to this sequence alone
        counts_[0].assign(tensor_size(L, order + 1), 0.0);
        own_.edge = counts_[0].data();
        for (std::size_t i = 0; i < 2; ++i)
            if (target.head[i]) {
                counts_[i + 1].assign(tensor_size(L, i + 2), 0.0);
                own_.head[i] = counts_[i + 1].data();
            }
    }
    const CountTarget& target() const { return own_; }

    void accept() const {
        double* const to[3] = {target_.edge, target_.head[0], target_.head[1]};
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t i = 0; i < counts_[c].size(); ++i) to[c][i] += counts_[c][i];
    }
    // Edge counts written directly to the target belong to this sequence alone, so they may be zeroed.
    void refuse(std::size_t slabs, std::size_t L) const {
        if (!target_.slab) return;
        std::fill(target_.edge, target_.edge + slabs * target_.slab, 0.0);
        for (std::size_t i = 0; i < 2; ++i)
            if (target_.head[i]) std::fill(target_.head[i], target_.head[i] + tensor_size(L, i + 2), 0.0);
    }

private:
    CountTarget target_, own_;
    std::vector<double> counts_[3];
};

// Count paths of one sequence of any shape: in scaled numbers first, in log space when the certificate does not hold.
template <class F>
double sum_over_paths(const Trellis<F>& trellis, F* node, const CountTarget& target,
                      const LinearTensor* linear, std::uint8_t* log_space, bool try_scaled) {
    const Steps<F> steps(trellis);
    if (try_scaled) {
        const Attempt attempt(target, trellis.L, trellis.order);
        PathSum<F, Scaled> sum(steps, linear);
        const double log_z = sum.forward();
        if (log_z > IMPOSSIBLE) sum.backward(Counter<F, Scaled<F>>(steps, node, attempt.target()));
        if (log_z > IMPOSSIBLE && sum.algebra().certified()) {
            attempt.accept();
            return log_z;
        }
        attempt.refuse(trellis.T - std::min(trellis.T, trellis.order), trellis.L);
    }
    PathSum<F, LogSpace> sum(steps);
    const double log_z = sum.forward();
    if (log_z > IMPOSSIBLE) {
        ++fallbacks();
        if (log_space) *log_space = 1;
        if (node || target.edge) sum.backward(Counter<F, LogSpace<F>>(steps, node, target));
    }
    return log_z;
}

}  // namespace seqlab
