#include "linear/likelihood/slopes.hpp"

#include <algorithm>

#include "base/numerics/sum.hpp"
#include "base/parallel/parallel.hpp"
#include "inference/best.hpp"
#include "linear/likelihood/local_choice.hpp"

namespace seqlab {

namespace {

// A part is worth a thread only when it takes much longer than starting one; each part has its own transition sums.
constexpr std::size_t sequences_worth_a_part = 32;
constexpr std::size_t most_parts = 8;

}  // namespace

template <class F>
double Slopes<F>::operator()(const ChainWeights<F>& weights, std::span<const std::size_t> sequences,
                             std::size_t threads) {
    sequences_ = sequences;
    make_room();
    const std::size_t n = sequences.size();
    const std::size_t parts = std::clamp<std::size_t>(n / sequences_worth_a_part, 1, most_parts);
    while (parts_.size() < parts) parts_.push_back(std::make_unique<Part>(task_, rows_));
    parallel_for(parts, threads, [&, &set = kernels()](std::size_t p) {
        const PinKernels pin(set);
        CompensatedSum loss;
        if (in_step()) {
            loss.add(look_together(weights, *parts_[p]));
        } else {
            for (std::size_t i = n * p / parts; i < n * (p + 1) / parts; ++i)
                loss.add(local_ ? look_locally(weights, i, *parts_[p]) : look(weights, i, *parts_[p]));
        }
        parts_[p]->loss = loss.value();
    });
    CompensatedSum loss;
    loss.add(parts_[0]->loss);
    for (std::size_t p = 1; p < parts; ++p) {
        loss.add(parts_[p]->loss);
        parts_[p]->moves.move_into(parts_[0]->moves);
    }
    return loss.value();
}

template <class F>
void Slopes<F>::make_room() {
    std::size_t size = 0;
    for (const std::size_t s : sequences_)
        size += (task_.sequences.end(s) - task_.sequences.begin(s)) * rows_.L + rows_.LP;
    F* next = room_.of(size);
    residual_.clear();
    for (const std::size_t s : sequences_) {
        residual_.push_back(next);
        next += (task_.sequences.end(s) - task_.sequences.begin(s)) * rows_.L + rows_.LP;
    }
}

template <class F>
double Slopes<F>::look(const ChainWeights<F>& weights, std::size_t i, Part& part) {
    const std::size_t s = sequences_[i];
    F* const residual = residual_[i];
    const Batch<F> batch = part.scores(weights, s, s + 1);
    double loss = part.moves.count_one(batch[0], s, task_.sequences.weight_of(s), residual);
    loss -= part.moves.subtract_partial_labels(part.scores, s, s + 1, &residual);
    return loss - subtract_given(batch[0], i, part);
}

template <class F>
double Slopes<F>::look_locally(const ChainWeights<F>& weights, std::size_t i, Part& part) {
    const std::size_t s = sequences_[i], begin = task_.sequences.begin(s);
    const Batch<F> batch = part.scores(weights, s, s + 1);
    return local_choices(
        batch[0], task_.sequences.path(s), begin, [&](std::size_t t) { return task_.choice_weight(s, t); },
        Wanted::slope, residual_[i], part.moves);
}

// Subtract the given labels from the expectations; returns their score, times their weight.
template <class F>
double Slopes<F>::subtract_given(const Trellis<F>& trellis, std::size_t i, Part& part) {
    const std::size_t s = sequences_[i];
    const double given = task_.sequences.gold_weight_of(s);
    if (given == 0.0) return 0.0;
    const Label* const gold = task_.sequences.path(s);
    for (std::size_t t = 0; t < trellis.T; ++t)
        residual_[i][t * rows_.L + static_cast<std::size_t>(gold[t])] -= static_cast<F>(given);
    part.moves.count_path(s, gold, -given);
    return given * path_score(trellis, gold);
}

// True if all sequences have equal lengths, full labels and no special cases, so that the lockstep kernels apply.
template <class F>
bool Slopes<F>::in_step() const {
    const Sequences& all = task_.sequences;
    const auto length = [&](std::size_t s) { return all.end(s) - all.begin(s); };
    return !local_ && sequences_.size() > 1 && sequences_.size() <= most_in_step && task_.plain() &&
           task_.partial_labels.size() == 0 && !all.weight && !all.gold_weight &&
           std::ranges::all_of(sequences_, [&](std::size_t s) { return length(s) == length(sequences_[0]); });
}

template <class F>
double Slopes<F>::look_together(const ChainWeights<F>& weights, Part& part) {
    while (several_.size() < sequences_.size()) several_.emplace_back(task_, rows_);
    trellises_.clear();
    for (std::size_t i = 0; i < sequences_.size(); ++i)
        trellises_.push_back(several_[i](weights, sequences_[i], sequences_[i] + 1)[0]);
    double loss = part.moves.count_moves(trellises_, 0, nullptr, residual_.data());
    for (std::size_t i = 0; i < sequences_.size(); ++i) loss -= subtract_given(trellises_[i], i, part);
    return loss;
}

template <class F>
void Slopes<F>::multiply(double by) {
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
        const std::size_t s = sequences_[i];
        const std::size_t size = (task_.sequences.end(s) - task_.sequences.begin(s)) * rows_.L;
        for (std::size_t n = 0; n < size; ++n) residual_[i][n] *= static_cast<F>(by);
    }
}

template class Slopes<float>;
template class Slopes<double>;

}  // namespace seqlab
