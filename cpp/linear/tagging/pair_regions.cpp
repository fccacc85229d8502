#include "linear/tagging/pair_regions.hpp"

#include <algorithm>

namespace seqlab {

namespace {

// The pools of the two atoms of each group that has two; null for the others.
struct Pools {
    const StringPool* left = nullptr;
    const StringPool* right = nullptr;
};

std::vector<Pools> pools_of(const Bank& bank) {
    std::vector<Pools> pools;
    for (const Feature& feature : bank.features()) {
        if (feature.group >= pools.size()) pools.resize(feature.group + 1);
        if (feature.atoms.size() != 2) continue;
        pools[feature.group] = {&bank.values()[feature.atoms[0].values].pool(),
                                &bank.values()[feature.atoms[1].values].pool()};
    }
    return pools;
}

}  // namespace

template <class F>
void PairRegions::each(const Bank& bank, const AttributeWeights& weights, std::size_t group, F f) const {
    bank.group(group).link(0).each([&](Pair key, AttributeId attribute) {
        if (attribute == no_value || weights.place(attribute).none()) return;
        const bool left = groups_[group].owner_is_left;
        f((*groups_[group].of_owner)[static_cast<std::size_t>(left ? key.first : key.second)],
          place_key(static_cast<std::int32_t>(group), left ? key.second : key.first),
          weights.place(attribute));
    });
}

PairRegions::PairRegions(const Bank& bank, const AttributeWeights& weights) {
    const std::vector<Pools> pools = pools_of(bank);
    groups_.resize(pools.size());
    for (std::size_t g = 0; g < pools.size(); ++g) {
        if (!pools[g].left) continue;
        // The one with more values: a tag would own half the corpus.
        const bool left = pools[g].left->size() >= pools[g].right->size();
        std::vector<PlaceRegion>& of_owner = regions_[left ? pools[g].left : pools[g].right];
        of_owner.resize((left ? pools[g].left : pools[g].right)->size());
        groups_[g] = {&of_owner, left};
    }
    const auto each_pair = [&](auto f) {
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (groups_[g].of_owner) each(bank, weights, g, f);
    };
    using Place = AttributeWeights::Place;
    each_pair([](PlaceRegion& region, std::uint64_t, Place) { ++region.size; });
    std::size_t size = 1;  // the first bucket is the region of those who own nothing
    for (auto& [pool, of_owner] : regions_)
        for (PlaceRegion& region : of_owner) {
            const std::size_t keys = region.size - 1;  // counted from the size of an empty region
            if (keys == 0) continue;
            const std::size_t buckets = PlaceRegion::buckets_for(keys);
            region = {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(buckets)};
            size += buckets;
        }
    table_ = room_.of(size);
    std::fill_n(table_, size, PlaceBucket{});
    each_pair([&](PlaceRegion& region, std::uint64_t key, Place place) { region.put(table_, key, place); });
}

void PairRegions::ask(std::size_t group, const ValueId* left, const ValueId* right, std::size_t n,
                      PlaceSearch& search) const {
    const std::vector<PlaceRegion>& of_owner = *groups_[group].of_owner;
    const ValueId* const owner = groups_[group].owner_is_left ? left : right;
    const ValueId* const other = groups_[group].owner_is_left ? right : left;
    for (std::size_t i = 0; i < n; ++i) {
        const auto known = static_cast<std::size_t>(owner[i]);
        search.ask(table_, i, place_key(static_cast<std::int32_t>(group), other[i]),
                   known < of_owner.size() ? of_owner[known] : PlaceRegion{});
    }
}

}  // namespace seqlab
