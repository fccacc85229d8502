#include "learn/averaged_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inference/marginals.hpp"
#include "numerics/random.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

namespace {

constexpr std::size_t sample_sentences = 1000;
constexpr double first_rate = 0.1, most_rate = 3.2, least_rate = 1e-3;
constexpr std::size_t snapshots_an_epoch = 8;

}  // namespace

// Weights of its own, kept as scale · number so that the penalty costs one multiplication.
class AveragedStart::Shard {
public:
    Shard(const AveragedStart& of)
        : of_(of),
          task_(of.task_),
          weights_(task_.observed, of.rows_.plan, of.rows_.LP),
          moves_(task_.moves.number.size()),
          edge_(moves_.size()),
          counts_(moves_.size()) {}

    void load(const double* theta) {
        weights_.load(theta);
        scale_ = 1.0;
        for (std::size_t m = 0; m < moves_.size(); ++m)
            moves_[m] = task_.moves.number[m] >= 0
                            ? theta[task_.first_move() + static_cast<std::size_t>(task_.moves.number[m])]
                            : 0.0;
    }
    // total += part · weights
    void add_to(double* total, double part) {
        weights_.add_to(total, part * scale_);
        for (std::size_t m = 0; m < moves_.size(); ++m)
            if (const auto k = task_.moves.number[m]; k >= 0)
                total[task_.first_move() + static_cast<std::size_t>(k)] += part * moves_[m] * scale_;
    }

    // One step; the loss of the sentence before it.
    double step(std::size_t s, double rate, double decay) {
        const std::size_t L = of_.rows_.L, T = task_.sequences.end(s) - task_.sequences.begin(s);
        if (T == 0) return 0.0;
        const double loss = look(s, T);
        // What the step adds to the numbers, for every label of every token.
        scale_ *= 1.0 - decay * rate;
        const auto by = static_cast<float>(-rate * task_.sequences.weight_of(s) / scale_);
        for (std::size_t n = 0; n < T * L; ++n) gamma_[n] *= by;
        const Label* const gold = task_.sequences.labels + task_.sequences.begin(s);
        for (std::size_t t = 0; t < T; ++t) gamma_[t * L + static_cast<std::size_t>(gold[t])] -= by;
        const std::size_t from = task_.sequences.begin(s);
        kernels().of<float>().move_rows(weights_.dense(), of_.rows_.LP, L, of_.lanes_.data(),
                                        of_.rows_.rows.rows(), from, from + T, gamma_);
        of_.rows_.rows.count_listed(gamma_, L, from, from + T, weights_.listed());
        move_moves(gold, T, static_cast<double>(by));
        if (scale_ < 1e-6) rescale();
        return loss;
    }

private:
    // Marginals into gamma_, moves into counts_; the loss.
    double look(std::size_t s, std::size_t T) {
        const std::size_t L = of_.rows_.L, from = task_.sequences.begin(s);
        node_ = node_room_.of(T * L + of_.rows_.LP);
        gamma_ = gamma_room_.of(T * L + of_.rows_.LP);
        kernels().of<float>().gather_rows(weights_.dense(), of_.rows_.LP, L, of_.rows_.rows.rows(), from,
                                          from + T, node_);
        of_.rows_.rows.add_listed(weights_.listed(), L, from, from + T, node_);
        const auto scale = static_cast<float>(scale_);
        for (std::size_t n = 0; n < T * L; ++n) node_[n] *= scale;
        for (std::size_t m = 0; m < moves_.size(); ++m)
            edge_[m] = of_.forbidden(m) ? -std::numeric_limits<float>::infinity()
                                        : static_cast<float>(moves_[m] * scale_);
        of_.mask(s, T, node_);
        Trellis<float> trellis;
        trellis.T = T;
        trellis.L = L;
        trellis.node = node_;
        trellis.edge = edge_.data();
        std::ranges::fill(counts_, 0.0);
        const CountTarget target{counts_.data(), 0, {nullptr, nullptr}};
        double log_z = 0.0;
        expected_counts<float>(Batch<float>(&trellis, 1), &gamma_, &target, true, &log_z, nullptr, 1);
        const Label* const gold = task_.sequences.labels + from;
        double score = 0.0;
        for (std::size_t t = 0; t < T; ++t) {
            score += static_cast<double>(node_[t * L + static_cast<std::size_t>(gold[t])]);
            if (t > 0) score += static_cast<double>(edge_[move(gold, t)]);
        }
        return task_.sequences.weight_of(s) * (log_z - score);
    }
    void move_moves(const Label* gold, std::size_t T, double by) {
        for (std::size_t t = 1; t < T; ++t) counts_[move(gold, t)] -= 1.0;
        for (std::size_t m = 0; m < moves_.size(); ++m)
            if (task_.moves.number[m] >= 0) moves_[m] += by * counts_[m];
    }
    std::size_t move(const Label* gold, std::size_t t) const {
        return static_cast<std::size_t>(gold[t - 1]) * of_.rows_.L + static_cast<std::size_t>(gold[t]);
    }
    void rescale() {
        weights_.multiply(static_cast<float>(scale_));
        for (double& m : moves_) m *= scale_;
        scale_ = 1.0;
    }

