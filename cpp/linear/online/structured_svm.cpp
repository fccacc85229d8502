#include "linear/online/structured_svm.hpp"

#include <algorithm>

#include "base/numerics/sum.hpp"
#include "base/parallel/parallel.hpp"

namespace seqlab::online {

namespace {

// Sequences per job: the partition depends on the data alone, and sums are added in its order.
constexpr std::size_t checked_together = 512;

}  // namespace

StructuredSvm::Rival StructuredSvm::rival(const LiveWeights<double>& weights, double factor, std::size_t s,
                                          Decoder<double>& decoder, Sparse& difference) const {
    difference.clear();
    decoder.look_at(weights, s);
    const Label* const path = decoder.best_with_cost(1.0 / factor);
    const Label* const known = path ? right(s, decoder) : nullptr;
    if (!known) return {};
    const double cost = mistakes(known_, s, path, decoder.T()).cost;
    features_.difference(s, known, path, difference);
    const double loss = cost - factor * dot(weights, difference);
    if (loss > 0.0) return {cost, loss};
    difference.clear();
    return {};
}

// eq:duality-gap   P = l2 |θ|² + Σ_s w_s H_s(θ),   D = Σ_s w_s Σ_y α_s(y) Δ_s(y) - l2 |θ|²
Check StructuredSvm::check(std::size_t threads) const {
    const PinKernels pin(set_);
    std::vector<double> theta(size());
    weights(theta.data());
    LiveWeights<double> fixed(task_, rows_, features_);
    fixed.load(theta.data());
    const std::vector<std::size_t>& all = visits_.all();
    std::vector<double> losses((all.size() + checked_together - 1) / checked_together);
    parallel_for(losses.size(), threads, [&](std::size_t job) {
        const PinKernels same(set_);
        Decoder<double> decoder(task_, rows_, known_);
        Sparse difference;
        CompensatedSum sum;
        for (std::size_t i = job * checked_together; i < std::min(all.size(), (job + 1) * checked_together);
             ++i) {
            poll();
            sum.add(task_.sequences.weight_of(all[i]) * rival(fixed, 1.0, all[i], decoder, difference).loss);
        }
        losses[job] = sum.value();
    });
    CompensatedSum norm, loss;
    for (const double x : theta) norm.add(x * x);
    for (const double x : losses) loss.add(x);
    const double penalty = l2_ * norm.value();
    return {penalty + loss.value(), mean_cost() - penalty};
}

}  // namespace seqlab::online
