// Initial weights of a CRF or an MEMM: averaged stochastic gradient descent over sentences.
//
// eq:averaged-sgd   θ ← θ - η_i Σ_{s∈S} (∇ℓ_s(θ) + 2 l2 θ / N),   η_i = η₀ (1 + 2 l2 η₀ i / N)^-¾
//
// S: up to four sentences, or eight if there are many; the result is the mean of θ over the later epochs. With an L1
// penalty, weights are also moved towards 0, by η_i l1 / N for each sentence, 16 times per epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/numerics/snapshot.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"

namespace seqlab {

struct StartOptions {
    double l2 = 1.0;
    double l1 = 0.0;    // of all weights
    int epochs = 6;     // with l1 the smallest number; more while they help
    int burn_in = 2;    // epochs before averaging begins
    double rate = 0.0;  // 0: chosen on a sample
    std::uint64_t seed = 0;
    bool local = false;                         // local model (MEMM) instead of a CRF
    std::function<void(const Recorded&)> keep;  // called after every epoch but the last, if given
    Snapshot* resumed = nullptr;                // what such a call was given
};

// Only the weights of a first-order CRF without edge attributes are learned; other weights of theta stay unchanged.
// Sentences with partial labels are left out.
class AveragedStart {
public:
    AveragedStart(const Task& task, std::size_t threads);
    ~AveragedStart();

    // Train from theta (task.size()), in place; returns the rate.
    double run(double* theta, const StartOptions& options, std::size_t threads);

private:
    class Steps;
    using Group = std::span<const std::size_t>;
    using Groups = std::vector<Group>;

    std::size_t groups_a_step() const;
    std::vector<Groups> alike(std::vector<std::size_t>& order) const;
    void gather(std::span<std::size_t> sentences, std::vector<Groups>& steps) const;
    double calibrate(const double* theta, const StartOptions& options, std::size_t threads);

    Task task_;
    ChainRows<float> rows_;
    std::vector<std::size_t> usable_;
};

}  // namespace seqlab
