// The fast general version of the recursions (definition/forward.hpp, definition/backward.hpp): for every order, for
// shared and per-position edges, with lists of allowed labels; row by row with the vector routines of kernels/rows, and
// normalised. In logs, at L = 45 and T = 25, both directions with marginals take 0.2 ms, and 1.9 ms by the definition.
//
// PathSum runs the two recursions; an algebra defines the number representation. LogSpace: natural logs in float64,
// normalised at every position so that marginals keep their precision at any scale. Scaled: plain numbers, without an
// exp and a log per term; it detects when it is not exact enough (eq:certificate). BestScores: max instead of the sum.
// The dense kernels are another implementation for the most common shape. tests/agreement/test_definition.py tests all
// of them against the definition.
#pragma once

#include <cmath>
#include <limits>

#include "base/numerics/sum.hpp"
#include "base/parallel/poll.hpp"
#include "kernels/kernels.hpp"
#include "trellis/steps.hpp"

namespace seqlab {

inline constexpr double IMPOSSIBLE = -std::numeric_limits<double>::infinity();
inline constexpr double INCOMPUTABLE = std::numeric_limits<double>::quiet_NaN();
// If the score of a path falls this far below that of another and catches up again, float64 has lost the digits in
// which they differ (eq:lost-digits). inference/questions.py has the same number.
inline constexpr double LARGEST_SETBACK = 1e12;

// Finite maximum of n scores, 0 when all are -inf.
template <class F>
double shift_of(const F* scores, std::size_t n) {
    F top = -std::numeric_limits<F>::infinity();
    for (std::size_t i = 0; i < n; ++i) top = std::max(top, scores[i]);
    return top > -std::numeric_limits<F>::infinity() ? static_cast<double>(top) : 0.0;
}

// Scores of a block minus `shift` in float64; in place when that changes nothing.
template <class F>
Block<double> in_double(Block<F> block, const Step& step, double shift, std::vector<double>& room) {
    if constexpr (sizeof(F) == 8) {
        if (shift == 0.0) return block;
    }
    room.resize(step.from * step.to);
    for (std::size_t a = 0; a < step.from; ++a)
        for (std::size_t y = 0; y < step.to; ++y)
            room[a * step.to + y] = static_cast<double>(block.data[a * block.stride + y]) - shift;
    return {room.data(), step.to};
}

// log Σ exp(x), with the largest term factored out; -inf if all terms are -inf.
inline double log_sum(std::span<const double> row) {
    const double top = row.empty() ? IMPOSSIBLE : *std::max_element(row.begin(), row.end());
    if (top == IMPOSSIBLE) return IMPOSSIBLE;
    double sum = 0.0;
    for (const double x : row) sum += std::exp(x - top);
    return top + std::log(sum);
}

template <class F>
class LogSpace {
public:
    static constexpr double one = 0.0;

    explicit LogSpace(const Steps<F>& steps) : steps_(steps) {}

    static double times(double a, double b) { return a + b; }
    static double probability(double x) { return std::exp(x); }
    // Convert values to relative weights, not in logs.
    static void weights(const std::vector<double>& values, std::vector<double>& out) {
        out.resize(values.size());
        kernels().f64.exp_row(out.data(), values.data(), shift_of(values.data(), values.size()), 0.0,
                              out.size());
    }

