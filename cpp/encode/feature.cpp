#include "encode/feature.hpp"

namespace seqlab {

AttributeId Attributes::intern_value(ValueId value) {
    const auto i = static_cast<std::size_t>(value);
    if (i >= of_value_.size()) of_value_.resize(i + 1 + i / 2, no_value);
    if (of_value_[i] == no_value) of_value_[i] = static_cast<AttributeId>(count_++);
    return of_value_[i];
}

void Attributes::put(AttributeId attribute, const ValueId* values) {
    if (atoms_ <= 1) {
        const ValueId value = atoms_ ? values[0] : 0;
        intern_value(value);
        of_value_[static_cast<std::size_t>(value)] = attribute;
        return;
    }
    ValueId left = values[0];
    for (std::size_t a = 1; a + 1 < atoms_; ++a) left = chain_[a - 1].intern({left, values[a]});
    chain_.back().set({left, values[atoms_ - 1]}, attribute);
}

void Attributes::renumber(const std::int32_t* map) {
    const auto to = [map](std::int32_t n) { return n == no_value ? no_value : map[n]; };
    for (AttributeId& id : of_value_) id = to(id);
    if (!chain_.empty()) chain_.back().renumber(to);
}

}  // namespace seqlab
