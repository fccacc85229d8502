// Sparse counts of labels: for each item its labels in rising order, each with a count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/trellis.hpp"

namespace seqlab {

struct LabelCounts {
    std::span<const Label> label;
    std::span<const double> count;

    double total() const {
        double sum = 0;
        for (const double one : count) sum += one;
        return sum;
    }
};

struct SparseCounts {
    std::vector<std::int64_t> begin{0};
    std::vector<Label> label;
    std::vector<double> count;

    std::size_t size() const { return begin.size() - 1; }
    LabelCounts at(std::size_t i) const {
        const auto from = static_cast<std::size_t>(begin[i]);
        const auto size = static_cast<std::size_t>(begin[i + 1]) - from;
        return {{label.data() + from, size}, {count.data() + from, size}};
    }
};

// One occurrence: an item, a label, and its weight.
struct Occurrence {
    std::int32_t thing;
    Label label;
    double count;
};

// Add up occurrences with equal item and label, in their order, so that rounding is reproducible.
SparseCounts added(const std::vector<Occurrence>& occurrences, std::size_t things, std::size_t L);

}  // namespace seqlab