    double potentials(std::size_t t, double* out) const {
        const F* row = steps_.trellis().row(t);
        const Labels labels = steps_.labels(t);
        for (std::size_t y = 0; y < labels.size(); ++y) out[y] = static_cast<double>(row[labels[y]]);
        const double shift = shift_of(out, labels.size());
        for (std::size_t y = 0; y < labels.size(); ++y) out[y] -= shift;
        return shift;
    }
    // Very large scores are taken relative to the largest, so that rounding does not lose the terms added to them.
    double enter(std::size_t t) {
        constexpr double LARGE = 1e4;
        shift_ = 0.0;
        const Step step = steps_.into(t);
        double size = 0.0, top = IMPOSSIBLE;
        for (std::size_t r = 0; r < step.rest; ++r) {
            const Block<double> scores = block(t, r);
            for (std::size_t a = 0; a < step.from; ++a) {
                const double* const row = scores.data + a * scores.stride;
                const double best = *std::max_element(row, row + step.to);
                if (best > IMPOSSIBLE) size = std::max(size, std::abs(best));
                top = std::max(top, best);
            }
        }
        if (size > LARGE) shift_ = top;
        return shift_;
    }
    Block<double> block(std::size_t t, std::size_t r) {
        return in_double(steps_.scores(t, r, gathered_), steps_.into(t), shift_, converted_);
    }
    void step(double* out, const double* in, const Block<double>& M, const Step& s) const {
        kernels().log_step(out, in, s.rest, M.data, M.stride, s.from, s.to);
    }
    void back(double* out, const Block<double>& M, const double* g, const Step& s) const {
        kernels().log_back(out, s.rest, M.data, M.stride, g, s.from, s.to);
    }

    // eq:lost-digits   D = Σ_t max(0, -n_t)
    // Divide the row by its sum and return the log of the sum: -inf if the row is all zero, NaN if the rows so far have
    // lost digits.
    double normalise(std::span<double> row, std::size_t) {
        const double n = log_sum(row);
        if (!(n > IMPOSSIBLE)) return n;
        for (double& x : row) x -= n;
        setback_ += std::max(-n, 0.0);
        return setback_ > LARGEST_SETBACK ? INCOMPUTABLE : n;
    }
    // Compute g = β ⊗ node / norm, to be multiplied by edges.
    void weigh(std::vector<double>& g, const double* node, std::size_t to, double norm, std::size_t) const {
        for (std::size_t i = 0; i < g.size(); i += to)
            for (std::size_t y = 0; y < to; ++y) g[i + y] += node[y] - norm;
    }
    const std::vector<double>& held(const std::vector<double>& g) { return g; }

private:
    const Steps<F>& steps_;
    std::vector<F> gathered_;
    std::vector<double> converted_;
    double shift_ = 0.0, setback_ = 0.0;
};

// eq:viterbi   δ: the maximum instead of the sum, scores unchanged. Forward only.
template <class F>
class BestScores {
public:
    explicit BestScores(const Steps<F>& steps) : steps_(steps) {}

    static double times(double a, double b) { return a + b; }

    double potentials(std::size_t t, double* out) const {
        const std::size_t to = steps_.labels(t).size();
        for (std::size_t y = 0; y < to; ++y) out[y] = steps_.node(t, y);
        return 0.0;
    }
    double enter(std::size_t) const { return 0.0; }
    Block<double> block(std::size_t t, std::size_t r) {
        const Block<F> scores = steps_.scores(t, r, gathered_);
        return in_double(scores, steps_.into(t), 0.0, converted_);
    }
    void step(double* out, const double* in, const Block<double>& M, const Step& s) const {
        kernels().f64.max_step(out, in, s.rest, M.data, M.stride, s.from, s.to);
    }
    // No normalisation; -inf when no state is left.
    double normalise(std::span<const double> row, std::size_t) const {
        const auto possible = [](double x) { return x > IMPOSSIBLE; };
        return std::any_of(row.begin(), row.end(), possible) ? 0.0 : IMPOSSIBLE;
    }

private:
    const Steps<F>& steps_;
    std::vector<F> gathered_;
    std::vector<double> converted_;
};

// One step from the row of t - 1 into `row`, before normalisation: row(rest, y) = node(y) ⊗ ⊕_a before(a, rest) ⊗ M(a,
// rest, y)
template <class Algebra>
void advance(Algebra& algebra, const Step& step, std::size_t t, const double* node, const double* before,
             double* row) {
    if (t == 0) {
        std::copy(node, node + step.to, row);
        return;
    }
    for (std::size_t r = 0; r < step.rest; ++r) {
        double* const out = row + r * step.to;
        algebra.step(out, before + r, algebra.block(t, r), step);
        for (std::size_t y = 0; y < step.to; ++y) out[y] = Algebra::times(out[y], node[y]);
    }
}

// Forward pass: all rows of α, the normalisers, and log Z; then a backward pass that gives β to a visitor.
template <class F, template <class> class AlgebraOf>
class PathSum {
public:
    using Algebra = AlgebraOf<F>;

