#include "linear/stochastic/averaged_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/numerics/random.hpp"
#include "base/parallel/parallel.hpp"
#include "linear/data/shuffle.hpp"
#include "linear/likelihood/slopes.hpp"
#include "linear/stochastic/scaled_steps.hpp"

namespace seqlab {

namespace {

constexpr std::size_t sample_sentences = 1000;
constexpr double first_rate = 0.1, most_rate = 3.2, least_rate = 1e-3;
constexpr std::size_t soft_steps = 16;  // proximal steps per epoch; each passes over all weights
// With an L1 penalty a bad start costs many iterations, so epochs go on while one lowers the loss by this fraction, and
// the result is the mean over the last epoch.
constexpr double least_gain = 0.05;
constexpr int longest = 4;           // largest number of epochs, as a multiple of the option
constexpr std::size_t window = 256;  // sentences of one length are grouped within windows of this size
// Two groups a step, for two threads, if there are enough sentences: after six epochs the objective of 9,000 and of
// 12,500 sentences is 0.1 % higher than with one group; with 3,400 it is 6 to 25 % higher.
constexpr std::size_t most_groups = 2, sentences_for_most = 6000;

std::size_t sentences_of(const auto& groups) {
    std::size_t sentences = 0;
    for (const auto& group : groups) sentences += group.size();
    return sentences;
}

// The part of the task that is learned: the first weights of theta, from full labellings.
Task plain(Task task) {
    task.transitions.keep_levels(1);
    task.edge_entries = {};
    task.edge_observed = {};
    task.partial_labels = {};
    task.sequences.gold_weight = nullptr;
    return task;
}

}  // namespace

// The weights during training. A step with two groups of sentences uses two threads.
class AveragedStart::Steps {
public:
    Steps(const AveragedStart& of, bool local, std::size_t threads)
        : threads_(threads), steps_(of.task_, of.rows_) {
        for (std::size_t i = 0; i < most_groups; ++i) slopes_.emplace_back(of.task_, of.rows_, local);
    }

    void load(const double* theta) { steps_.load(theta); }
    void record(Snapshot& state) { steps_.record(state); }
    void soften(double by) { steps_.soften(by); }
    // total += part · weights
    void add_to(double* total, double part) { steps_.add_to(total, part, threads_); }
    // Take one step; returns the loss of the sentences before it.
    double step(std::span<const Group> groups, std::size_t sentences, double rate, double decay) {
        std::array<double, most_groups> loss{};
        decay *= static_cast<double>(sentences);
        const double by = steps_.multiplier(rate, decay);
        parallel_for(groups.size(), threads_, [&, &set = kernels()](std::size_t i) {
            const PinKernels pin(set);
            loss[i] = slopes_[i](steps_.chain(), groups[i], 1);
            slopes_[i].multiply(by);
        });
        // The penalty applies to the weights before the step, once for all its sentences.
        steps_.shrink(rate, decay);
        parallel_for(3, threads_, [&, &set = kernels()](std::size_t part) {
            const PinKernels pin(set);
            for (std::size_t i = 0; i < groups.size(); ++i) add(part, slopes_[i], rate, i == 0 ? decay : 0.0);
        });
        return std::accumulate(loss.begin(), loss.end(), 0.0);
    }

private:
    // Add one of three parts of a step; the parts change different weights.
    void add(std::size_t part, Slopes<float>& slopes, double rate, double decay) {
        if (part == 0) steps_.add_to_rows(slopes);
        if (part == 1) steps_.add_to_listed(slopes);
        if (part == 2) steps_.add_to_moves(slopes, rate, decay);
    }

