#include "learn/local_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/sum.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

namespace {

constexpr std::size_t block_sequences = 256;
constexpr double nothing = -std::numeric_limits<double>::infinity();

// row becomes p = exp(row) / Σ exp(row); log Σ exp(row) is returned. All -inf: all 0, and -inf.
template <class F>
double softmax(F* row, std::size_t L) {
    const F top = *std::max_element(row, row + L);
    if (!(top > -std::numeric_limits<F>::infinity())) {
        std::fill_n(row, L, F{0});
        return nothing;
    }
    kernels().of<F>().exp_row(row, row, top, F{0}, L);
    F total = 0;
    for (std::size_t y = 0; y < L; ++y) total += row[y];
    for (std::size_t y = 0; y < L; ++y) row[y] /= total;
    return static_cast<double>(top) + std::log(static_cast<double>(total));
}

}  // namespace

template <class F>
struct LocalLikelihood<F>::Worker {
    ChainScores<F> scores;
    ChainCounts<F> counts;
    LocalPaths paths;
    double loss = 0.0;

    explicit Worker(const LocalLikelihood& of)
        : scores(of.task_, of.rows_), counts(of.task_, of.rows_, of.hot_rows_) {}
};

template <class F>
LocalLikelihood<F>::LocalLikelihood(const Task& task)
    : task_(task),
      rows_(task),
      hot_rows_(sizeof(F) == 4 ? count_hot_rows(task.entries, rows_.plan) : 0),
      cuts_(stretches(task.sequences)),
      weights_(task, rows_.plan, rows_.LP),
      sum_(task, rows_, hot_rows_) {}

template <class F>
LocalLikelihood<F>::~LocalLikelihood() = default;

template <class F>
double LocalLikelihood<F>::operator()(const double* theta, double* gradient, std::size_t threads) {
    const PinKernels caller(kernels());
    weights_.load(theta);
    std::fill_n(gradient, size(), 0.0);
    return over_stretches(gradient, threads, Wanted::slope);
}

template <class F>
void LocalLikelihood<F>::curvature(const double* theta, double* diagonal, std::size_t threads) {
    const PinKernels caller(kernels());
    weights_.load(theta);
    if (!squared_) squared_ = squared_rows<F>(task_);
    std::fill_n(diagonal, size(), 0.0);
    over_stretches(diagonal, threads, Wanted::curvature);
}

template <class F>
double LocalLikelihood<F>::over_stretches(double* total, std::size_t threads, Wanted wanted) {
    const std::size_t parts = cuts_.size() - 1;
    threads = std::min(threads, parts);
    while (workers_.size() < threads) workers_.push_back(std::make_unique<Worker>(*this));
    CompensatedSum loss;
    for (std::size_t first = 0; first < parts; first += threads) {
        const std::size_t count = std::min(threads, parts - first);
        parallel_for(count, threads, [&, &set = kernels()](std::size_t i) {
            const PinKernels pin(set);
            workers_[i]->loss = run(cuts_[first + i], cuts_[first + i + 1], *workers_[i], wanted);
        });
        for (std::size_t i = 0; i < count; ++i) {
            loss.add(workers_[i]->loss);
            workers_[i]->counts.move_into(sum_);
        }
    }
    sum_.move_to(total);
    return loss.value();
}

template <class F>
double LocalLikelihood<F>::run(std::size_t first, std::size_t last, Worker& worker, Wanted wanted) const {
    const auto& clamps = task_.clamps;
    const std::size_t block = task_.sees_moves() ? 16 : block_sequences;
    const ChainRows<F>& rows = wanted == Wanted::curvature && squared_ ? *squared_ : rows_;
    CompensatedSum loss;
    for (std::size_t from = first; from < last; from += block) {
        const std::size_t to = std::min(last, from + block);
        const Batch<F> batch = worker.scores(weights_, from, to);
        auto c = static_cast<std::size_t>(
            std::ranges::lower_bound(clamps.sequence, static_cast<std::int64_t>(from)) -
            clamps.sequence.begin());
        for (std::size_t s = from; s < to; ++s) {
            const Trellis<F>& trellis = batch[s - from];
            std::fill_n(worker.scores.gamma(s), trellis.T * rows_.L, F{0});
            if (task_.sequences.gold_weight_of(s) != 0.0) loss.add(labelled(trellis, s, worker, wanted));
            for (; c < clamps.size() && clamps.sequence[c] == static_cast<std::int64_t>(s); ++c)
                loss.add(clamped(trellis, c, worker, wanted));
        }
        worker.counts.count_nodes(rows, task_.sequences.begin(from), task_.sequences.begin(to),
                                  worker.scores.gamma());
        worker.counts.settle();
    }
    return loss.value();
}

