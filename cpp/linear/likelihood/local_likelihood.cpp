#include "linear/likelihood/local_likelihood.hpp"

#include <algorithm>

#include "base/numerics/sum.hpp"
#include "base/parallel/poll.hpp"
#include "linear/data/partition.hpp"
#include "linear/likelihood/local_choice.hpp"
#include "linear/likelihood/local_paths.hpp"

namespace seqlab {

template <class F>
struct LocalLikelihood<F>::Worker {
    ChainScores<F> scores;
    TransitionCounts<F> moves;

    explicit Worker(const LocalLikelihood& of) : scores(of.task_, of.rows_), moves(of.task_) {}
};

template <class F>
LocalLikelihood<F>::LocalLikelihood(const Task& task, std::size_t threads)
    : task_(task),
      rows_(ChainRows<F>::clustered(task, threads)),
      hot_rows_(FrequentRows::of(task, rows_)),
      partition_(task),
      weights_(task, rows_.plan, rows_.LP),
      sum_(task, rows_, hot_rows_) {}

template <class F>
LocalLikelihood<F>::~LocalLikelihood() = default;

template <class F>
void LocalLikelihood<F>::load(const double* theta, std::size_t threads) {
    weights_.load(theta, threads);
    rows_.sum_clusters(weights_.node(), threads);
}

template <class F>
double LocalLikelihood<F>::operator()(const double* theta, double* gradient, std::size_t threads) {
    const PinKernels caller(kernels());
    load(theta, threads);
    std::fill_n(gradient, size(), 0.0);
    return total(gradient, threads, Wanted::slope);
}

template <class F>
void LocalLikelihood<F>::curvature(const double* theta, double* diagonal, std::size_t threads) {
    const PinKernels caller(kernels());
    load(theta, threads);
    if (!squared_) squared_ = squared_rows<F>(task_);
    std::fill_n(diagonal, size(), 0.0);
    total(diagonal, threads, Wanted::curvature);
}

template <class F>
double LocalLikelihood<F>::total(double* counts, std::size_t threads, Wanted wanted) {
    return over_partition(
        partition_, threads, workers_, spare_, sum_, counts, [&] { return std::make_unique<Worker>(*this); },
        [&] { return std::make_unique<ChainCounts<F>>(task_, rows_, hot_rows_); },
        [&](std::size_t first, std::size_t last, Worker& worker, auto& turn) {
            return run(first, last, worker, turn, wanted);
        });
}

template <class F>
template <class Turn>
double LocalLikelihood<F>::run(std::size_t first, std::size_t last, Worker& worker, Turn& turn,
                               Wanted wanted) const {
    const auto& partial = task_.partial_labels;
    const std::size_t block = task_.has_edge_attributes() ? 16 : last - first;
    const ChainRows<F>& rows = wanted == Wanted::curvature && squared_ ? *squared_ : rows_;
    CompensatedSum loss;
    for (std::size_t from = first; from < last; from += block) {
        const std::size_t to = std::min(last, from + block);
        const Batch<F> batch = worker.scores(weights_, from, to);
        auto c = static_cast<std::size_t>(
            std::ranges::lower_bound(partial.sequence, static_cast<std::int64_t>(from)) -
            partial.sequence.begin());
        for (std::size_t s = from; s < to; ++s) {
            poll();
            const Trellis<F>& trellis = batch[s - from];
            if (task_.sequences.gold_weight_of(s) != 0.0)
                loss.add(labelled(trellis, s, worker, wanted));
            else
                std::fill_n(worker.scores.gamma(s), trellis.T * rows_.L, F{0});
            for (; c < partial.size() && partial.sequence[c] == static_cast<std::int64_t>(s); ++c)
                loss.add(restricted(c, worker, wanted));
        }
        ChainCounts<F>& counts = turn.counts();
        counts.count_nodes(rows, task_.sequences.begin(from), task_.sequences.begin(to),
                           worker.scores.gamma());
        counts.settle();
    }
    worker.moves.move_into(turn.counts());
    return loss.value();
}

template <class F>
double LocalLikelihood<F>::labelled(const Trellis<F>& trellis, std::size_t s, Worker& worker,
                                    Wanted wanted) const {
    const std::size_t begin = task_.sequences.begin(s);
    return local_choices(
        trellis, task_.sequences.path(s), begin, [&](std::size_t t) { return task_.choice_weight(s, t); },
        wanted, worker.scores.gamma(s), worker.moves);
}

// eq:partial-labels for an MEMM: -log Σ over the paths consistent with the lists, each a product of p_t(y | a). Its
// derivative with respect to s_t(a, y), with a the previous labels, is  ξ_t(a, ·) p_t(y | a) - ξ_t(a, y).
template <class F>
double LocalLikelihood<F>::restricted(std::size_t c, Worker& worker, Wanted wanted) const {
    const std::size_t L = rows_.L;
    const auto s = static_cast<std::size_t>(task_.partial_labels.sequence[c]);
    const double weight = task_.partial_labels.weight[c];
    const Trellis<F> trellis = worker.scores.listed(c);
    LocalPaths<F> paths(trellis);
    const double log_p = paths.sum();
    std::vector<F> p(L);
    std::vector<double> moves(L);
    for (std::size_t t = 0; t < trellis.T; ++t)
        for (std::size_t state = 0; state < paths.states_before(t); ++state) {
            const double mass = paths.moves(t, state, moves);
            if (mass == 0.0) continue;
            const double* const q = paths.choices(t, state);
            for (std::size_t y = 0; y < L; ++y) {
                const double d =
                    wanted == Wanted::slope ? mass * q[y] - moves[y] : mass * q[y] * (1.0 - q[y]);
                p[y] = static_cast<F>(weight * d);
                worker.scores.gamma(s)[t * L + y] += p[y];
            }
            if (t > 0)
                worker.moves.count_row(t, paths.before(t, state), task_.sequences.begin(s) + t, p.data());
        }
    return -weight * log_p;
}

template class LocalLikelihood<float>;
template class LocalLikelihood<double>;

}  // namespace seqlab
