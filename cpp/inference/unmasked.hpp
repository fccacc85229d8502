#pragma once

#include <deque>
#include <limits>
#include <vector>

#include "inference/plan.hpp"

namespace seqlab {

// A batch in which a few restricted positions do not exclude a sequence from the dense kernels: where the lists allow
// most labels (order 1, shared edges), -inf is written into a copy of node and the lists are dropped. The choice
// depends on the sequence alone. Sequences with short lists keep them, which saves work.
template <class F>
class Unmasked {
public:
    explicit Unmasked(Batch<F> batch) : given_(batch) {
        for (std::size_t i = 0; i < batch.size(); ++i)
            if (worth_it(batch[i])) {
                if (changed_.empty()) changed_.assign(batch.begin(), batch.end());
                changed_[i] = masked(batch[i]);
            }
    }
    Batch<F> view() const { return changed_.empty() ? given_ : Batch<F>(changed_); }

private:
    static bool worth_it(const Trellis<F>& x) {
        if (x.order != 1 || x.slab != 0 || x.restricted == 0) return false;
        double left = static_cast<double>(x.T - x.restricted) * static_cast<double>(x.L * x.L);
        for (std::size_t i = 0; i < x.restricted; ++i)
            left += static_cast<double>(x.offset[i + 1] - x.offset[i]) * static_cast<double>(x.L);
        return left > 0.1 * static_cast<double>(x.T) * static_cast<double>(x.L * x.L);
    }

    Trellis<F> masked(const Trellis<F>& x) {
        std::vector<F>& node = nodes_.emplace_back(x.node, x.node + x.T * x.L);
        for (std::size_t i = 0; i < x.restricted; ++i) {
            const F* const from = x.row(static_cast<std::size_t>(x.where[i]));
            F* const row = node.data() + (from - x.node);
            std::fill(row, row + x.L, -std::numeric_limits<F>::infinity());
            for (std::int64_t j = x.offset[i]; j < x.offset[i + 1]; ++j) row[x.ids[j]] = from[x.ids[j]];
        }
        Trellis<F> plain = x;
        plain.node = node.data();
        plain.restricted = 0;
        return plain;
    }

    Batch<F> given_;
    std::vector<Trellis<F>> changed_;
    std::deque<std::vector<F>> nodes_;
};

}  // namespace seqlab
