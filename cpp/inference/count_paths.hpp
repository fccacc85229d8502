// Marginals and expected counts of one sequence of any shape, from α and β.
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "inference/marginals.hpp"
#include "inference/scaled.hpp"

namespace seqlab {

// Number of sequences recomputed in log space.
inline std::atomic<std::size_t>& fallbacks() {
    static std::atomic<std::size_t> count{0};
    return count;
}

// Delayed additions: (address, number).
using Additions = std::vector<std::pair<double*, double>>;

// Computes marginals and counts from α and β, for any order and any mask.
template <class F, class Algebra>
class Counter {
public:
    // additions: receives the transition counts; null to add them at once
    Counter(const Steps<F>& steps, F* node, const CountTarget& target, Additions* additions = nullptr)
        : steps_(steps), node_(node), target_(target), additions_(additions) {
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
        const std::size_t L = steps_.trellis().L;
        for (std::size_t a = 0; a < step.from; ++a) {
            const Label from = t >= k ? steps_.labels(t - k)[a] : 0;
            double* const row = out + steps_.position(t, from, r, 0);
            double* pair = nullptr;
            if (target_.pairs)
                pair = target_.pairs +
                       ((t - 1) * L + static_cast<std::size_t>(steps_.label_before(t, a, r))) * L;
            for (std::size_t y = 0; y < step.to; ++y) {
                const double x = Algebra::times(alpha[a * step.rest], M.data[a * M.stride + y]);
                const double p = target_.weight * (Algebra::probability(Algebra::times(x, g[y])) / total_);
                add(row + to[y], p);
                if (pair) add(pair + to[y], p);
            }
        }
    }

private:
    void add(double* to, double x) {
        if (additions_)
            additions_->emplace_back(to, x);
        else
            *to += x;
    }
    double* tensor(std::size_t t) const {
        const std::size_t k = steps_.trellis().order;
        return t < k ? target_.head[t - 1] : (target_.edge ? target_.edge + (t - k) * target_.slab : nullptr);
    }

    const Steps<F>& steps_;
    F* node_;
    CountTarget target_;
    Additions* additions_;
    std::vector<double> row_;
    double total_ = 1.0;
};

// Counts of an attempt whose result may be rejected, kept apart from sums that contain other sequences: a tensor, or a
// list of additions if tokens have few labels.
class Attempt {
public:
    template <class F>
    Attempt(const CountTarget& target, const Trellis<F>& trellis) : target_(target), own_(target) {
        if (!target.edge || target.slab) return;  // one slab per position belongs to this sequence alone
        const std::size_t L = trellis.L, order = trellis.order;
        listed_ = trellis.restricted * 2 >= trellis.T;
        if (listed_) return;
        counts_[0].assign(tensor_size(L, order + 1), 0.0);
        own_.edge = counts_[0].data();
        for (std::size_t i = 0; i < 2; ++i)
            if (target.head[i]) {
                counts_[i + 1].assign(tensor_size(L, i + 2), 0.0);
                own_.head[i] = counts_[i + 1].data();
            }
    }
    const CountTarget& target() const { return own_; }
    Additions* additions() { return listed_ ? &additions_ : nullptr; }

    void accept() const {
        for (const auto& [to, x] : additions_) *to += x;
        double* const to[3] = {target_.edge, target_.head[0], target_.head[1]};
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t i = 0; i < counts_[c].size(); ++i) to[c][i] += counts_[c][i];
    }
    // Undo the attempt: counts written directly to the target belong to this sequence alone, and are set to zero.
    void refuse(std::size_t T, std::size_t L, std::size_t order) const {
        if (target_.pairs) std::fill_n(target_.pairs, (T - 1) * L * L, 0.0);
        if (!target_.slab) return;
        const std::size_t slabs = T - std::min(T, order);
        std::fill(target_.edge, target_.edge + slabs * target_.slab, 0.0);
        for (std::size_t i = 0; i < 2; ++i)
            if (target_.head[i]) std::fill(target_.head[i], target_.head[i] + tensor_size(L, i + 2), 0.0);
    }

private:
    CountTarget target_, own_;
    bool listed_ = false;
    std::vector<double> counts_[3];
    Additions additions_;
};

// Count paths of one sequence of any shape: in scaled numbers first, in log space when the certificate does not hold.
template <class F>
double sum_over_paths(const Trellis<F>& trellis, F* node, const CountTarget& target,
                      const LinearTensor* linear, std::uint8_t* log_space, bool try_scaled) {
    const Steps<F> steps(trellis);
    if (try_scaled) {
        Attempt attempt(target, trellis);
        PathSum<F, Scaled> sum(steps, linear);
        const double log_z = sum.forward();
        if (log_z > IMPOSSIBLE)
            sum.backward(Counter<F, Scaled<F>>(steps, node, attempt.target(), attempt.additions()));
        if (log_z > IMPOSSIBLE && sum.algebra().certified()) {
            attempt.accept();
            return log_z;
        }
        attempt.refuse(trellis.T, trellis.L, trellis.order);
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
