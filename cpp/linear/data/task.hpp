// Training data of a linear model: its weights, and the labelled sequences that use them.
//
// theta = (attribute-label pairs | transitions | three labels in a row | ... | edge attributes with a transition)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear/data/clusters.hpp"
#include "linear/data/far_entries.hpp"
#include "linear/data/feature_rows.hpp"
#include "linear/data/row_windows.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

// Transitions between labels: the numbers of their weights, and which are forbidden.
//
// Level j is the table of j + 1 labels in a row, (L, ..., L): level 1 has the pairs, and a model of order k has k
// levels. Weights are numbered from 0 through all levels; -1 marks labels without a weight, whose score is 0.
class Transitions {
public:
    std::size_t L = 0;
    std::span<const std::uint8_t> forbidden;         // (L, L), or empty
    std::span<const std::uint8_t> no_start, no_end;  // (L), or empty

    // Add the next level; its numbers are counted from 0.
    void add_level(std::span<const std::int32_t> numbers);
    void keep_levels(std::size_t order);
    std::size_t order() const { return levels_.size(); }
    std::size_t cells(std::size_t level) const { return levels_[level - 1].number.size(); }
    std::size_t weights() const { return levels_.empty() ? 0 : levels_.back().end; }
    // The weights of one level are those numbered first(level) .. end(level).
    std::size_t first(std::size_t level) const { return level > 1 ? levels_[level - 2].end : 0; }
    std::size_t end(std::size_t level) const { return levels_[level - 1].end; }
    // The weight of a cell, or -1.
    std::ptrdiff_t weight(std::size_t level, std::size_t cell) const {
        const std::int32_t k = levels_[level - 1].number[cell];
        return k < 0 ? -1 : static_cast<std::ptrdiff_t>(first(level) + static_cast<std::size_t>(k));
    }
    // The cell of the labels y[-level], ..., y[0].
    std::size_t cell(std::size_t level, const Label* y) const {
        std::size_t cell = 0;
        for (auto back = static_cast<std::ptrdiff_t>(level); back >= 0; --back)
            cell = cell * L + static_cast<std::size_t>(y[-back]);
        return cell;
    }
    // The level of the whole transition into position t; the first positions have fewer previous labels.
    std::size_t level_into(std::size_t t) const { return std::min(t, order()); }

private:
    struct Level {
        std::span<const std::int32_t> number;
        std::size_t end;
    };
    std::vector<Level> levels_;
};

// Labelled sequences: sequence s has tokens offset[s] .. offset[s + 1].
struct Sequences {
    std::span<const std::int64_t> offset;
    const Label* labels;   // -1 where no label is known: such sequences have partial labels; null with `far`
    const double* weight;  // (sequences): weight of log Z; null when all are 1
    const double*
        gold_weight;  // (sequences): weight of the score of the given labels; null when equal to `weight`

    const FarEntries* far = nullptr;  // has the labels of a corpus on disk

    std::size_t size() const { return offset.size() - 1; }
    // The labels of sequence s; of a corpus on disk, good until this thread asks for those of another one.
    const Label* path(std::size_t s) const { return far ? far->labels(begin(s), end(s)) : labels + begin(s); }
    std::size_t begin(std::size_t s) const { return static_cast<std::size_t>(offset[s]); }
    std::size_t end(std::size_t s) const { return static_cast<std::size_t>(offset[s + 1]); }
    double weight_of(std::size_t s) const { return weight ? weight[s] : 1.0; }
    double gold_weight_of(std::size_t s) const { return gold_weight ? gold_weight[s] : weight_of(s); }
};

// Allowed labels of rows: row i has ids[offset[i]] .. ids[offset[i + 1]], rising. Empty: all labels are allowed
// everywhere.
struct ActiveLists {
    std::span<const std::int64_t> offset;
    const Label* ids = nullptr;

    bool any() const { return !offset.empty(); }
    Labels at(std::size_t i) const {
        return {ids + offset[i], static_cast<std::size_t>(offset[i + 1] - offset[i])};
    }
};

// Sequences whose labels are partly known: their term of the likelihood is log Σ over the consistent labellings
// (eq:partial-labels). Entry c belongs to one sequence; its rows in `lists` begin at row[c]. Sorted by sequence.
struct PartialLabels {
    std::span<const std::int64_t> sequence;
    std::span<const double> weight;
    std::span<const std::int64_t> row;
    ActiveLists lists;

    std::size_t size() const { return sequence.size(); }
};

struct Task {
    Entries entries;
    std::shared_ptr<FarEntries> far;  // in place of entries when the corpus is on disk
    std::size_t room = 0;             // bytes for rows of `far` that are kept in memory
    Observed observed;
    ClusterCodes cluster_codes;  // (attributes), or empty: the attributes that occur together
    Entries edge_entries;        // of the transition into a token; no tokens when there are none
    Observed edge_observed;      // label: from * L + to, or -1 for one weight for all transitions
    Transitions transitions;
    Sequences sequences;
    ActiveLists active;  // one row per token: the labels that paths may use
    PartialLabels partial_labels;
    const double* token_weight = nullptr;  // (tokens): cost of a wrong label, for mistake-driven learners

