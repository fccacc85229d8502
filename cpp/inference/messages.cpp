#include "inference/messages.hpp"

namespace seqlab {

namespace {

template <class F>
struct KeepBeta {
    const PathSum<F, LogSpace>& sum;
    double* out;
    void node(std::size_t t, const double*, const double* beta) {
        std::copy(beta, beta + sum.steps().states(t), out + sum.offset(t));
    }
    void moves(std::size_t, std::size_t, const Block<double>&, const double*, const double*) {}
};

}  // namespace

template <class F>
Messages<F>::Messages(const Trellis<F>& trellis) : steps_(trellis), sum_(steps_) {
    possible_ = sum_.forward() > IMPOSSIBLE;
    if (!possible_) return;
    beta_.resize(sum_.offset(trellis.T));
    sum_.backward(KeepBeta<F>{sum_, beta_.data()});
}

// One step into t of which only the states that end in y are kept.
template <class F>
void Messages<F>::carry(std::size_t t, Label y, std::vector<double>& row) {
    std::vector<double> next;
    sum_.advance(t, row.data(), next);
    const Labels labels = steps_.labels(t);
    for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = labels[i % labels.size()] == y ? next[i] - sum_.norm(t) : IMPOSSIBLE;
    row.swap(next);
}

template <class F>
double Messages<F>::span(std::size_t i, std::size_t j, const Label* path) {
    if (i == j) return 1.0;
    std::vector<double> row;
    if (i > 0) row.assign(sum_.alpha(i - 1), sum_.alpha(i - 1) + steps_.states(i - 1));
    for (std::size_t t = i; t < j; ++t) carry(t, path[t - i], row);
    for (std::size_t s = 0; s < row.size(); ++s) row[s] += beta_[sum_.offset(j - 1) + s];
    return std::min(1.0, std::exp(log_sum(row)));
}

template <class F>
bool filtered(const Trellis<F>& trellis, double* out, double* log_z) {
    const Steps<F> steps(trellis);
    PathSum<F, LogSpace> sum(steps);
    *log_z = sum.forward();
    if (*log_z == IMPOSSIBLE) return false;
    std::fill(out, out + trellis.T * trellis.L, 0.0);
    for (std::size_t t = 0; t < trellis.T; ++t) {
        const Labels labels = steps.labels(t);
        for (std::size_t i = 0; i < steps.states(t); ++i)
            out[t * trellis.L + static_cast<std::size_t>(labels[i % labels.size()])] +=
                std::exp(sum.alpha(t)[i]);
    }
    return true;
}

#define SEQLAB_INSTANTIATE(F)   \
    template class Messages<F>; \
    template bool filtered<F>(const Trellis<F>&, double*, double*);
SEQLAB_INSTANTIATE(float)
SEQLAB_INSTANTIATE(double)

}  // namespace seqlab
