#include "linear/data/attribute_weights.hpp"

#include <algorithm>

namespace seqlab {

AttributeWeights::AttributeWeights(const Observed& observed, const double* weights, std::size_t L,
                                   std::size_t LP)
    : L_(L), LP_(LP), places_(observed.attributes()) {
    const auto weight = [&](std::int64_t k) { return static_cast<float>(weights[k]); };
    // A weight of a list costs as much as 16 lanes of a row; a row takes more room, which counts where it is long.
    const std::size_t longest_list = std::clamp<std::size_t>(LP / 16, 2, RowPlan::list_up_to);
    std::size_t rows = 0;
    for (std::size_t a = 0; a < places_.size(); ++a) {
        std::size_t count = 0;
        for (auto k = observed.begin[a]; k < observed.begin[a + 1]; ++k) count += weight(k) != 0.0F;
        if (count > longest_list)
            places_[a] = {static_cast<std::int32_t>(rows++), dense_row};
        else
            places_[a] = {static_cast<std::int32_t>(listed_.size()), static_cast<std::int32_t>(count)};
        for (auto k = observed.begin[a]; k < observed.begin[a + 1] && !places_[a].dense(); ++k) {
            const std::int32_t label = observed.label[static_cast<std::size_t>(k)];
            if (weight(k) == 0.0F) continue;
            if (count == 1)
                places_[a] = {std::bit_cast<std::int32_t>(weight(k)), first_lone + label};
            else
                listed_.push_back({label, weight(k)});
        }
    }
    listed_.push_back({0, 0.0F});  // there is a first one, whatever the model
    rows_ = room_.of((rows + 1) * LP);
    std::fill_n(rows_, (rows + 1) * LP, 0.0F);
    for (std::size_t a = 0; a < places_.size(); ++a)
        for (auto k = observed.begin[a]; k < observed.begin[a + 1] && places_[a].dense(); ++k)
            rows_[static_cast<std::size_t>(places_[a].at) * LP +
                  static_cast<std::size_t>(observed.label[static_cast<std::size_t>(k)])] = weight(k);
}

}  // namespace seqlab