    const AveragedStart& of_;
    const Task& task_;
    WeightTable<float> weights_;
    std::vector<double> moves_;
    std::vector<float> edge_;
    std::vector<double> counts_;
    double scale_ = 1.0;
    Buffer<float> node_room_, gamma_room_;
    float *node_ = nullptr, *gamma_ = nullptr;
};

AveragedStart::AveragedStart(const Task& task) : task_(task), rows_(task) {
    const auto& k = kernels().of<float>();
    const std::size_t vectors = k.row_vectors(rows_.LP);
    lanes_.assign(rows_.plan.rows() * vectors, 0);
    for (std::size_t a = 0; a < rows_.plan.attributes(); ++a)
        if (const std::int32_t row = rows_.plan.row(a); row != RowPlan::listed)
            for (auto i = task.observed.begin[a]; i < task.observed.begin[a + 1]; ++i)
                k.mark_lane(rows_.LP,
                            static_cast<std::size_t>(task.observed.label[static_cast<std::size_t>(i)]),
                            lanes_.data() + static_cast<std::size_t>(row) * vectors);
    for (std::size_t s = 0; s < task.sequences.size(); ++s)
        if (task.sequences.gold_weight_of(s) > 0.0) usable_.push_back(s);
}

AveragedStart::~AveragedStart() = default;

bool AveragedStart::forbidden(std::size_t move) const {
    return !task_.moves.forbidden.empty() && task_.moves.forbidden[move] != 0;
}

void AveragedStart::mask(std::size_t s, std::size_t T, float* node) const {
    constexpr float never = -std::numeric_limits<float>::infinity();
    if (!task_.moves.no_start.empty())
        for (std::size_t y = 0; y < rows_.L; ++y) {
            if (task_.moves.no_start[y]) node[y] = never;
            if (task_.moves.no_end[y]) node[(T - 1) * rows_.L + y] = never;
        }
    if (task_.active.any()) mask_rows(task_.active, task_.sequences.begin(s), T, rows_.L, node);
}

// A seeded order of the sentences, the same for any number of threads.
std::vector<std::size_t> AveragedStart::shuffled(std::vector<std::size_t> order, std::uint64_t seed) const {
    const Uniform chance(seed, 0, 0);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(chance(i) * static_cast<double>(i))]);
    return order;
}

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
        const auto order = shuffled(usable_, options.seed + static_cast<std::uint64_t>(epoch) * 7919);
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
    for (std::size_t i = 0; i < task_.first_triple(); ++i)
        theta[i] = snapshots ? total[i] / static_cast<double>(snapshots * shards) : mean[i];
    return rate;
}

// The rate that brings a sample lowest in one pass: doubled or halved as long as that helps.
double AveragedStart::calibrate(const double* theta, const StartOptions& options) {
    auto sample = shuffled(usable_, options.seed + 1);
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
