// Select the weights of a model: for each attribute the labels it was seen with.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/data/feature_rows.hpp"
#include "linear/data/task.hpp"

namespace seqlab {

struct Pairs {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> label;
};

// Pairs of attributes and labels that have occurred together, collected from one part of the corpus after another.
class PairMarks {
public:
    PairMarks(std::size_t attributes, std::size_t L)
        : attributes_(attributes), words_((L + 63) / 64), met_(attributes * words_) {}

    // labels: -1 where none is known; there the labels of `sets` count, if it has any (one row per token).
    void add(const Entries& entries, const Label* labels, const ActiveLists& sets, std::size_t threads);
    Pairs pairs() const;

private:
    std::size_t attributes_, words_;
    // One bit per label: attributes come in any order, and sorting pairs would take ten times as long.
    std::vector<std::uint64_t> met_;
};

inline Pairs observed_pairs(const Entries& entries, const Label* labels, const ActiveLists& sets,
                            std::size_t attributes, std::size_t L, std::size_t threads) {
    PairMarks marks(attributes, L);
    marks.add(entries, labels, sets, threads);
    return marks.pairs();
}

}  // namespace seqlab
