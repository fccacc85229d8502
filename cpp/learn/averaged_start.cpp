#include "learn/averaged_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "learn/scaled_steps.hpp"
#include "learn/shuffle.hpp"
#include "learn/slopes.hpp"
#include "numerics/random.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

namespace {

constexpr std::size_t sample_sentences = 1000;
constexpr double first_rate = 0.1, most_rate = 3.2, least_rate = 1e-3;
constexpr std::size_t snapshots_an_epoch = 8;
constexpr std::size_t window = 256;  // sentences among which some of one length are looked for
constexpr std::uint64_t sample_stream = ~std::uint64_t{0};

// What is learned: the weights that stand first in theta, from full labellings.
Task plain(Task task) {
    task.moves.set_triple({});
    task.edge_entries = {};
    task.edge_observed = {};
    task.clamps = {};
    task.sequences.gold_weight = nullptr;
    return task;
}

}  // namespace

// The weights of one thread.
class AveragedStart::Shard {
public:
    Shard(const AveragedStart& of, bool local)
        : task_(of.task_), slopes_(task_, of.rows_, local), steps_(task_, of.rows_) {}

    void load(const double* theta) { steps_.load(theta); }
    // total += part · weights
    void add_to(double* total, double part) { steps_.add_to(total, part); }
    // One step; the loss of the sentences before it.
    double step(std::span<const std::size_t> sentences, double rate, double decay) {
        const double loss = slopes_(steps_.chain(), sentences, 1);
        steps_.step(slopes_, rate, decay * static_cast<double>(sentences.size()));
        return loss;
    }

private:
    const Task& task_;
    Slopes<float> slopes_;
    ScaledSteps<float> steps_;
};

AveragedStart::AveragedStart(const Task& task) : task_(plain(task)), rows_(task_) {
    for (std::size_t s = 0; s < task.sequences.size(); ++s)
        if (task.sequences.gold_weight_of(s) > 0.0 && task.sequences.begin(s) < task.sequences.end(s))
            usable_.push_back(s);
}

AveragedStart::~AveragedStart() = default;

double AveragedStart::run(double* theta, const StartOptions& options, std::size_t threads) {
    const PinKernels caller(kernels());
    if (usable_.empty()) return 0.0;
    const double rate = options.rate > 0.0 ? options.rate : calibrate(theta, options);
    const std::size_t n = usable_.size(), shards = std::clamp<std::size_t>(n / 500, 1, options.shards);
    const double decay = 2.0 * options.l2 / static_cast<double>(n);
    std::vector<std::unique_ptr<Shard>> shard;
    for (std::size_t k = 0; k < shards; ++k) shard.push_back(std::make_unique<Shard>(*this, options.local));
    std::vector<std::vector<double>> sum(shards, std::vector<double>(task_.size()));
    std::vector<double> mean(theta, theta + task_.size());
    std::vector<std::size_t> snapshots(shards);
    for (int epoch = 0; epoch < options.epochs; ++epoch) {
        const auto order = shuffled(usable_, options.seed, static_cast<std::uint64_t>(epoch));
        const bool averaging = epoch >= options.burn_in;
        parallel_for(shards, threads, [&, &set = kernels()](std::size_t k) {
            const PinKernels pin(set);
            shard[k]->load(mean.data());
            const std::size_t from = n * k / shards, to = n * (k + 1) / shards;
            const std::size_t gap = std::max<std::size_t>(1, (to - from) / snapshots_an_epoch);
            std::vector<std::size_t> mine(order.begin() + static_cast<std::ptrdiff_t>(from),
                                          order.begin() + static_cast<std::ptrdiff_t>(to));
            std::size_t taken = 0;
            for (const std::span<const std::size_t> group : alike(mine)) {
                const double done =
                    static_cast<double>(epoch) * static_cast<double>(n) / static_cast<double>(shards) +
                    static_cast<double>(taken);
                shard[k]->step(group, rate * std::pow(1.0 + decay * rate * done, -0.75), decay);
                const std::size_t before = taken / gap;
                taken += group.size();
                if (averaging && taken / gap > before && before < snapshots_an_epoch) {
                    shard[k]->add_to(sum[k].data(), 1.0);
                    ++snapshots[k];
                }
            }
        });
        std::ranges::fill(mean, 0.0);
        for (auto& one : shard) one->add_to(mean.data(), 1.0 / static_cast<double>(shards));
        if (options.go_on && !options.go_on()) break;
    }
    const auto count =
        static_cast<double>(std::accumulate(snapshots.begin(), snapshots.end(), std::size_t{0}));
    if (count > 0.0) {
        std::ranges::fill(mean, 0.0);
        for (const std::vector<double>& one : sum)
            for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += one[i] / count;
    }
    std::ranges::copy(mean, theta);
    return rate;
}

// Up to four sentences of one length at a time, which the kernels take in lockstep; `order` is sorted within windows.
std::vector<std::span<const std::size_t>> AveragedStart::alike(std::vector<std::size_t>& order) const {
    const auto length = [&](std::size_t s) { return task_.sequences.end(s) - task_.sequences.begin(s); };
    std::vector<std::span<const std::size_t>> groups;
    for (std::size_t first = 0; first < order.size(); first += window) {
        const std::size_t end = std::min(order.size(), first + window);
        const std::span<std::size_t> here(order.data() + first, end - first);
        std::ranges::stable_sort(here, {}, length);
        const std::size_t before = groups.size();
        for (std::size_t i = 0, run; i < here.size(); i += run) {
            for (run = 1; run < 4 && i + run < here.size() && length(here[i + run]) == length(here[i]);)
                ++run;
            groups.push_back(here.subspan(i, run));
        }
        // Not from short to long: the last steps of a window would all be long sentences.
        const Uniform chance(order[first], end, 0);
        for (std::size_t i = groups.size(); i > before + 1; --i)
            std::swap(groups[i - 1],
                      groups[before + static_cast<std::size_t>(chance(i) * static_cast<double>(i - before))]);
    }
    return groups;
}

// The rate that brings a sample low in one pass: doubled or halved as long as that clearly helps.
double AveragedStart::calibrate(const double* theta, const StartOptions& options) {
    auto sample = shuffled(usable_, options.seed, sample_stream);
    sample.resize(std::min(sample.size(), sample_sentences));
    Shard shard(*this, options.local);
    const double decay = 2.0 * options.l2 / static_cast<double>(usable_.size());
    const auto pass = [&](double rate) {
        shard.load(theta);
        double loss = 0.0;
        for (const auto group : alike(sample)) loss += shard.step(group, rate, decay);
        return std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity();
    };
    double best = first_rate, lowest = pass(best);
    for (const double factor : {2.0, 0.5}) {
        // One pass over a sample favours small rates, six epochs do not: going down must gain much.
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
