#include "learn/likelihood.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "inference/marginals.hpp"
#include "numerics/sum.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

namespace {

// Sequences worked on together: their scores and marginals stay in the second-level cache.
constexpr std::size_t block_sequences = 256;
// A float32 sum of so many terms is still good to five digits.
constexpr std::size_t most_terms_in_float = 512;

std::size_t count_hot_rows(const Entries& entries, const RowPlan& plan) {
    std::vector<std::size_t> uses(plan.rows());
    for (std::int64_t i = 0; i < entries.indptr[entries.tokens()]; ++i)
        if (const std::int32_t row = plan.row(static_cast<std::size_t>(entries.ids[i]));
            row != RowPlan::listed)
            ++uses[static_cast<std::size_t>(row)];
    const auto last =
        std::find_if(uses.rbegin(), uses.rend(), [](std::size_t n) { return n > most_terms_in_float; });
    return static_cast<std::size_t>(uses.rend() - last);
}

}  // namespace

template <class F>
struct Likelihood<F>::Worker {
    WeightTable<F> sums;
    std::vector<double> hot;    // sums of the hot rows' weights, moved out of `sums` in time
    std::vector<double> moves;  // (L, L)
    Buffer<F> node, gamma;
    std::vector<Trellis<F>> batch;
    std::vector<F*> out;
    double loss = 0.0;

    explicit Worker(const Likelihood& of)
        : sums(of.observed_, of.plan_, of.LP_),
          hot(sums.weights_of_first_rows(of.hot_rows_)),
          moves(of.L_ * of.L_) {}

    // Add all sums to the gradient and begin again from zero.
    void move_to(double* gradient, const Moves& of, std::size_t weights) {
        sums.move_to(gradient);
        for (std::size_t k = 0; k < hot.size(); ++k) gradient[k] += hot[k];
        for (std::size_t m = 0; m < moves.size(); ++m)
            if (of.number[m] >= 0) gradient[weights + static_cast<std::size_t>(of.number[m])] += moves[m];
        std::ranges::fill(hot, 0.0);
        std::ranges::fill(moves, 0.0);
    }
};

template <class F>
Likelihood<F>::Likelihood(const Entries& entries, const Observed& observed, const Moves& moves,
                          const Sequences& sequences)
    : observed_(observed),
      moves_(moves),
      sequences_(sequences),
      L_(moves.L),
      LP_(kernels().of<F>().row_lanes(moves.L)),
      plan_(observed, moves.L),
      rows_(entries, observed, plan_),
      hot_rows_(sizeof(F) == 4 ? count_hot_rows(entries, plan_) : 0),
      empirical_(empirical_counts(entries, observed, moves, sequences)),
      cuts_(stretches(sequences)),
      weights_(observed, plan_, LP_),
      edge_(L_ * L_) {}

template <class F>
Likelihood<F>::~Likelihood() = default;

template <class F>
void Likelihood<F>::load(const double* theta) {
    weights_.load(theta);
    const double* const move = theta + observed_.weights();
    for (std::size_t i = 0; i < edge_.size(); ++i) {
        edge_[i] = moves_.number[i] >= 0 ? static_cast<F>(move[moves_.number[i]]) : F{0};
        if (!moves_.forbidden.empty() && moves_.forbidden[i]) edge_[i] = -std::numeric_limits<F>::infinity();
    }
}

template <class F>
double Likelihood<F>::operator()(const double* theta, double* gradient, std::size_t threads) {
    const PinKernels caller(kernels());
    load(theta);
    const std::size_t weights = observed_.weights(), parts = cuts_.size() - 1;
    for (std::size_t k = 0; k < size(); ++k) gradient[k] = -empirical_[k];
    CompensatedSum loss;
    for (std::size_t k = 0; k < size(); ++k) loss.add(-empirical_[k] * theta[k]);

    // As many stretches at a time as there are threads; their sums are added in order.
    threads = std::min(threads, parts);
    while (workers_.size() < threads) workers_.push_back(std::make_unique<Worker>(*this));
    for (std::size_t first = 0; first < parts; first += threads) {
        const std::size_t count = std::min(threads, parts - first);
        parallel_for(count, threads, [&, &set = kernels()](std::size_t i) {
            const PinKernels pin(set);
            workers_[i]->loss = run(cuts_[first + i], cuts_[first + i + 1], *workers_[i]);
        });
        for (std::size_t i = 0; i < count; ++i) {
            loss.add(workers_[i]->loss);
            workers_[i]->move_to(gradient, moves_, weights);
        }
    }
    return loss.value();
}

