// The best labels of one short sequence after another.
//
// A call for a handful of tokens takes a few microseconds: nothing is allocated after the first calls, there are no
// threads, and whoever calls may keep Python's lock.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linear/tagging/row_decoder.hpp"

namespace seqlab {

class OneSequence {
public:
    // The decoder must outlive this.
    explicit OneSequence(const RowDecoder& decoder) : decoder_(decoder), scorer_(decoder.scorer()) {}

    // True for lengths that are worth a call of their own: at most some milliseconds.
    bool takes(std::size_t T) const;
    // The best labels (T) until the next call; empty when none are legal.
    std::span<const Label> best(const PlacedEntries& rows);

private:
    const RowDecoder& decoder_;
    RowScorer scorer_;
    BestLabels::Room room_;
    std::vector<Label> path_;
};

}  // namespace seqlab