    // Weight of the label at position t of sequence s in a local model (MEMM), where every position is a choice of its
    // own.
    double choice_weight(std::size_t s, std::size_t t) const {
        return token_weight ? token_weight[sequences.begin(s) + t] : sequences.gold_weight_of(s);
    }
    // Built on first use, and shared by all copies of this task: entries, observed and cluster_codes must not change.
    std::shared_ptr<const RowIndex> row_index(const RowPlan& plan, std::size_t threads) const {
        if (!made_->index) made_->index = std::make_shared<const RowIndex>(entries, observed, plan, threads);
        return made_->index;
    }
    // For entries on disk.
    std::shared_ptr<const RowWindows> row_windows(const RowPlan& plan, std::size_t threads) const {
        if (!made_->windows)
            made_->windows = std::make_shared<const RowWindows>(far, observed, plan, nullptr, room, threads);
        return made_->windows;
    }
    // Built in place of row_index(), which is freed to save memory: it is not needed any more after the first phase of
    // training.
    std::shared_ptr<const ClusteredRows> clustered_rows(std::size_t threads) const {
        if (!made_->clustered) {
            made_->windows.reset();
            made_->clustered = far ? std::make_shared<const ClusteredRows>(far, cluster_codes, observed,
                                                                           transitions.L, threads, room)
                                   : std::make_shared<const ClusteredRows>(entries, cluster_codes, observed,
                                                                           transitions.L, threads);
            if (made_->clustered->clusters > 0) made_->index.reset();
        }
        return made_->clustered;
    }
    bool has_edge_attributes() const { return edge_observed.weights() > 0; }
    // True for shared edges of first order: the case of the dense kernels.
    bool plain() const { return transitions.order() == 1 && !has_edge_attributes(); }
    std::size_t first_move() const { return observed.weights(); }
    std::size_t first_edge() const { return first_move() + transitions.weights(); }
    std::size_t size() const { return first_edge() + edge_observed.weights(); }

private:
    struct Made {
        std::shared_ptr<const RowIndex> index;
        std::shared_ptr<const RowWindows> windows;
        std::shared_ptr<const ClusteredRows> clustered;
    };
    std::shared_ptr<Made> made_ = std::make_shared<Made>();
};

// Call visit(a) for the attribute of every entry of some sequences; `far` is in place of entries on disk, or null.
template <class Visit>
void each_attribute(const Entries& entries, const FarEntries* far, const Sequences& sequences,
                    std::span<const std::size_t> some, Visit visit) {
    EntryRoom room;
    for (const std::size_t s : some) {
        if (far) {
            far->window(sequences.begin(s), sequences.end(s), room);
            for (const std::int32_t id : room.ids) visit(static_cast<std::size_t>(id));
            continue;
        }
        for (auto i = entries.indptr[sequences.begin(s)]; i < entries.indptr[sequences.end(s)]; ++i)
            visit(static_cast<std::size_t>(entries.ids[i]));
    }
}

// The weight of entry i for a label (or transition); -1 when it has none.
inline std::ptrdiff_t weight_of(const Entries& entries, const Observed& observed, std::size_t i,
                                std::int32_t label) {
    const auto a = static_cast<std::size_t>(entries.ids[i]);
    const std::int64_t begin = observed.begin[a], end = observed.begin[a + 1];
    if (entries.moves && entries.moves[i] >= 0) return begin < end && entries.moves[i] == label ? begin : -1;
    const auto* const last = observed.label.data() + end;
    const auto* const found = std::lower_bound(observed.label.data() + begin, last, label);
    return found != last && *found == label ? found - observed.label.data() : -1;
}

// Call visit(transition, weight) for all transitions that entry i applies to.
template <class Visit>
void each_move(const Entries& entries, const Observed& observed, std::size_t i, Visit visit) {
    const auto a = static_cast<std::size_t>(entries.ids[i]);
    const auto begin = static_cast<std::size_t>(observed.begin[a]),
               end = static_cast<std::size_t>(observed.begin[a + 1]);
    if (entries.moves && entries.moves[i] >= 0) {
        if (begin < end) visit(static_cast<std::size_t>(entries.moves[i]), begin);
        return;
    }
    for (std::size_t k = begin; k < end; ++k) visit(static_cast<std::size_t>(observed.label[k]), k);
}

// out[k] += weight · value for the weight k of (attribute, label), for the entries of one token.
void add_entries(const Entries& entries, const Observed& observed, std::size_t t, std::int32_t label,
                 double weight, double* out);

}  // namespace seqlab