template <class F>
double Likelihood<F>::run(std::size_t first, std::size_t last, Worker& worker) const {
    CompensatedSum loss;
    for (std::size_t s = first; s < last; s += block_sequences) {
        loss.add(run_block(s, std::min(last, s + block_sequences), worker));
        worker.sums.move_first_rows(hot_rows_, worker.hot.data());
    }
    return loss.value();
}

template <class F>
double Likelihood<F>::run_block(std::size_t first, std::size_t last, Worker& worker) const {
    const auto& k = kernels().of<F>();
    const std::size_t from = sequences_.begin(first), to = sequences_.begin(last),
                      room = (to - from) * L_ + LP_;
    F* const node = worker.node.of(room);
    F* const gamma = worker.gamma.of(room);
    k.gather_rows(weights_.dense(), LP_, L_, rows_.rows(), from, to, node);
    rows_.add_listed(weights_.listed(), L_, from, to, node);
    mask_ends(first, last, node);

    worker.batch.clear();
    worker.out.clear();
    for (std::size_t s = first; s < last; ++s) {
        Trellis<F> trellis;
        trellis.T = sequences_.begin(s + 1) - sequences_.begin(s);
        trellis.L = L_;
        trellis.node = node + (sequences_.begin(s) - from) * L_;
        trellis.edge = edge_.data();
        worker.batch.push_back(trellis);
        worker.out.push_back(gamma + (sequences_.begin(s) - from) * L_);
    }
    const double loss = count_paths(first, last, worker);
    k.scatter_rows(worker.sums.dense(), LP_, L_, rows_.rows(), from, to, gamma);
    rows_.count_listed(gamma, L_, from, to, worker.sums.listed());
    return loss;
}

// Marginals into worker.out, moves into worker.moves, weighted; returns Σ_s w_s log Z_s. Sequences of one weight run together.
template <class F>
double Likelihood<F>::count_paths(std::size_t first, std::size_t last, Worker& worker) const {
    CompensatedSum loss;
    std::vector<double> log_z(last - first), moves;
    const Batch<F> batch = worker.batch;
    for (std::size_t s = first; s < last;) {
        const double weight = sequences_.weight_of(s);
        std::size_t end = s + 1;
        while (end < last && sequences_.weight_of(end) == weight) ++end;
        moves.assign(L_ * L_, 0.0);
        const CountTarget target{moves.data(), 0, {nullptr, nullptr}};
        expected_counts<F>(batch.subspan(s - first, end - s), worker.out.data() + (s - first), &target, true,
                           log_z.data(), nullptr, 1);
        for (std::size_t m = 0; m < moves.size(); ++m) worker.moves[m] += weight * moves[m];
        for (std::size_t i = s; i < end; ++i) {
            loss.add(weight * log_z[i - s]);
            if (weight == 1.0) continue;
            F* const gamma = worker.out[i - first];
            for (std::size_t n = 0; n < batch[i - first].T * L_; ++n) gamma[n] *= static_cast<F>(weight);
        }
        s = end;
    }
    return loss.value();
}

template <class F>
void Likelihood<F>::mask_ends(std::size_t first, std::size_t last, F* node) const {
    if (moves_.no_start.empty()) return;
    const std::size_t from = sequences_.begin(first);
    for (std::size_t s = first; s < last; ++s) {
        const std::size_t begin = sequences_.begin(s), end = sequences_.begin(s + 1);
        if (begin == end) continue;
        for (std::size_t y = 0; y < L_; ++y) {
            constexpr F never = -std::numeric_limits<F>::infinity();
            if (moves_.no_start[y]) node[(begin - from) * L_ + y] = never;
            if (moves_.no_end[y]) node[(end - 1 - from) * L_ + y] = never;
        }
    }
}

template class Likelihood<float>;
template class Likelihood<double>;

}  // namespace seqlab
