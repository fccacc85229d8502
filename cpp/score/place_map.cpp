#include "score/place_map.hpp"

#include <algorithm>
#include <bit>

namespace seqlab {

std::size_t PlaceMap::slots_for(const Attributes& attributes) {
    return attributes.atoms() <= 1 ? 0 : std::bit_ceil(attributes.size() * 2 + 1);
}

PlaceMap::PlaceMap(const Attributes& attributes, const AttributeWeights& weights, Slot* slots)
    : attributes_(attributes), slots_(slots), mask_(slots_for(attributes) - 1) {
    if (attributes.atoms() <= 1) {
        attributes.each([&](AttributeId attribute, const std::vector<ValueId>& values) {
            const std::size_t value = values.empty() ? 0 : static_cast<std::size_t>(values[0]);
            if (value >= of_value_.size()) of_value_.resize(value + 1 + value / 2);
            of_value_[value] = weights.place(attribute);
        });
        return;
    }
    std::fill_n(slots_, mask_ + 1, Slot{});
    attributes.link(attributes.atoms() - 2).each([&](Pair key, AttributeId attribute) {
        if (attribute == no_value || weights.place(attribute).none()) return;
        slots_[slot_of(key)] = {key, weights.place(attribute)};
    });
}

void PlaceMap::find_values(const ValueId* values, std::size_t n, Places& places) const {
    const auto known = [&](ValueId value) { return static_cast<std::size_t>(value) < of_value_.size(); };
    for (std::size_t i = 0; i < n; ++i)
        if (known(values[i])) __builtin_prefetch(of_value_.data() + values[i]);
    for (std::size_t i = 0; i < n; ++i)
        places[i] = known(values[i]) ? of_value_[static_cast<std::size_t>(values[i])] : Place{};
}

void PlaceMap::find_pairs(const ValueId* left, const ValueId* right, std::size_t n, Places& places) const {
    for (std::size_t i = 0; i < n; ++i) __builtin_prefetch(&slots_[hash(Pair{left[i], right[i]}) & mask_]);
    for (std::size_t i = 0; i < n; ++i) {
        const bool there = left[i] != no_value && right[i] != no_value;
        places[i] = there ? slots_[slot_of({left[i], right[i]})].place : Place{};
    }
}

void PlaceMap::find(const ValueId* const* atoms, std::size_t n, Places& places) const {
    const std::size_t count = attributes_.atoms();
    if (count == 0) {
        std::fill_n(places.begin(), n, of_value_.empty() ? Place{} : of_value_[0]);
        return;
    }
    if (count == 1) return find_values(atoms[0], n, places);
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
    find_pairs(left, atoms[count - 1], n, places);
}

}  // namespace seqlab
