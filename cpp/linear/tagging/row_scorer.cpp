#include "linear/tagging/row_scorer.hpp"

#include <algorithm>

namespace seqlab {

namespace {

// Entries of a piece, unless its first token has more.
constexpr std::int64_t most_entries = 8192;

std::size_t end_of_piece(std::span<const std::int64_t> indptr, std::size_t t, std::size_t to) {
    std::size_t end = t + 1;
    while (end < std::min(to, t + piece_tokens) && indptr[end + 1] - indptr[t] <= most_entries) ++end;
    return end;
}

}  // namespace

void RowScorer::operator()(const Entries& rows, std::size_t from, std::size_t to, float* node) {
    in_pieces(rows, from, to, node);
}

void RowScorer::operator()(const PlacedEntries& rows, std::size_t from, std::size_t to, float* node) {
    in_pieces(rows, from, to, node);
}

template <class Rows>
void RowScorer::in_pieces(const Rows& rows, std::size_t from, std::size_t to, float* node) {
    for (std::size_t t = from; t < to;) {
        const std::size_t end = end_of_piece(rows.indptr, t, to);
        places_.resize(static_cast<std::size_t>(rows.indptr[end] - rows.indptr[t]));
        look_up(rows, t, end);
        score(rows.indptr, rows.values, t, end, node);
        node += (end - t) * weights_.L();
        t = end;
    }
}

void RowScorer::look_up(const Entries& rows, std::size_t from, std::size_t to) {
    const std::int64_t first = rows.indptr[from], last = rows.indptr[to];
    for (std::int64_t i = first; i < last; ++i) {
        const auto id = static_cast<std::size_t>(rows.ids[i]);
        if (id < place_of_.size()) __builtin_prefetch(place_of_.data() + id);
    }
    for (std::int64_t i = first; i < last; ++i) {
        const auto id = static_cast<std::size_t>(rows.ids[i]);
        const Place place = id < place_of_.size() ? Place::of(place_of_[id]) : Place{};
        places_[static_cast<std::size_t>(i - first)] = place;
        weights_.prefetch(place);
    }
}

void RowScorer::look_up(const PlacedEntries& rows, std::size_t from, std::size_t to) {
    const std::int64_t first = rows.indptr[from], last = rows.indptr[to];
    for (std::int64_t i = first; i < last; ++i) {
        const Place place = Place::of(rows.places[i]);
        places_[static_cast<std::size_t>(i - first)] = place;
        weights_.prefetch(place);
    }
}

void RowScorer::score(std::span<const std::int64_t> indptr, const double* values, std::size_t from,
                      std::size_t to, float* node) {
    std::int64_t most = 0;
    for (std::size_t t = from; t < to; ++t) most = std::max(most, indptr[t + 1] - indptr[t]);
    totals_.reserve(to - from, 0, static_cast<std::size_t>(most) + 1);
    scaled_.clear();
    if (values) set_apart(indptr, values, from, to);
    totals_.begin(to - from);
    for (std::size_t t = from; t < to; ++t)
        totals_.add(places_.data() + (indptr[t] - indptr[from]),
                    static_cast<std::size_t>(indptr[t + 1] - indptr[t]), t - from);
    totals_.finish(node);
    for (const Scaled& one : scaled_) weights_.add(one.place, node + one.t * weights_.L(), one.value);
}

// Most values are 1, also where some are not: the others are added one by one.
void RowScorer::set_apart(std::span<const std::int64_t> indptr, const double* values, std::size_t from,
                          std::size_t to) {
    for (std::size_t t = from; t < to; ++t)
        for (std::int64_t i = indptr[t]; i < indptr[t + 1]; ++i) {
            if (values[i] == 1.0) continue;
            Place& place = places_[static_cast<std::size_t>(i - indptr[from])];
            if (!place.none()) scaled_.push_back({t - from, place, static_cast<float>(values[i])});
            place = {};
        }
}

}  // namespace seqlab
