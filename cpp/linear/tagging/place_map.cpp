#include "linear/tagging/place_map.hpp"

#include <algorithm>

namespace seqlab {

std::size_t PlaceMap::buckets_for(const Attributes& attributes) {
    return attributes.atoms() <= 2 ? 0 : PlaceRegion::buckets_for(attributes.size());
}

PlaceMap::PlaceMap(const Bank& bank, std::size_t group, const AttributeWeights& weights,
                   const PairRegions& pairs, PlaceBucket* table)
    : attributes_(bank.group(group)),
      pairs_(pairs),
      group_(group),
      table_(table),
      region_{0, static_cast<std::uint32_t>(buckets_for(attributes_))} {
    if (attributes_.atoms() == 2) return;
    if (attributes_.atoms() <= 1) {
        attributes_.each([&](AttributeId attribute, const std::vector<ValueId>& values) {
            const std::size_t value = values.empty() ? 0 : static_cast<std::size_t>(values[0]);
            if (value >= of_value_.size()) of_value_.resize(value + 1 + value / 2);
            of_value_[value] = weights.place(attribute);
        });
        return;
    }
    std::fill_n(table_, buckets_for(attributes_), PlaceBucket{});
    attributes_.link(attributes_.atoms() - 2).each([&](Pair key, AttributeId attribute) {
        if (attribute == no_value || weights.place(attribute).none()) return;
        region_.put(table_, place_key(key.first, key.second), weights.place(attribute));
    });
}

void PlaceMap::ask(const ValueId* const* atoms, std::size_t n, PlaceSearch& search) const {
    const std::size_t count = attributes_.atoms();
    if (count <= 1) {
        for (std::size_t i = 0; i < n; ++i) {
            search.key[i] = count == 0 ? 0 : static_cast<std::uint64_t>(atoms[0][i]);
            if (search.key[i] < of_value_.size()) __builtin_prefetch(of_value_.data() + search.key[i]);
        }
        return;
    }
    if (count == 2) return pairs_.ask(group_, atoms[0], atoms[1], n, search);
    Piece folded;
    const ValueId* left = atoms[0];
    for (std::size_t a = 1; a + 1 < count; ++a) {
        const PairTable& table = attributes_.link(a - 1);
        for (std::size_t i = 0; i < n; ++i) table.prefetch({left[i], atoms[a][i]});
        for (std::size_t i = 0; i < n; ++i)
            folded[i] = left[i] == no_value || atoms[a][i] == no_value ? no_value
                                                                       : table.find({left[i], atoms[a][i]});
        left = folded.data();
    }
    for (std::size_t i = 0; i < n; ++i)
        search.ask(table_, i, place_key(left[i], atoms[count - 1][i]), region_);
}

void PlaceMap::answer(const PlaceSearch& search, std::size_t n, Places& places) const {
    if (attributes_.atoms() >= 2)
        return search.answer(attributes_.atoms() == 2 ? pairs_.table() : table_, n, places);
    for (std::size_t i = 0; i < n; ++i)
        places[i] = search.key[i] < of_value_.size() ? of_value_[search.key[i]] : Place{};
}

}  // namespace seqlab
