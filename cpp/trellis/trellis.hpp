// The trellis in the core: borrowed arrays, already checked by Python.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace seqlab {

using Label = std::int32_t;
using Labels = std::span<const Label>;

// node[t, y] and edge[t, y_{t-k}, ..., y_t] in natural logs, -inf for a forbidden label or transition; order k = 1, 2
// or 3. Time convention: edge t is the transition into t. `scores_into` below is the only code that computes the offset
// of slab t.
template <class F>
struct Trellis {
    std::size_t T = 0;
    std::size_t L = 1;
    std::size_t order = 1;
    const F* node = nullptr;
    const F* edge = nullptr;
    std::size_t slab = 0;  // distance between the edges of two positions; 0 when all share one slab
    const F* head[2] = {nullptr, nullptr};  // transitions into t = 1, 2 when t < order; null means zeros
    // In order 2 and 3, in training only: scores (T - 1, L, L) of the last two labels of every transition; null for
    // zeros. With edge attributes this is far smaller than a slab of L^(k + 1) numbers for every position.
    const F* pairs = nullptr;

    // Positions with a list of allowed labels: `where` rising, ids[offset[i] .. offset[i+1]) rising.
    std::size_t restricted = 0;
    const std::int64_t* where = nullptr;
    const std::int64_t* offset = nullptr;
    const Label* ids = nullptr;

    const F* row(std::size_t t) const { return node + t * L; }

    // The tensor of transitions into t >= 1, with min(t, order) + 1 label axes; null means all zero.
    const F* scores_into(std::size_t t) const { return t < order ? head[t - 1] : edge + (t - order) * slab; }
    // The row of `pairs` for the label before t >= 1.
    const F* pairs_into(std::size_t t, Label before) const {
        return pairs + ((t - 1) * L + static_cast<std::size_t>(before)) * L;
    }

    // True for one shared L x L slab and no restrictions: the case of the dense kernels.
    bool plain() const { return order == 1 && slab == 0 && restricted == 0; }
};

// Labels allowed at each position (eq:masks). Unrestricted positions share one full list.
class Active {
public:
    template <class F>
    explicit Active(const Trellis<F>& trellis)
        : where_(trellis.where, trellis.restricted),
          offset_(trellis.offset),
          ids_(trellis.ids),
          all_(trellis.L) {
        std::iota(all_.begin(), all_.end(), Label{0});
    }

    Labels at(std::size_t t) const {
        const auto wanted = static_cast<std::int64_t>(t);
        // List t is that of position t where every position has one, as in models that are pruned.
        const bool direct = t < where_.size() && where_[t] == wanted;
        const auto found =
            direct ? where_.begin() + wanted : std::lower_bound(where_.begin(), where_.end(), wanted);
        if (found == where_.end() || *found != wanted) return all_;
        const auto i = static_cast<std::size_t>(found - where_.begin());
        return {ids_ + offset_[i], static_cast<std::size_t>(offset_[i + 1] - offset_[i])};
    }

    bool everywhere() const { return where_.empty(); }

private:
    std::span<const std::int64_t> where_;
    const std::int64_t* offset_;
    const Label* ids_;
    std::vector<Label> all_;
};

}  // namespace seqlab
