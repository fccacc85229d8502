// A first guess at the weights of a CRF or an MEMM: stochastic gradient descent over sentences, averaged.
//
// eq:averaged-sgd   θ ← θ - η_i Σ_{s∈S} (∇ℓ_s(θ) + 2 l2 θ / N),   η_i = η₀ (1 + 2 l2 η₀ i / N)^-¾, S: up to four sentences, or eight of many; then the mean of θ over
//                  the later epochs
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "linear/data/task.hpp"
#include "linear/likelihood/chain_scores.hpp"

namespace seqlab {

struct StartOptions {
    double l2 = 1.0;
    int epochs = 6;
    int burn_in = 2;    // epochs before averaging begins
    double rate = 0.0;  // 0: tried out on a sample
    std::uint64_t seed = 0;
    bool local = false;           // an MEMM's choices in place of a CRF's paths
    std::function<bool()> go_on;  // asked after every epoch and every second, if given
};

// Only what an order-1 CRF without edge attributes has is learned; other weights of theta stay as they are. Sentences with
// partly known labels are left out.
class AveragedStart {
public:
    AveragedStart(const Task& task, std::size_t threads);
    ~AveragedStart();

    // theta (task.size()) is where to begin, and gets the result; the rate is returned.
    double run(double* theta, const StartOptions& options, std::size_t threads);

private:
    class Patience;
    class Steps;
    using Group = std::span<const std::size_t>;
    using Groups = std::vector<Group>;

    std::size_t groups_a_step() const;
    std::vector<Groups> alike(std::vector<std::size_t>& order) const;
    void gather(std::span<std::size_t> sentences, std::vector<Groups>& steps) const;
    double calibrate(const double* theta, const StartOptions& options, std::size_t threads,
                     Patience& patience);

    Task task_;
    ChainRows<float> rows_;
    std::vector<std::size_t> usable_;
};

}  // namespace seqlab