template <class F>
double LocalLikelihood<F>::token_weight(std::size_t s, std::size_t t) const {
    return task_.token_weight ? task_.token_weight[task_.sequences.begin(s) + t]
                              : task_.sequences.gold_weight_of(s);
}

template <class F>
double LocalLikelihood<F>::labelled(const Trellis<F>& trellis, std::size_t s, Worker& worker,
                                    Wanted wanted) const {
    const std::size_t L = rows_.L, begin = task_.sequences.begin(s);
    const Label* const gold = task_.sequences.labels + begin;
    CompensatedSum loss;
    for (std::size_t t = 0; t < trellis.T; ++t) {
        const double weight = token_weight(s, t);
        F* const p = worker.scores.gamma(s) + t * L;
        std::copy_n(trellis.row(t), L, p);
        const auto y = static_cast<std::size_t>(gold[t]);
        const std::size_t from = t > 0 ? static_cast<std::size_t>(gold[t - 1]) : 0;
        if (t > 0) {
            const F* const edge = trellis.scores_into(t) + from * L;
            for (std::size_t j = 0; j < L; ++j) p[j] += edge[j];
        }
        const double score = static_cast<double>(p[y]);
        loss.add(weight * (softmax(p, L) - score));
        if (wanted == Wanted::slope) p[y] -= F{1};
        for (std::size_t j = 0; j < L; ++j)
            p[j] *= static_cast<F>(weight) * (wanted == Wanted::slope ? F{1} : F{1} - p[j]);
        if (t > 0) worker.counts.count_row(from, begin + t, p);
    }
    return loss.value();
}

// eq:partial-labels, for local choices: -log Σ over the paths that fit the lists, each a product of choices.
// Its slope along s_t(a, y) is  ξ_t(a, ·) p_t(y | a) - ξ_t(a, y).
template <class F>
double LocalLikelihood<F>::clamped(const Trellis<F>& trellis, std::size_t c, Worker& worker,
                                   Wanted wanted) const {
    const std::size_t L = rows_.L;
    const auto s = static_cast<std::size_t>(task_.clamps.sequence[c]);
    const double weight = task_.clamps.weight[c];
    LocalPaths& paths = worker.paths;
    choose(trellis, paths);
    const double log_p = paths.sum(task_.clamps.lists, static_cast<std::size_t>(task_.clamps.row[c]));
    std::vector<F> p(L);
    for (std::size_t t = 0; t < trellis.T; ++t)
        for (std::size_t a = 0; a < paths.rows(t); ++a) {
            double mass = 0.0;
            for (std::size_t y = 0; y < L; ++y) mass += paths.move(t, a, y);
            if (mass == 0.0) continue;
            for (std::size_t y = 0; y < L; ++y) {
                const double q = paths.choice(t, a, y);
                const double d =
                    wanted == Wanted::slope ? mass * q - paths.move(t, a, y) : mass * q * (1.0 - q);
                p[y] = static_cast<F>(weight * d);
                worker.scores.gamma(s)[t * L + y] += p[y];
            }
            if (t > 0) worker.counts.count_row(a, task_.sequences.begin(s) + t, p.data());
        }
    return -weight * log_p;
}

// p_t(y | a) for every label a before.
template <class F>
void LocalLikelihood<F>::choose(const Trellis<F>& trellis, LocalPaths& paths) const {
    const std::size_t L = rows_.L;
    paths.resize(trellis.T, L);
    std::vector<F> row(L);
    for (std::size_t t = 0; t < trellis.T; ++t)
        for (std::size_t a = 0; a < paths.rows(t); ++a) {
            std::copy_n(trellis.row(t), L, row.data());
            for (std::size_t y = 0; t > 0 && y < L; ++y) row[y] += trellis.scores_into(t)[a * L + y];
            softmax(row.data(), L);
            std::copy_n(row.data(), L, paths.choices(t, a));
        }
}

template class LocalLikelihood<float>;
template class LocalLikelihood<double>;

}  // namespace seqlab
