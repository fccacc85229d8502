#include "linear/tagging/placed_weights.hpp"

#include <algorithm>
#include <array>

namespace seqlab {

namespace {

// The nonzero weights of one attribute: their number, and the range they span.
struct Extent {
    std::size_t count = 0, first = 0, last = 0;
};

Extent extent_of(const Observed& observed, const double* weights, std::size_t attribute) {
    Extent extent;
    for (auto k = static_cast<std::size_t>(observed.begin[attribute]);
         k < static_cast<std::size_t>(observed.begin[attribute + 1]); ++k) {
        if (static_cast<float>(weights[k]) == 0.0F) continue;
        if (extent.count++ == 0) extent.first = k;
        extent.last = k + 1;
    }
    return extent;
}

// The longest list of an attribute before it gets a row. A weight of a list costs as much time as 16 lanes of a row;
// but a row of few weights takes more memory than they do, and all rows may take at most eight tenths of the size of
// the weights.
std::size_t longest_list(const Observed& observed, const double* weights, std::size_t L) {
    std::array<std::size_t, Place::list_up_to + 2> with{};  // attributes by the number of their weights
    for (std::size_t a = 0; a < observed.attributes(); ++a)
        ++with[std::min(extent_of(observed, weights, a).count, Place::list_up_to + 1)];
    std::size_t longest = Place::list_up_to, rows = with[longest + 1];
    const std::size_t shortest = std::clamp<std::size_t>(L / 16, 1, Place::list_up_to);
    while (longest > shortest &&
           (rows + with[longest]) * L * sizeof(float) * 10 <= observed.weights() * 12 * 8)
        rows += with[longest--];
    return longest;
}

}  // namespace

LaidWeights lay_out(const Observed& observed, const double* weights, std::size_t L) {
    LaidWeights laid;
    const std::size_t most = longest_list(observed, weights, L);
    std::size_t rows = 0;
    for (std::size_t a = 0; a < observed.attributes(); ++a) {
        const Extent extent = extent_of(observed, weights, a);
        const std::size_t length = extent.last - extent.first;
        Place place;
        if (extent.count == 1)
            place = {std::bit_cast<std::int32_t>(static_cast<float>(weights[extent.first])),
                     Place::first_lone + observed.label[extent.first]};
        else if (extent.count > 1 && extent.count <= most && length <= Place::list_up_to)
            place = {static_cast<std::int32_t>(static_cast<std::uint32_t>(extent.first)),
                     static_cast<std::int32_t>(length)};
        else if (extent.count > 1) {
            place = {static_cast<std::int32_t>(rows++), Place::dense_row};
            laid.rows.resize(rows * L, 0.0F);
            for (std::size_t k = extent.first; k < extent.last; ++k)
                laid.rows[(rows - 1) * L + static_cast<std::size_t>(observed.label[k])] =
                    static_cast<float>(weights[k]);
        }
        laid.places.push_back(place.bits());
    }
    laid.rows.resize(rows * L + PlacedWeights::behind_rows, 0.0F);
    return laid;
}

}  // namespace seqlab
