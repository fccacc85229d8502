// Weights of attributes for decoding, used in place: in memory, or in a mapped file that another process may change.
//
// An attribute with one weight is stored as that weight and its label, eight bytes in place of the attribute's number;
// one with a few weights refers to a span of the model's own lists; one with many has a row of L numbers. Zero weights
// are left out where possible, so pruned weights cost nothing. Every number is checked where it is used: an invalid
// place has no weights.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/text/string_pool.hpp"
#include "linear/data/feature_rows.hpp"

namespace seqlab {

// A mask, because the compiler would turn `?:` into a branch.
inline std::uint64_t all_ones_if(bool yes) {
    return 0 - static_cast<std::uint64_t>(yes);
}

// Location of the weights of an attribute.
struct Place {
    static constexpr std::int32_t dense_row = -1, first_lone = 16;
    static constexpr std::size_t list_up_to = 8;

    std::int32_t at = 0;    // a row, the first of a list, or the bits of the only weight
    std::int32_t what = 0;  // dense_row, the length of the list, or first_lone + label; 0: no weight

    static Place of(std::uint64_t bits) { return std::bit_cast<Place>(bits); }
    std::uint64_t bits() const { return std::bit_cast<std::uint64_t>(*this); }
    bool none() const { return what == 0; }
    bool dense() const { return what == dense_row; }
    bool list() const { return static_cast<std::uint32_t>(what) - 1U < list_up_to; }
    // Unsigned: in a corrupt file `what` is any number.
    std::uint32_t label() const { return static_cast<std::uint32_t>(what) - std::uint32_t{first_lone}; }
    bool lone(std::size_t L) const { return label() < L; }
};

// The weights of a model, float64 or float32 as they are stored: one for each label of `label`.
struct ModelWeights {
    std::span<const std::int32_t> label;
    std::span<const double> wide;
    std::span<const float> narrow;  // one of the two is empty

    float weight(std::size_t k) const { return wide.empty() ? narrow[k] : static_cast<float>(wide[k]); }
    std::size_t size() const { return std::min(label.size(), wide.empty() ? narrow.size() : wide.size()); }
};

class PlacedWeights {
public:
    struct Listed {
        std::int32_t label;
        float weight;
    };

    // Readable numbers after the last row, for any vector width.
    static constexpr std::size_t behind_rows = 16;

    // rows (any number, L), and behind_rows more
    PlacedWeights(const ModelWeights& model, std::span<const float> rows, std::size_t L, std::size_t LP)
        : model_(model), rows_(rows), size_(model.size()), L_(L), LP_(LP) {}

    std::size_t L() const { return L_; }
    std::size_t LP() const { return LP_; }
    bool has_row(Place place) const { return place.dense() & (row_at(place) + LP_ <= rows_.size()); }
    // The row of a place; another one if it has none. Which is unpredictable, so there is no branch.
    const float* row(Place place) const {
        return rows_.data() + (row_at(place) & all_ones_if(has_row(place)));
    }
    bool lone(Place place) const { return place.lone(L_); }
    static Listed only(Place place) {
        return {static_cast<std::int32_t>(place.label()), std::bit_cast<float>(place.at)};
    }
    // f(label, weight) for each weight of a list
    template <class F>
    void each(Place list, F f) const {
        const auto first = static_cast<std::size_t>(static_cast<std::uint32_t>(list.at));
        const std::size_t last = first + static_cast<std::uint32_t>(list.what);
        if (last > size_) return;
        for (std::size_t k = first; k < last; ++k) {
            const std::int32_t label = read_once(model_.label.data() + k);
            if (static_cast<std::uint32_t>(label) < L_) f(label, model_.weight(k));
        }
    }

    void prefetch(Place place) const {
        // The kind of place is unpredictable: the addresses are chosen without a branch.
        const auto at = static_cast<std::size_t>(static_cast<std::uint32_t>(place.at));
        const std::size_t k = place.list() && at < size_ ? at : 0;
        const float* const weights = row(place);
        const void* const listed = model_.wide.empty() ? static_cast<const void*>(model_.narrow.data() + k)
                                                       : static_cast<const void*>(model_.wide.data() + k);
        const void* const labels = model_.label.data() + k;
        __builtin_prefetch(place.dense() ? static_cast<const void*>(weights) : labels);
        __builtin_prefetch(place.dense() ? static_cast<const void*>(weights + 16) : listed);
    }

    // sum (L) += value · weights, for any place
    void add(Place place, float* sum, float value = 1.0F) const {
        if (has_row(place)) {
            const float* const weights = row(place);
            for (std::size_t y = 0; y < L_; ++y) sum[y] += value * weights[y];
        } else if (lone(place)) {
            sum[only(place).label] += value * only(place).weight;
        } else if (place.list()) {
            each(place, [&](std::int32_t label, float weight) { sum[label] += value * weight; });
        }
    }

private:
    std::size_t row_at(Place place) const { return std::size_t{static_cast<std::uint32_t>(place.at)} * L_; }

    ModelWeights model_;
    std::span<const float> rows_;
    std::size_t size_, L_, LP_;
};

// The place of each attribute (Place::bits), and the rows that some of them need.
struct LaidWeights {
    std::vector<std::uint64_t> places;
    std::vector<float> rows;
};
LaidWeights lay_out(const Observed& observed, const double* weights, std::size_t L);

}  // namespace seqlab