    std::size_t threads_;
    std::vector<Slopes<float>> slopes_;
    ScaledSteps<float> steps_;
};

AveragedStart::AveragedStart(const Task& task, std::size_t threads)
    : task_(plain(task)), rows_(task_, threads) {
    for (std::size_t s = 0; s < task.sequences.size(); ++s)
        if (task.sequences.gold_weight_of(s) > 0.0 && task.sequences.begin(s) < task.sequences.end(s))
            usable_.push_back(s);
}

AveragedStart::~AveragedStart() = default;

std::size_t AveragedStart::groups_a_step() const {
    return usable_.size() < sentences_for_most ? 1 : most_groups;
}

double AveragedStart::run(double* theta, const StartOptions& options, std::size_t threads) {
    const PinKernels caller(kernels());
    if (usable_.empty()) return 0.0;
    threads = std::min(threads, groups_a_step());
    const Crew crew(threads);
    double rate = options.rate;
    if (!(rate > 0.0) && !options.resumed) rate = calibrate(theta, options, threads);
    const std::size_t n = usable_.size(), gap = std::max<std::size_t>(1, n / snapshots_an_epoch);
    const double decay = 2.0 * options.l2 / static_cast<double>(n);
    Steps steps(*this, options.local, threads);
    steps.load(theta);
    std::vector<double> sum(task_.size());
    std::size_t snapshots = 0;
    double pull = 0.0;
    const std::size_t soft_gap = std::max<std::size_t>(1, n / soft_steps);
    const bool sparse = options.l1 > 0.0;
    const int most = sparse ? longest * options.epochs : options.epochs;
    double loss = 0.0, loss_before = 0.0;
    int epoch = 0;
    const Recorded recorded = [&](Snapshot& state) {
        steps.record(state);
        state("rate", rate);
        state("epoch", epoch);
        state("sum", sum.data(), sum.size());
        state("snapshots", snapshots);
        state("pull", pull);
        state("loss", loss);
    };
    if (options.resumed) recorded(*options.resumed), ++epoch;
    for (; epoch < most; ++epoch) {
        auto order = shuffled(usable_, options.seed, static_cast<std::uint64_t>(epoch));
        const bool averaging = sparse ? epoch + 1 >= options.epochs : epoch >= options.burn_in;
        if (sparse) {
            std::ranges::fill(sum, 0.0);
            snapshots = 0;
        }
        loss_before = std::exchange(loss, 0.0);
        std::size_t taken = 0;
        for (const Groups& groups : alike(order)) {
            const std::size_t sentences = sentences_of(groups);
            const double done =
                static_cast<double>(epoch) * static_cast<double>(n) + static_cast<double>(taken);
            const double now = rate * std::pow(1.0 + decay * rate * done, -0.75);
            loss += steps.step(groups, sentences, now, decay);
            pull += now * options.l1 * static_cast<double>(sentences) / static_cast<double>(n);
            const std::size_t before = taken / gap;
            if (sparse && taken / soft_gap != (taken + sentences) / soft_gap)
                steps.soften(std::exchange(pull, 0.0));
            taken += sentences;
            if (averaging && taken / gap > before && before < snapshots_an_epoch) {
                steps.add_to(sum.data(), 1.0);
                ++snapshots;
            }
        }
        if (sparse && epoch + 1 >= options.epochs && !(loss < (1.0 - least_gain) * loss_before)) break;
        if (options.keep && epoch + 1 < most) options.keep(recorded);
    }
    if (snapshots == 0) {
        std::ranges::fill(sum, 0.0);
        steps.add_to(sum.data(), 1.0);
        snapshots = 1;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) theta[i] = sum[i] / static_cast<double>(snapshots);
    if (sparse) {  // a mean is 0 only if all snapshots are
        std::ranges::fill(sum, 0.0);
        steps.add_to(sum.data(), 1.0);
        for (std::size_t i = 0; i < sum.size(); ++i)
            if (sum[i] == 0.0) theta[i] = 0.0;
    }
    return rate;
}

// The sentences of every step; `order` is sorted by length within windows.
std::vector<AveragedStart::Groups> AveragedStart::alike(std::vector<std::size_t>& order) const {
    std::vector<Groups> steps;
    for (std::size_t first = 0; first < order.size(); first += window) {
        const std::size_t end = std::min(order.size(), first + window);
        const std::size_t before = steps.size();
        gather(std::span(order).subspan(first, end - first), steps);
        // Shuffled, not from short to long: the last steps of a window would all be long sentences.
        const Uniform chance(order[first], end, 0);
        for (std::size_t i = steps.size(); i > before + 1; --i)
            std::swap(steps[i - 1],
                      steps[before + static_cast<std::size_t>(chance(i) * static_cast<double>(i - before))]);
    }
    return steps;
}

// Up to four sentences of equal length form a group, which the kernels process in lockstep; a step has groups with
// about equally many tokens, so that its threads finish together.
void AveragedStart::gather(std::span<std::size_t> sentences, std::vector<Groups>& steps) const {
    const auto length = [&](std::size_t s) { return task_.sequences.end(s) - task_.sequences.begin(s); };
    std::ranges::stable_sort(sentences, {}, length);
    Groups groups;
    for (std::size_t i = 0, run; i < sentences.size(); i += run) {
        for (run = 1; run < Slopes<float>::most_in_step && i + run < sentences.size() &&
                      length(sentences[i + run]) == length(sentences[i]);)
            ++run;
        groups.push_back(sentences.subspan(i, run));
    }
    if (groups_a_step() > 1)
        std::ranges::stable_sort(groups, {}, [&](Group group) { return group.size() * length(group[0]); });
    for (std::size_t g = 0; g < groups.size(); g += groups_a_step())
        steps.emplace_back(
            groups.begin() + static_cast<std::ptrdiff_t>(g),
            groups.begin() + static_cast<std::ptrdiff_t>(std::min(groups.size(), g + groups_a_step())));
}

// Choose the rate with the lowest objective on a sample after one pass: doubled or halved as long as that clearly
// helps.
double AveragedStart::calibrate(const double* theta, const StartOptions& options, std::size_t threads) {
    auto sample = shuffled(usable_, options.seed, sample_stream);
    sample.resize(std::min(sample.size(), sample_sentences));
    Steps steps(*this, options.local, threads);
    const double decay = 2.0 * options.l2 / static_cast<double>(usable_.size());
    const auto pass = [&](double rate) {
        steps.load(theta);
        double loss = 0.0;
        for (const Groups& groups : alike(sample))
            loss += steps.step(groups, sentences_of(groups), rate, decay);
        return std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity();
    };
    double best = first_rate, lowest = pass(best);
    for (const double factor : {2.0, 0.5}) {
        // One pass over a sample favours small rates, six epochs do not: a smaller rate must be much better.
        const double enough = factor > 1.0 ? 0.95 : 0.6;
        bool moved = false;
        for (double rate = best * factor; rate <= most_rate && rate >= least_rate; rate *= factor) {
            const double loss = pass(rate);
            if (!(loss < enough * lowest)) break;
            lowest = loss;
            best = rate;
            moved = true;
        }
        if (moved) break;
    }
    return best;
}

}  // namespace seqlab
