// The order in which an online learner visits the sequences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/numerics/random.hpp"
#include "linear/data/shuffle.hpp"
#include "linear/data/task.hpp"
#include "linear/online/known_labels.hpp"

namespace seqlab::online {

// Neighbouring sequences share rare attributes: with a shuffle of single sentences a third of the time is spent waiting
// for memory (CoNLL-2000: 48 ms an epoch; 33 in blocks of 32, with equal accuracy).
inline constexpr std::size_t shuffled_together = 32;

// The order of an epoch depends on seed and epoch alone: blocks of neighbours are shuffled, and the sequences of each.
inline std::vector<std::size_t> shuffled(const std::vector<std::size_t>& items, std::uint64_t seed,
                                         std::uint64_t epoch) {
    std::vector<std::size_t> blocks((items.size() + shuffled_together - 1) / shuffled_together);
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    shuffle(blocks, Uniform(seed, epoch, 0));
    std::vector<std::size_t> order;
    order.reserve(items.size());
    for (const std::size_t b : blocks) {
        const std::size_t from = order.size(), first = b * shuffled_together;
        for (std::size_t i = first; i < std::min(items.size(), first + shuffled_together); ++i)
            order.push_back(items[i]);
        shuffle(std::span(order).subspan(from), Uniform(seed, epoch, b + 1));
    }
    return order;
}

class Visits {
public:
    // Sequences to learn from: not empty, of a weight above 0, with labels known at least in part.
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
    std::vector<std::size_t> next() { return shuffle_ ? shuffled(usable_, seed_, epoch_++) : usable_; }

    void record(Snapshot& state) { state("epoch", epoch_); }

private:
    bool shuffle_;
    std::uint64_t seed_, epoch_ = 0;
    std::vector<std::size_t> usable_;
};

}  // namespace seqlab::online
