#include "linear/tagging/row_scorer.hpp"

#include <algorithm>

namespace seqlab {

namespace {

// Entries of a piece, unless its first token has more.
constexpr std::int64_t most_entries = 8192;

std::size_t end_of_piece(const Entries& rows, std::size_t t, std::size_t to) {
    std::size_t end = t + 1;
    while (end < std::min(to, t + piece_tokens) && rows.indptr[end + 1] - rows.indptr[t] <= most_entries)
        ++end;
    return end;
}

}  // namespace

void RowScorer::operator()(const Entries& rows, std::size_t from, std::size_t to, float* node) {
    for (std::size_t t = from; t < to;) {
        const std::size_t end = end_of_piece(rows, t, to);
        score(rows, t, end, node);
        node += (end - t) * weights_.L();
        t = end;
    }
}

void RowScorer::score(const Entries& rows, std::size_t from, std::size_t to, float* node) {
    const std::int64_t first = rows.indptr[from], last = rows.indptr[to];
    std::int64_t most = 0;
    for (std::size_t t = from; t < to; ++t) most = std::max(most, rows.indptr[t + 1] - rows.indptr[t]);
    totals_.reserve(to - from, 0, static_cast<std::size_t>(most) + 1);
    for (std::int64_t i = first; i < last; ++i) {
        const auto id = static_cast<std::size_t>(rows.ids[i]);
        if (id < place_of_.size()) __builtin_prefetch(place_of_.data() + id);
    }
    places_.resize(static_cast<std::size_t>(last - first));
    for (std::int64_t i = first; i < last; ++i) {
        const auto id = static_cast<std::size_t>(rows.ids[i]);
        const Place place = id < place_of_.size() ? Place::of(place_of_[id]) : Place{};
        places_[static_cast<std::size_t>(i - first)] = place;
        weights_.prefetch(place);
    }
    scaled_.clear();
    if (rows.values) set_apart(rows, from, to);
    totals_.begin(to - from);
    for (std::size_t t = from; t < to; ++t)
        totals_.add(places_.data() + (rows.indptr[t] - first),
                    static_cast<std::size_t>(rows.indptr[t + 1] - rows.indptr[t]), t - from);
    totals_.finish(node);
    for (const Scaled& one : scaled_) weights_.add(one.place, node + one.t * weights_.L(), one.value);
}

// Most values are 1, also where some are not: the others are added one by one.
void RowScorer::set_apart(const Entries& rows, std::size_t from, std::size_t to) {
    for (std::size_t t = from; t < to; ++t)
        for (std::int64_t i = rows.indptr[t]; i < rows.indptr[t + 1]; ++i) {
            if (rows.values[i] == 1.0) continue;
            Place& place = places_[static_cast<std::size_t>(i - rows.indptr[from])];
            if (!place.none()) scaled_.push_back({t - from, place, static_cast<float>(rows.values[i])});
            place = {};
        }
}

}  // namespace seqlab
