#include "linear/likelihood/likelihood.hpp"

#include <algorithm>

#include "base/numerics/sum.hpp"
#include "base/parallel/poll.hpp"
#include "linear/data/empirical.hpp"
#include "linear/data/partition.hpp"
#include "optimise/lanes.hpp"

namespace seqlab {

namespace {

// Numbers in the edge slabs of a block: with per-position edges, few sequences fill the cache.
constexpr std::size_t block_slab_numbers = std::size_t{1} << 18;

}  // namespace

template <class F>
struct Likelihood<F>::Worker {
    ChainScores<F> scores;
    TransitionCounts<F> moves;
    std::vector<F*> gamma;

    explicit Worker(const Likelihood& of) : scores(of.task_, of.rows_), moves(of.task_) {}
};

template <class F>
Likelihood<F>::Likelihood(const Task& task, std::size_t threads)
    : task_(task),
      rows_(ChainRows<F>::clustered(task, threads)),
      hot_rows_(FrequentRows::of(task, rows_)),
      empirical_(empirical_counts(task, threads)),
      partition_(task),
      weights_(task, rows_.plan, rows_.LP),
      sum_(task, rows_, hot_rows_) {}

template <class F>
Likelihood<F>::~Likelihood() = default;

template <class F>
void Likelihood<F>::load(const double* theta, std::size_t threads) {
    weights_.load(theta, threads);
    rows_.sum_clusters(weights_.node(), threads);
}

template <class F>
double Likelihood<F>::operator()(const double* theta, double* gradient, std::size_t threads) {
    const PinKernels caller(kernels());
    load(theta, threads);
    parallel_ranges(size(), threads, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) gradient[k] = -empirical_[k];
    });
    CompensatedSum loss;
    loss.add(total(gradient, threads, Wanted::slope));
    loss.add(-optimise::dot(empirical_.data(), theta, size(), threads));
    return loss.value();
}

// eq:curvature   h_k = Σ value² p (1 - p) for attributes; Σ p, an upper bound, for transitions
template <class F>
void Likelihood<F>::curvature(const double* theta, double* diagonal, std::size_t threads) {
    const PinKernels caller(kernels());
    load(theta, threads);
    if (!squared_) squared_ = squared_rows<F>(task_);
    std::fill_n(diagonal, size(), 0.0);
    total(diagonal, threads, Wanted::curvature);
}

template <class F>
double Likelihood<F>::total(double* counts, std::size_t threads, Wanted wanted) {
    return over_partition(
        partition_, threads, workers_, spare_, sum_, counts, [&] { return std::make_unique<Worker>(*this); },
        [&] { return std::make_unique<ChainCounts<F>>(task_, rows_, hot_rows_); },
        [&](std::size_t first, std::size_t last, Worker& worker, auto& turn) {
            return run(first, last, worker, turn, wanted);
        });
}

template <class F>
std::size_t Likelihood<F>::block_end(std::size_t first, std::size_t last) const {
    if (!task_.has_edge_attributes()) return last;
    std::size_t end = first;
    for (std::size_t numbers = 0; end < last && numbers < block_slab_numbers; ++end)
        numbers += (task_.sequences.end(end) - task_.sequences.begin(end)) * rows_.L * rows_.L;
    return end;
}

template <class F>
template <class Turn>
double Likelihood<F>::run(std::size_t first, std::size_t last, Worker& worker, Turn& turn,
                          Wanted wanted) const {
    CompensatedSum loss;
    for (std::size_t s = first, end; s < last; s = end) {
        poll();
        end = block_end(s, last);
        loss.add(run_block(s, end, worker, turn, wanted));
    }
    worker.moves.move_into(turn.counts());
    return loss.value();
}

template <class F>
template <class Turn>
double Likelihood<F>::run_block(std::size_t first, std::size_t last, Worker& worker, Turn& turn,
                                Wanted wanted) const {
    const Batch<F> batch = worker.scores(weights_, first, last);
    worker.gamma.clear();
    for (std::size_t s = first; s < last; ++s) worker.gamma.push_back(worker.scores.gamma(s));
    worker.moves.square_pairs(wanted == Wanted::curvature);
    double loss = worker.moves.count_moves(batch, first, task_.sequences.weight, worker.gamma.data());
    const bool squared = wanted == Wanted::curvature && squared_;
    if (wanted == Wanted::slope)
        loss -= worker.moves.subtract_partial_labels(worker.scores, first, last, worker.gamma.data());
    if (wanted == Wanted::curvature) curve(first, last, worker);
    ChainCounts<F>& counts = turn.counts();
    counts.count_nodes(squared ? *squared_ : rows_, task_.sequences.begin(first), task_.sequences.begin(last),
                       worker.scores.gamma());
    counts.settle();
    return loss;
}

// Replace w p by w p (1 - p).
template <class F>
void Likelihood<F>::curve(std::size_t first, std::size_t last, Worker& worker) const {
    for (std::size_t s = first; s < last; ++s) {
        const double weight = task_.sequences.weight_of(s);
        if (weight == 0.0) continue;
        F* const gamma = worker.scores.gamma(s);
        const std::size_t cells = (task_.sequences.end(s) - task_.sequences.begin(s)) * rows_.L;
        const F scale = static_cast<F>(1.0 / weight);
        for (std::size_t n = 0; n < cells; ++n) gamma[n] *= std::max(F{0}, F{1} - gamma[n] * scale);
    }
}

template class Likelihood<float>;
template class Likelihood<double>;

}  // namespace seqlab
