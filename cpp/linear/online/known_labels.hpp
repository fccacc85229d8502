// The known labels of a sequence: all of them, or lists that contain them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linear/data/task.hpp"

namespace seqlab::online {

class KnownLabels {
public:
    explicit KnownLabels(const Task& task) : task_(task), partial_(task.sequences.size(), whole) {
        for (std::size_t s = 0; s < partial_.size(); ++s) {
            const Label* const first = labels(s);
            const Label* const last = first + (task.sequences.end(s) - task.sequences.begin(s));
            if (std::any_of(first, last, [](Label y) { return y < 0; })) partial_[s] = nothing;
        }
        for (std::size_t c = task.partial_labels.size(); c-- > 0;)
            if (auto& own = partial_[static_cast<std::size_t>(task.partial_labels.sequence[c])]; own != whole)
                own = static_cast<std::int64_t>(c);
    }

    // True if every label of s is given.
    bool all(std::size_t s) const { return partial_[s] == whole; }
    bool any(std::size_t s) const { return partial_[s] != nothing; }
    const Label* labels(std::size_t s) const { return task_.sequences.path(s); }
    // Index of the partial labels of a sequence.
    std::size_t partial(std::size_t s) const { return static_cast<std::size_t>(partial_[s]); }
    // The labels that position t of such a sequence may have, rising.
    Labels list(std::size_t s, std::size_t t) const {
        return task_.partial_labels.lists.at(static_cast<std::size_t>(task_.partial_labels.row[partial(s)]) +
                                             t);
    }
    bool fits(std::size_t s, std::size_t t, Label y) const {
        if (all(s)) return labels(s)[t] == y;
        const Labels allowed = list(s, t);
        return std::binary_search(allowed.begin(), allowed.end(), y);
    }
    // Cost of a wrong label at position t of s: the weight of the token relative to that of its sequence, which
    // learners apply separately.
    double cost(std::size_t s, std::size_t t) const {
        if (!task_.token_weight) return 1.0;
        return task_.token_weight[task_.sequences.begin(s) + t] / task_.sequences.weight_of(s);
    }

private:
    static constexpr std::int64_t whole = -1, nothing = -2;

    const Task& task_;
    std::vector<std::int64_t> partial_;
};

// Labels of a path that are inconsistent with the known ones.
struct Mistakes {
    std::size_t count = 0;
    double cost = 0.0;  // Δ, the Hamming loss: summed over the wrong tokens
};

inline Mistakes mistakes(const KnownLabels& known, std::size_t s, const Label* path, std::size_t T) {
    Mistakes found;
    for (std::size_t t = 0; t < T; ++t)
        if (!known.fits(s, t, path[t])) {
            ++found.count;
            found.cost += known.cost(s, t);
        }
    return found;
}

}  // namespace seqlab::online