    template <class... Args>
    explicit PathSum(const Steps<F>& steps, Args&&... args) : steps_(steps), algebra_(steps, args...) {}

    // definition::forward, each row divided by its sum. Returns log Z, -inf if a row is all zero, NaN if digits are lost.
    double forward() {
        const std::size_t T = steps_.trellis().T;
        start_.assign(1, 0);
        alpha_.reserve(all_states());
        CompensatedSum log_z;
        for (std::size_t t = 0; t < T; ++t) {
            const std::size_t states = steps_.states(t);
            poll_at(t, states * steps_.into(t).from);
            alpha_.resize(start_[t] + states);
            double* const row = alpha_.data() + start_[t];
            log_z.add(advance(t, t > 0 ? alpha(t - 1) : nullptr, row));
            const double norm = algebra_.normalise(std::span(row, states), t);
            norm_.push_back(norm);
            log_z.add(norm);
            if (!(norm > IMPOSSIBLE)) return log_z_ = norm;
            start_.push_back(alpha_.size());
        }
        return log_z_ = log_z.value();
    }

    // definition::backward in the scale of α, so that α_t ⊗ β_t is the probability of the state (eq:node-marginal).
    // Calls node(t, α_t, β_t) and moves(t, r, block, α_{t-1}, g_t) of the visitor, last position first.
    template <class Visitor>
    void backward(Visitor&& visitor) {
        const std::size_t T = steps_.trellis().T;
        if (T == 0) return;
        std::vector<double> beta(steps_.states(T - 1), Algebra::one), before, node;
        for (std::size_t t = T - 1;; --t) {
            visitor.node(t, alpha(t), beta.data());
            const Step step = steps_.into(t);
            poll_at(t, step.before() * step.to);
            node.resize(step.to);
            algebra_.potentials(t, node.data());
            algebra_.weigh(beta, node.data(), step.to, norm_[t], t);
            if (t == 0) return;
            algebra_.enter(t);
            before.resize(step.before());
            const std::vector<double>& g = algebra_.held(beta);
            for (std::size_t r = 0; r < step.rest; ++r) {
                const Block<double> M = algebra_.block(t, r);
                visitor.moves(t, r, M, alpha(t - 1) + r, beta.data() + r * step.to);
                algebra_.back(before.data() + r, M, g.data() + r * step.to, step);
            }
            beta.swap(before);
        }
    }

    const double* alpha(std::size_t t) const { return alpha_.data() + start_[t]; }
    std::size_t offset(std::size_t t) const { return start_[t]; }
    std::size_t rows() const { return start_.size() - 1; }  // positions that a path reaches
    double norm(std::size_t t) const { return norm_[t]; }
    double log_z() const { return log_z_; }
    Algebra& algebra() { return algebra_; }
    const Steps<F>& steps() const { return steps_; }

    // Advance into t with the scores of this trellis; returns the shift that was subtracted from them.
    double advance(std::size_t t, const double* before, double* row) {
        const Step step = steps_.into(t);
        node_.resize(step.to);
        double shift = algebra_.potentials(t, node_.data());
        if (t > 0) shift += algebra_.enter(t);
        seqlab::advance(algebra_, step, t, node_.data(), before, row);
        return shift;
    }

private:
    // Rows that grow are copied, in long sequences for seconds.
    std::size_t all_states() const {
        const std::size_t T = steps_.T();
        if (T > 0 && steps_.everything_allowed()) return T * steps_.states(T - 1);
        std::size_t all = 0;
        for (std::size_t t = 0; t < T; ++t) {
            poll_at(t, 1);
            all += steps_.states(t);
        }
        return all;
    }

    const Steps<F>& steps_;
    Algebra algebra_;
    std::vector<double> alpha_, norm_, node_;
    std::vector<std::size_t> start_;
    double log_z_ = 0.0;
};

}  // namespace seqlab
