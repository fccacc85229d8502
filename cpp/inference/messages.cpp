#include "inference/messages.hpp"

#include "inference/forward_only.hpp"

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

// Advance one step into t, keeping only the states that end in y.
template <class F>
void Messages<F>::carry(std::size_t t, Label y, std::vector<double>& row) {
    std::vector<double> next(steps_.states(t));
    sum_.advance(t, row.data(), next.data());
    const Labels labels = steps_.labels(t);
    for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = labels[i % labels.size()] == y ? next[i] - sum_.norm(t) : IMPOSSIBLE;
    row.swap(next);
}

template <class F>
double Messages<F>::span(std::size_t i, std::size_t j, const Label* path) {
    if (i == j) return 1.0;
    if (!possible_) return INCOMPUTABLE;
    std::vector<double> row;
    if (i > 0) row.assign(sum_.alpha(i - 1), sum_.alpha(i - 1) + steps_.states(i - 1));
    for (std::size_t t = i; t < j; ++t) carry(t, path[t - i], row);
    std::vector<double> all(row.size());  // total over all labels: 1, up to the rounding of a long chain
    for (std::size_t s = 0; s < row.size(); ++s) {
        all[s] = sum_.alpha(j - 1)[s] + beta_[sum_.offset(j - 1) + s];
        row[s] += beta_[sum_.offset(j - 1) + s];
    }
    return std::min(1.0, std::exp(log_sum(row) - log_sum(all)));
}

template <class F>
double filtered(const Trellis<F>& trellis, double* out) {
    if (trellis.T == 0) return 0.0;
    return with_forward(trellis, [&](auto& sum) {
        std::fill(out, out + trellis.T * trellis.L, 0.0);
        for (std::size_t t = 0; t < trellis.T; ++t) {
            const Labels labels = sum.steps().labels(t);
            const std::size_t states = sum.steps().states(t);
            for (std::size_t i = 0; i < states; i += labels.size())
                for (std::size_t y = 0; y < labels.size(); ++y)
                    out[t * trellis.L + static_cast<std::size_t>(labels[y])] +=
                        sum.algebra().probability(sum.alpha(t)[i + y]);
        }
    });
}

#define SEQLAB_INSTANTIATE(F)   \
    template class Messages<F>; \
    template double filtered<F>(const Trellis<F>&, double*);
SEQLAB_INSTANTIATE(float)
SEQLAB_INSTANTIATE(double)
#undef SEQLAB_INSTANTIATE

}  // namespace seqlab
