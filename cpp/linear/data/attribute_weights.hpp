// Weights of attributes as decoding reads them.
//
// An attribute with one weight is that weight and its label, eight bytes that a table can hold in the attribute's stead;
// one with a few lists them beside their labels; one with many has a dense row of LP lanes. Weights that are zero are
// left out, so what training pruned costs nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "linear/data/feature_rows.hpp"

namespace seqlab {

class AttributeWeights {
public:
    struct Listed {
        std::int32_t label;
        float weight;
    };

    // Where the weights of an attribute are.
    struct Place {
        std::int32_t at = 0;  // a row, the first of a list, or the bits of the only weight
        std::int32_t what =
            0;  // dense_row, how many are listed, or first_lone + label; 0 is no weight at all

        bool dense() const { return what == dense_row; }
        bool none() const { return what == 0; }
        bool list() const { return static_cast<std::uint32_t>(what) - 1U < std::uint32_t{first_lone} - 1U; }
        bool lone() const { return what >= first_lone; }
        Listed only() const { return {what - first_lone, std::bit_cast<float>(at)}; }
    };

    // weights: one per pair of `observed`
    AttributeWeights(const Observed& observed, const double* weights, std::size_t L, std::size_t LP);

    std::size_t L() const { return L_; }
    std::size_t LP() const { return LP_; }
    Place place(std::int32_t attribute) const { return places_[static_cast<std::size_t>(attribute)]; }
    // The first row for a place that is not dense.
    const float* row(Place place) const {
        return rows_ + static_cast<std::size_t>(place.dense() ? place.at : 0) * LP_;
    }
    const Listed* listed(Place place) const { return listed_.data() + place.at; }

    void prefetch(std::int32_t attribute) const { __builtin_prefetch(places_.data() + attribute); }
    void prefetch(Place place) const {
        // Which of the two it will be nobody can foresee: both are fetched, and one of them is the first of its kind.
        __builtin_prefetch(listed_.data() + (place.list() ? place.at : 0));
        __builtin_prefetch(row(place));
    }

    // sum (LP lanes) += weights, for any place
    void add(Place place, float* sum) const {
        if (place.dense()) {
            const float* const weights = row(place);
            for (std::size_t y = 0; y < LP_; ++y) sum[y] += weights[y];
            return;
        }
        if (place.lone()) sum[place.only().label] += place.only().weight;
        for (std::int32_t i = 0; place.list() && i < place.what; ++i)
            sum[listed(place)[i].label] += listed(place)[i].weight;
    }

private:
    static constexpr std::int32_t dense_row = -1, first_lone = 16;
    static_assert(RowPlan::list_up_to < first_lone);

    std::size_t L_, LP_;
    std::vector<Place> places_;
    std::vector<Listed> listed_;
    Buffer<float> room_;
    float* rows_;
};

}  // namespace seqlab
