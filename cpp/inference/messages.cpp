#include "inference/messages.hpp"

#include "base/parallel/parallel.hpp"
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
    return share(j - 1, row);
}

// Σ row ⊗ β_t, of the total over all states: 1, up to the rounding of a long chain.
template <class F>
double Messages<F>::share(std::size_t t, std::vector<double>& row) const {
    std::vector<double> all(row.size());
    for (std::size_t s = 0; s < row.size(); ++s) {
        all[s] = sum_.alpha(t)[s] + beta_[sum_.offset(t) + s];
        row[s] += beta_[sum_.offset(t) + s];
    }
    return std::min(1.0, std::exp(log_sum(row) - log_sum(all)));
}

// The shift that forward() has subtracted from the scores of transitions into t > 0.
template <class F>
double Messages<F>::entered(std::size_t t) {
    entered_.resize(steps_.T(), INCOMPUTABLE);
    if (std::isnan(entered_[t])) entered_[t] = sum_.algebra().enter(t);
    return entered_[t];
}

// Advance one step into t, into labels of the type (-1: into any), over the transitions with a border, or those without
// one. Most entries of the row are impossible: those that are not are taken one by one.
template <class F>
void Messages<F>::carry(std::size_t t, const SpanTypes& types, Label type, bool over_border,
                        std::vector<double>& row) {
    const Step step = steps_.into(t);
    const Labels labels = steps_.labels(t);
    const std::size_t L = steps_.trellis().L;
    std::vector<double> next(step.after(), IMPOSSIBLE), terms, node(step.to);
    sum_.algebra().potentials(t, node.data());
    const double shift = t > 0 ? entered(t) : 0.0;
    std::vector<std::size_t> from;
    for (std::size_t r = 0; r < step.rest; ++r) {
        from.clear();
        for (std::size_t a = 0; t > 0 && a < step.from; ++a)
            if (row[a * step.rest + r] > IMPOSSIBLE) from.push_back(a);
        for (std::size_t y = 0; y < step.to; ++y) {
            if (type >= 0 && types.type[labels[y]] != type) continue;
            terms.assign(t > 0 ? 0 : 1, 0.0);
            for (const std::size_t a : from) {
                const auto before = static_cast<std::size_t>(steps_.label_before(t, a, r));
                if ((types.border[before * L + static_cast<std::size_t>(labels[y])] != 0) == over_border)
                    terms.push_back(row[a * step.rest + r] + (steps_.move(t, a, r, y) - shift));
            }
            if (!terms.empty()) next[r * step.to + y] = log_sum(terms) + node[y] - sum_.norm(t);
        }
    }
    row.swap(next);
}

template <class F>
double Messages<F>::typed_span(std::size_t i, std::size_t j, Label type, const SpanTypes& types) {
    if (!possible_) return INCOMPUTABLE;
    const std::size_t T = steps_.T();
    std::vector<double> row;
    if (i > 0) row.assign(sum_.alpha(i - 1), sum_.alpha(i - 1) + steps_.states(i - 1));
    for (std::size_t t = i; t < j; ++t) carry(t, types, type, t == i, row);
    if (j < T) carry(j, types, -1, true, row);
    return share(j < T ? j : T - 1, row);
}

template <class F>
void span_probabilities(Batch<F> batch, const SpanTypes& types, const SpanQuestions& asked,
                        double* probability, double* log_z, std::size_t threads) {
    parallel_for(batch.size(), threads, [&](std::size_t i) {
        log_z[i] = 0.0;
        if (asked.first[i] == asked.first[i + 1]) return;
        Messages<F> messages(batch[i]);
        log_z[i] = messages.log_z();
        for (std::int64_t n = asked.first[i]; n < asked.first[i + 1]; ++n)
            probability[n] =
                messages.typed_span(static_cast<std::size_t>(asked.begin[n]),
                                    static_cast<std::size_t>(asked.end[n]), asked.type[n], types);
    });
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

#define SEQLAB_INSTANTIATE(F)                                                                               \
    template class Messages<F>;                                                                             \
    template void span_probabilities<F>(Batch<F>, const SpanTypes&, const SpanQuestions&, double*, double*, \
                                        std::size_t);                                                       \
    template double filtered<F>(const Trellis<F>&, double*);
SEQLAB_INSTANTIATE(float)
SEQLAB_INSTANTIATE(double)
#undef SEQLAB_INSTANTIATE

}  // namespace seqlab
