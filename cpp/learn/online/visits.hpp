// Which sequences an online learner visits, and in which order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "learn/online/known_labels.hpp"
#include "learn/task.hpp"
#include "numerics/random.hpp"

namespace seqlab::online {

// The order of an epoch depends on seed and epoch alone: Fisher and Yates's shuffle of the numbers 0 .. n - 1.
inline std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed, std::uint64_t epoch) {
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    const Uniform chance(seed, epoch, 0);
    for (std::size_t i = n; i-- > 1;)
        std::swap(order[i], order[static_cast<std::size_t>(chance(i) * static_cast<double>(i + 1))]);
    return order;
}

class Visits {
public:
    // Sequences that can teach something: not empty, of a weight above 0, with labels known at least in part.
    Visits(const Task& task, const KnownLabels& known, bool shuffle, std::uint64_t seed)
        : shuffle_(shuffle), seed_(seed) {
        for (std::size_t s = 0; s < task.sequences.size(); ++s)
            if (task.sequences.end(s) > task.sequences.begin(s) && task.sequences.weight_of(s) > 0.0 &&
                known.any(s))
                usable_.push_back(s);
    }

    const std::vector<std::size_t>& all() const { return usable_; }
    std::size_t size() const { return usable_.size(); }

    // The next epoch.
    std::vector<std::size_t> next() {
        if (!shuffle_) return usable_;
        std::vector<std::size_t> order = shuffled(usable_.size(), seed_, epoch_++);
        for (std::size_t& s : order) s = usable_[s];
        return order;
    }

private:
    bool shuffle_;
    std::uint64_t seed_, epoch_ = 0;
    std::vector<std::size_t> usable_;
};

}  // namespace seqlab::online
