// Sum the weights of the tokens of a piece: rows by address, and single weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "kernels/kernels.hpp"
#include "linear/tagging/placed_weights.hpp"

namespace seqlab {

// Tokens that are looked up together: their data are prefetched first, and all of them fit the first-level cache.
inline constexpr std::size_t piece_tokens = 64;

using Places = std::array<Place, piece_tokens>;

class PieceSums {
public:
    explicit PieceSums(const PlacedWeights& weights) : weights_(weights) {}
    PieceSums(const PlacedWeights& weights, std::size_t most_rows, std::size_t most_places)
        : PieceSums(weights) {
        reserve(piece_tokens, most_rows, most_places);
    }

    // For pieces of at most so many tokens, with at most so many rows and places for each.
    void reserve(std::size_t tokens, std::size_t most_rows, std::size_t most_places) {
        most_rows_ = most_rows + most_places;
        most_few_ = most_places * Place::list_up_to;
        rows_ = row_room_.of(most_rows_ * tokens);
        few_ = few_room_.of(most_few_ * tokens);
    }
    void begin(std::size_t tokens) {
        tokens_ = tokens;
        std::fill_n(row_count_.begin(), tokens, 0);
        std::fill_n(few_count_.begin(), tokens, 0);
    }
    void add_row(std::size_t t, const float* row) {
        rows_[t * most_rows_ + static_cast<std::size_t>(row_count_[t]++)] = row;
    }
    // Add the weights of places[i] to token(i), i < n. The kind of the next place is unpredictable, so there is no
    // branch: every kind is written, and counted only where it applies; lists, which are rare, are added afterwards.
    template <class Token>
    void add(const Place* places, std::size_t n, Token token) {
        std::array<std::uint8_t, piece_tokens> lists;
        std::size_t count = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Place place = places[i];
            const std::size_t t = token(i);
            rows_[t * most_rows_ + static_cast<std::size_t>(row_count_[t])] = weights_.row(place);
            row_count_[t] += weights_.has_row(place);
            few_[t * most_few_ + static_cast<std::size_t>(few_count_[t])] = PlacedWeights::only(place);
            few_count_[t] += weights_.lone(place);
            lists[count] = static_cast<std::uint8_t>(i);
            count += place.list();
        }
        for (std::size_t k = 0; k < count; ++k) add_list(places[lists[k]], token(lists[k]));
    }
    // Add the weights of n places that all belong to token t.
    void add(const Place* places, std::size_t n, std::size_t t) {
        const float** const rows = rows_ + t * most_rows_;
        PlacedWeights::Listed* const few = few_ + t * most_few_;
        std::size_t row_count = 0, few_count = 0, list_count = 0;
        lists_.resize(n);
        Place* const lists = lists_.data();
        for (std::size_t i = 0; i < n; ++i) {
            const Place place = places[i];
            rows[row_count] = weights_.row(place);
            row_count += weights_.has_row(place);
            few[few_count] = PlacedWeights::only(place);
            few_count += weights_.lone(place);
            lists[list_count] = place;
            list_count += place.list();
        }
        row_count_[t] = static_cast<std::int32_t>(row_count);
        few_count_[t] = static_cast<std::int32_t>(few_count);
        for (std::size_t k = 0; k < list_count; ++k) add_list(lists[k], t);
    }
    // node (tokens, L), with LP spare numbers after its last row
    void finish(float* node) const {
        const std::size_t L = weights_.L();
        kernels().f32.sum_rows(rows_, most_rows_, row_count_.data(), weights_.LP(), L, tokens_, node);
        for (std::size_t t = 0; t < tokens_; ++t) {
            const PlacedWeights::Listed* const few = few_ + t * most_few_;
            for (std::int32_t i = 0; i < few_count_[t]; ++i)
                node[t * L + static_cast<std::size_t>(few[i].label)] += few[i].weight;
        }
    }

private:
    void add_list(Place place, std::size_t t) {
        weights_.each(place, [&](std::int32_t label, float weight) {
            few_[t * most_few_ + static_cast<std::size_t>(few_count_[t]++)] = {label, weight};
        });
    }

    const PlacedWeights& weights_;
    std::size_t most_rows_ = 0, most_few_ = 0, tokens_ = 0;
    Buffer<const float*> row_room_;
    Buffer<PlacedWeights::Listed> few_room_;
    const float** rows_ = nullptr;
    PlacedWeights::Listed* few_ = nullptr;
    std::array<std::int32_t, piece_tokens> row_count_, few_count_;
    std::vector<Place> lists_;
};

}  // namespace seqlab
