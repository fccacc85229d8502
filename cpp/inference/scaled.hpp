// Plain numbers instead of logs, an algebra for PathSum: e = exp(node - max), M = exp(edge - max).
#pragma once

#include "inference/path_sum.hpp"

namespace seqlab {

// exp(scores - largest) of a whole tensor of edges, made once for all sequences that share it.
struct LinearTensor {
    std::vector<double> values;
    double shift = 0.0;
    double least = 1.0;  // of the values that are not zero
};

// The smallest value above zero, or `so_far` if that is smaller.
inline double least_positive(const double* x, std::size_t n, double so_far) {
    for (std::size_t i = 0; i < n; ++i) so_far = x[i] > 0.0 && x[i] < so_far ? x[i] : so_far;
    return so_far;
}

template <class F>
void exponentials(const F* scores, std::size_t n, double shift, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(scores[i]);
    kernels().f64.exp_row(out, out, shift, Limits<double>::faintest_edge, n);
}

template <class F>
LinearTensor linear(const F* scores, std::size_t n) {
    LinearTensor tensor;
    tensor.shift = shift_of(scores, n);
    tensor.values.resize(n);
    exponentials(scores, n, tensor.shift, tensor.values.data());
    tensor.least = least_positive(tensor.values.data(), n, 1.0);
    return tensor;
}

inline std::size_t tensor_size(std::size_t L, std::size_t axes) {
    std::size_t size = 1;
    for (std::size_t i = 0; i < axes; ++i) size *= L;
    return size;
}

template <class F>
LinearTensor linear_edges(const Trellis<F>& trellis) {
    return trellis.slab ? LinearTensor{} : linear(trellis.edge, tensor_size(trellis.L, trellis.order + 1));
}

// Exponentials of shared edges are worth computing when they are reused; with short label lists they would cost more
// than the sequence itself, so then only the gathered entries are exponentiated.
template <class F>
bool wants_linear(const Trellis<F>& trellis) {
    return trellis.slab == 0 && !trellis.pairs && trellis.restricted * 2 < trellis.T;
}

template <class F>
class Scaled {
public:
    static constexpr double one = 1.0;
    static constexpr double FAINTEST =
        1e-300;  // lower limit of the potential of an allowed node, as in the kernels

    // shared: the exponentials of shared edges, or null to make them as needed
    Scaled(const Steps<F>& steps, const LinearTensor* shared)
        : steps_(steps), shared_(shared), least_(shared ? shared->least : 1.0) {}

    static double times(double a, double b) { return a * b; }
    static double probability(double x) { return x; }
    static void weights(const std::vector<double>& values, std::vector<double>& out) { out = values; }
    bool certified() const { return certified_; }
    // eq:certificate, forward only: no value came near underflow
    bool forward_certified() const { return certified_ && least_ >= Limits<double>::least; }

    double potentials(std::size_t t, double* out) {
        const F* row = steps_.trellis().row(t);
        const Labels labels = steps_.labels(t);
        for (std::size_t y = 0; y < labels.size(); ++y) out[y] = static_cast<double>(row[labels[y]]);
        const double shift = shift_of(out, labels.size());
        kernels().f64.exp_row(out, out, shift, FAINTEST, labels.size());
        least_ = least_positive(out, labels.size(), least_);
        return shift;
    }

    // Exponentiate the transitions into t, unless they are shared.
    double enter(std::size_t t) {
        if (shared_ && t >= steps_.trellis().order) return shared_->shift;
        const Step step = steps_.into(t);
        const std::size_t size = step.from * step.to;
        slab_.resize(size * step.rest);
        for (std::size_t r = 0; r < step.rest; ++r) {
            const Block<F> scores = steps_.scores(t, r, gathered_);
            for (std::size_t a = 0; a < step.from; ++a)
                for (std::size_t y = 0; y < step.to; ++y)
                    slab_[r * size + a * step.to + y] =
                        static_cast<double>(scores.data[a * scores.stride + y]);
        }
        const double shift = shift_of(slab_.data(), slab_.size());
        kernels().f64.exp_row(slab_.data(), slab_.data(), shift, Limits<double>::faintest_edge, slab_.size());
        least_ = least_positive(slab_.data(), slab_.size(), least_);
        return shift;
    }
    Block<double> block(std::size_t t, std::size_t r) {
        // Shared exponentials have the shape of the scores: used in place, or gathered like them.
        if (shared_ && t >= steps_.trellis().order) return steps_.block(shared_->values.data(), t, r, room_);
        const Step step = steps_.into(t);
        return {slab_.data() + r * step.from * step.to, step.to};
    }
    void step(double* out, const double* in, const Block<double>& M, const Step& s) const {
        kernels().f64.sum_step(out, in, s.rest, M.data, M.stride, s.from, s.to);
    }
    void back(double* out, const Block<double>& M, const double* g, const Step& s) const {
        kernels().f64.sum_back(out, s.rest, M.data, M.stride, g, s.from, s.to);
    }

    double normalise(std::span<double> row, std::size_t t) {
        double sum = 0.0;
        for (const double x : row) sum += x;
        factor_.resize(t + 1);
        factor_[t] = 1.0 / sum;
        if (!(factor_[t] <= Limits<double>::cap)) certified_ = false;
        for (double& x : row) x *= factor_[t];
        least_ = least_positive(row.data(), row.size(), least_);
        return sum > 0.0 ? std::log(sum) : IMPOSSIBLE;
    }
    // eq:certificate   c_t β_t must stay below the cap; backward values of allowed states are kept above the floor
    void weigh(std::vector<double>& g, const double* node, std::size_t to, double, std::size_t t) {
        held_.resize(g.size());
        for (std::size_t i = 0; i < g.size(); i += to)
            for (std::size_t y = 0; y < to; ++y) {
                const bool allowed = g[i + y] > 0.0 && node[y] > 0.0;
                const double bc = g[i + y] * factor_[t];
                if (!(bc <= Limits<double>::cap)) certified_ = false;
                g[i + y] = bc * node[y];
                held_[i + y] = allowed ? std::max(g[i + y], Limits<double>::floor) : 0.0;
            }
    }
    const std::vector<double>& held(const std::vector<double>&) { return held_; }

private:
    const Steps<F>& steps_;
    const LinearTensor* shared_;
    std::vector<F> gathered_;
    std::vector<double> slab_, factor_, held_, room_;
    bool certified_ = true;
    double least_;
};

}  // namespace seqlab
