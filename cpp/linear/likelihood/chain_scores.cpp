#include "linear/likelihood/chain_scores.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace seqlab {

namespace {

template <class F>
constexpr F never = -std::numeric_limits<F>::infinity();

}  // namespace

template <class F>
void mask_rows(const ActiveLists& lists, std::size_t row, std::size_t T, std::size_t L, F* node) {
    for (std::size_t t = 0; t < T; ++t, node += L) {
        const Labels allowed = lists.at(row + t);
        if (allowed.size() == L) continue;
        std::size_t y = 0;
        for (const Label keep : allowed) {
            for (; y < static_cast<std::size_t>(keep); ++y) node[y] = never<F>;
            ++y;
        }
        for (; y < L; ++y) node[y] = never<F>;
    }
}

template <class F>
Batch<F> ChainScores<F>::operator()(const ChainWeights<F>& weights, std::size_t first, std::size_t last) {
    from_ = task_.sequences.begin(first);
    first_ = first;
    score_nodes(weights, task_.sequences.begin(last));
    mask_ends(first, last);
    grow_iota(first, last);
    batch_.clear();
    for (std::size_t s = first; s < last; ++s) {
        Trellis<F> trellis;
        trellis.T = task_.sequences.end(s) - task_.sequences.begin(s);
        trellis.L = rows_.L;
        trellis.order = task_.transitions.order();
        trellis.node = node_ + row(s) * rows_.L;
        trellis.edge = weights.moves(trellis.order);
        for (std::size_t t = 1; t < trellis.order; ++t) trellis.head[t - 1] = weights.moves(t);
        if (task_.active.any())
            restrict(trellis, task_.active, task_.sequences.begin(s), node_ + row(s) * rows_.L);
        batch_.push_back(trellis);
    }
    if (task_.has_edge_attributes()) score_edges(weights, first, last);
    return batch_;
}

template <class F>
void ChainScores<F>::score_nodes(const ChainWeights<F>& weights, std::size_t to) {
    const std::size_t room = (to - from_) * rows_.L + rows_.LP;
    node_ = node_room_.of(room);
    gamma_ = gamma_room_.of(room);
    const RowView<F> seen = rows_.rows.view(from_, to);
    kernels().of<F>().gather_rows(weights.node().dense(), rows_.LP, rows_.L, seen.rows, from_ - seen.first,
                                  to - seen.first, node_);
    rows_.rows.add_listed(weights.node().listed(), rows_.L, from_, to, node_);
    if (weights.scale() != F{1})
        for (std::size_t n = 0; n < (to - from_) * rows_.L; ++n) node_[n] *= weights.scale();
}

// Scores of label pairs at each position, from its edge attributes. In order 1 they are the edges of that position,
// with the shared ones added.
template <class F>
void ChainScores<F>::score_edges(const ChainWeights<F>& weights, std::size_t first, std::size_t last) {
    const std::size_t moves = rows_.L * rows_.L;
    std::size_t count = 0;
    for (const Trellis<F>& trellis : batch_) count += trellis.T > 1 ? trellis.T - 1 : 0;
    slabs_.assign(count * moves + ChainWeights<F>::behind, F{0});
    F* out = slabs_.data();
    for (std::size_t s = first; s < last; ++s) {
        Trellis<F>& trellis = batch_[s - first];
        if (trellis.order == 1) {
            trellis.edge = out;
            trellis.slab = moves;
        } else {
            trellis.pairs = out;
        }
        for (std::size_t t = 1; t < trellis.T; ++t, out += moves) {
            if (trellis.order == 1) std::copy_n(weights.moves(1), moves, out);
            const std::size_t token = task_.sequences.begin(s) + t;
            for (auto i = task_.edge_entries.indptr[token]; i < task_.edge_entries.indptr[token + 1]; ++i) {
                const F value =
                    weights.scale() *
                    (task_.edge_entries.values ? static_cast<F>(task_.edge_entries.values[i]) : F{1});
                each_move(task_.edge_entries, task_.edge_observed, static_cast<std::size_t>(i),
                          [&](std::size_t move, std::size_t k) { out[move] += value * weights.pairs()[k]; });
            }
        }
    }
}

template <class F>
void ChainScores<F>::mask_ends(std::size_t first, std::size_t last) {
    if (task_.transitions.no_start.empty()) return;
    for (std::size_t s = first; s < last; ++s) {
        const std::size_t T = task_.sequences.end(s) - task_.sequences.begin(s);
        if (T == 0) continue;
        F* const node = node_ + row(s) * rows_.L;
        for (std::size_t y = 0; y < rows_.L; ++y) {
            if (task_.transitions.no_start[y]) node[y] = never<F>;
            if (task_.transitions.no_end[y]) node[(T - 1) * rows_.L + y] = never<F>;
        }
    }
}

// 0, 1, 2, ... up to the longest sequence, allocated before any trellis points into it.
template <class F>
void ChainScores<F>::grow_iota(std::size_t first, std::size_t last) {
    std::size_t longest = iota_.size();
    for (std::size_t s = first; s < last; ++s)
        longest = std::max(longest, task_.sequences.end(s) - task_.sequences.begin(s));
    const auto from = static_cast<std::int64_t>(iota_.size());
    iota_.resize(longest);
    std::iota(iota_.begin() + from, iota_.end(), from);
}

// -inf in the rows of node, so that the dense kernels of order 1 can run. Higher orders: label lists, too, which reduce
// the work.
template <class F>
void ChainScores<F>::restrict(Trellis<F>& trellis, const ActiveLists& lists, std::size_t row, F* node) {
    if (trellis.order > 1) list(trellis, lists, row);
    mask_rows(lists, row, trellis.T, trellis.L, node);
}

template <class F>
void ChainScores<F>::list(Trellis<F>& trellis, const ActiveLists& lists, std::size_t row) const {
    trellis.restricted = trellis.T;
    trellis.where = iota_.data();
    trellis.offset = lists.offset.data() + row;
    trellis.ids = lists.ids;
}

template <class F>
const Trellis<F>& ChainScores<F>::restricted(std::size_t c) {
    const auto s = static_cast<std::size_t>(task_.partial_labels.sequence[c]);
    restricted_ = batch_[s - first_];
    F* const node = restricted_room_.of(restricted_.T * rows_.L + 1);
    std::copy_n(restricted_.node, restricted_.T * rows_.L, node);
    restricted_.node = node;
    restrict(restricted_, task_.partial_labels.lists, static_cast<std::size_t>(task_.partial_labels.row[c]),
             node);
    return restricted_;
}

template <class F>
Trellis<F> ChainScores<F>::listed(std::size_t c) const {
    const auto& [sequence, weight, row, lists] = task_.partial_labels;
    Trellis<F> made = batch_[static_cast<std::size_t>(sequence[c]) - first_];
    list(made, lists, static_cast<std::size_t>(row[c]));
    return made;
}

template void mask_rows<float>(const ActiveLists&, std::size_t, std::size_t, std::size_t, float*);
template void mask_rows<double>(const ActiveLists&, std::size_t, std::size_t, std::size_t, double*);
template class ChainScores<float>;
template class ChainScores<double>;

}  // namespace seqlab
