#include "learn/averaged_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/scaled_steps.hpp"
#include "learn/shuffle.hpp"
#include "learn/slopes.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

namespace {

constexpr std::size_t sample_sentences = 1000;
constexpr double first_rate = 0.1, most_rate = 3.2, least_rate = 1e-3;
constexpr std::size_t snapshots_an_epoch = 8;
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
    explicit Shard(const AveragedStart& of)
        : task_(of.task_), slopes_(task_, of.rows_), steps_(task_, of.rows_) {}

    void load(const double* theta) { steps_.load(theta); }
    // total += part · weights
    void add_to(double* total, double part) { steps_.add_to(total, part); }
    // One step; the loss of the sentence before it.
    double step(std::size_t s, double rate, double decay) {
        if (task_.sequences.begin(s) == task_.sequences.end(s)) return 0.0;
        const double loss = slopes_(steps_.chain(), {&s, 1}, 1);
        steps_.step(slopes_, rate, decay);
        return loss;
    }

private:
    const Task& task_;
    Slopes<float> slopes_;
    ScaledSteps<float> steps_;
};

AveragedStart::AveragedStart(const Task& task) : task_(plain(task)), rows_(task_) {
    for (std::size_t s = 0; s < task.sequences.size(); ++s)
        if (task.sequences.gold_weight_of(s) > 0.0) usable_.push_back(s);
}

AveragedStart::~AveragedStart() = default;

double AveragedStart::run(double* theta, const StartOptions& options, std::size_t threads) {
    const PinKernels caller(kernels());
    if (usable_.empty()) return 0.0;
    const double rate = options.rate > 0.0 ? options.rate : calibrate(theta, options);
    const std::size_t n = usable_.size(), shards = std::clamp<std::size_t>(n / 500, 1, options.shards);
    const double decay = 2.0 * options.l2 / static_cast<double>(n);
    std::vector<std::unique_ptr<Shard>> shard;
    for (std::size_t k = 0; k < shards; ++k) shard.push_back(std::make_unique<Shard>(*this));
    std::vector<std::vector<double>> sum(shards, std::vector<double>(task_.size()));
    std::vector<double> mean(theta, theta + task_.size());
    std::size_t snapshots = 0;
    for (int epoch = 0; epoch < options.epochs; ++epoch) {
        const auto order = shuffled(usable_, options.seed, static_cast<std::uint64_t>(epoch));
        const bool averaging = epoch >= options.burn_in;
        parallel_for(shards, threads, [&, &set = kernels()](std::size_t k) {
            const PinKernels pin(set);
            shard[k]->load(mean.data());
            const std::size_t from = n * k / shards, to = n * (k + 1) / shards;
            const std::size_t gap = std::max<std::size_t>(1, (to - from) / snapshots_an_epoch);
            for (std::size_t i = from; i < to; ++i) {
                const double done =
                    static_cast<double>(epoch) * static_cast<double>(n) / static_cast<double>(shards) +
                    static_cast<double>(i - from);
                shard[k]->step(order[i], rate * std::pow(1.0 + decay * rate * done, -0.75), decay);
                if (averaging && (i - from + 1) % gap == 0 && (i - from + 1) / gap <= snapshots_an_epoch)
                    shard[k]->add_to(sum[k].data(), 1.0);
            }
        });
        if (averaging) snapshots += std::min<std::size_t>(snapshots_an_epoch, n / shards);
        std::ranges::fill(mean, 0.0);
        for (auto& one : shard) one->add_to(mean.data(), 1.0 / static_cast<double>(shards));
        if (options.go_on && !options.go_on()) break;
    }
    std::vector<double> total(task_.size());
    for (std::size_t k = 0; k < shards; ++k)
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += sum[k][i];
    for (std::size_t i = 0; i < task_.size(); ++i)
        theta[i] = snapshots ? total[i] / static_cast<double>(snapshots * shards) : mean[i];
    return rate;
}

// The rate that brings a sample lowest in one pass: doubled or halved as long as that helps.
double AveragedStart::calibrate(const double* theta, const StartOptions& options) {
    auto sample = shuffled(usable_, options.seed, sample_stream);
    sample.resize(std::min(sample.size(), sample_sentences));
    Shard shard(*this);
    const double decay = 2.0 * options.l2 / static_cast<double>(usable_.size());
    const auto pass = [&](double rate) {
        shard.load(theta);
        double loss = 0.0;
        for (const std::size_t s : sample) loss += shard.step(s, rate, decay);
        return std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity();
    };
    double best = first_rate, lowest = pass(best);
    for (const double factor : {2.0, 0.5}) {
        bool moved = false;
        for (double rate = best * factor; rate <= most_rate && rate >= least_rate; rate *= factor) {
            const double loss = pass(rate);
            if (!(loss < lowest)) break;
            lowest = loss;
            best = rate;
            moved = true;
        }
        if (moved) break;
    }
    return best;
}

}  // namespace seqlab
