// Node scores from rows of attribute numbers with value 1: Scorer<float> on mapped tables, with fewer cache lines per
// attribute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linear/tagging/piece_sums.hpp"

namespace seqlab {

class RowScorer {
public:
    // place_of: Place::bits of every attribute
    RowScorer(const PlacedWeights& weights, std::span<const std::uint64_t> place_of, const Entries& rows)
        : weights_(weights), place_of_(place_of), rows_(rows) {}

    // node (to - from, L), with LP spare numbers after its last row
    void operator()(std::size_t from, std::size_t to, float* node) const {
        std::int64_t most = 0;
        for (std::size_t t = from; t < to; ++t) most = std::max(most, rows_.indptr[t + 1] - rows_.indptr[t]);
        PieceSums totals(weights_, 0, static_cast<std::size_t>(most) + 1);
        std::vector<Place> places;
        for (std::size_t t = from; t < to; t += piece_tokens) {
            const std::size_t end = std::min(to, t + piece_tokens);
            score(t, end, places, totals);
            totals.finish(node);
            node += (end - t) * weights_.L();
        }
    }

private:
    void score(std::size_t from, std::size_t to, std::vector<Place>& places, PieceSums& totals) const {
        const std::int64_t first = rows_.indptr[from], last = rows_.indptr[to];
        for (std::int64_t i = first; i < last; ++i) __builtin_prefetch(place_of_.data() + rows_.ids[i]);
        places.resize(static_cast<std::size_t>(last - first));
        for (std::int64_t i = first; i < last; ++i) {
            const auto id = static_cast<std::size_t>(rows_.ids[i]);
            const Place place = id < place_of_.size() ? Place::of(place_of_[id]) : Place{};
            places[static_cast<std::size_t>(i - first)] = place;
            weights_.prefetch(place);
        }
        totals.begin(to - from);
        for (std::size_t t = from; t < to; ++t) {
            // At most piece_tokens attributes at a time; a token may have more than that.
            for (std::int64_t i = rows_.indptr[t]; i < rows_.indptr[t + 1];
                 i += static_cast<std::int64_t>(piece_tokens)) {
                const auto n = std::min(static_cast<std::size_t>(rows_.indptr[t + 1] - i), piece_tokens);
                totals.add(places.data() + (i - first), n, [&](std::size_t) { return t - from; });
            }
        }
    }

    const PlacedWeights& weights_;
    std::span<const std::uint64_t> place_of_;
    const Entries rows_;
};

}  // namespace seqlab
