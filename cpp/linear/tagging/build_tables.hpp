// Build the tables of a decoder from a trained model: a bank of features, and weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "encode/bank.hpp"
#include "linear/tagging/template/tables.hpp"

namespace seqlab {

// The arrays of the tables, by the members of TemplateTables that refer to them.
struct BuiltTables {
    struct Words {
        StringPool strings;
        std::vector<ValueId> values;
        std::vector<float> rows;
    };

    std::vector<std::vector<std::uint64_t>> of_value;            // by group; empty for features on more atoms
    std::map<std::size_t, std::vector<std::uint64_t>> of_owner;  // by the first values that use the pool
    std::vector<std::uint64_t> chains;                           // regions, group after group
    Buffer<PlaceBucket> room;
    std::span<PlaceBucket> buckets;
    std::vector<float> rows;
    std::vector<Words> words;  // by column
};

// weights: one per pair of `observed`
BuiltTables build_tables(const Bank& bank, const Observed& observed, const double* weights, std::size_t L);

// Make tables that refer to arrays by group, pool and column, for features of these groups.
template <class OfValue, class OfOwner>
std::vector<GroupTables> group_tables(const std::vector<Values>& values, const std::vector<Feature>& features,
                                      std::span<const std::uint64_t> chains, std::size_t buckets,
                                      OfValue of_value, OfOwner of_owner) {
    std::vector<GroupTables> groups;
    for (const Feature& feature : features) {
        if (feature.group >= groups.size()) groups.resize(feature.group + 1);
        groups[feature.group].atoms = feature.atoms.size();
        if (feature.atoms.size() != 2) continue;
        const bool left = owner_is_left(values, feature);
        groups[feature.group].owner_is_left = left;
        groups[feature.group].of_owner = of_owner(leader(values, feature.atoms[left ? 0 : 1].values));
    }
    std::size_t next = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].atoms <= 1) groups[g].of_value = of_value(g);
        for (std::size_t link = 1; groups[g].atoms > 2 && link < groups[g].atoms; ++link, ++next)
            groups[g].chain.push_back(next < chains.size() ? PlaceRegion::of(chains[next], buckets)
                                                           : PlaceRegion{});
    }
    return groups;
}

}  // namespace seqlab
