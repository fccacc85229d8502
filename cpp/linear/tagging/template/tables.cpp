#include "linear/tagging/template/tables.hpp"

namespace seqlab {

std::size_t leader(const std::vector<Values>& values, std::size_t of) {
    std::size_t first = 0;
    while (&values[first].pool() != &values[of].pool()) ++first;
    return first;
}

bool owner_is_left(const std::vector<Values>& values, const Feature& feature) {
    return values[feature.atoms[0].values].pool().size() >= values[feature.atoms[1].values].pool().size();
}

namespace {

void ask_pairs(const TemplateTables& tables, std::size_t group, const ValueId* const* atoms, std::size_t n,
               PlaceSearch& search) {
    const GroupTables& own = tables.groups[group];
    const ValueId* const owner = atoms[own.owner_is_left ? 0 : 1];
    const ValueId* const other = atoms[own.owner_is_left ? 1 : 0];
    for (std::size_t i = 0; i < n; ++i) {
        const auto known = static_cast<std::size_t>(owner[i]);
        const PlaceRegion region =
            known < own.of_owner.size()
                ? PlaceRegion::of(read_once(own.of_owner.data() + known), tables.buckets.size())
                : PlaceRegion{};
        search.ask(tables.buckets, i, place_key(static_cast<std::int32_t>(group), other[i]), region);
    }
}

// Values are folded from the left: a pair of values gets a number, and that number and the next value form a pair
// again.
void ask_chain(const TemplateTables& tables, std::size_t group, const ValueId* const* atoms, std::size_t n,
               PlaceSearch& search) {
    const std::vector<PlaceRegion>& chain = tables.groups[group].chain;
    Piece folded;
    std::copy_n(atoms[0], n, folded.begin());
    for (std::size_t link = 0; link + 1 < chain.size(); ++link) {
        for (std::size_t i = 0; i < n; ++i)
            search.ask(tables.buckets, i, place_key(folded[i], atoms[link + 1][i]), chain[link]);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t number =
                search.region[i].find(tables.buckets, search.bucket[i], search.key[i]);
            folded[i] = static_cast<ValueId>(static_cast<std::uint32_t>(number)) - 1;
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        search.ask(tables.buckets, i, place_key(folded[i], atoms[chain.size()][i]), chain.back());
}

}  // namespace

void TemplateTables::ask(std::size_t group, const ValueId* const* atoms, std::size_t n,
                         PlaceSearch& search) const {
    const GroupTables& own = groups[group];
    if (own.atoms == 2) return ask_pairs(*this, group, atoms, n, search);
    if (own.atoms > 2) return ask_chain(*this, group, atoms, n, search);
    for (std::size_t i = 0; i < n; ++i) {
        search.key[i] = own.atoms == 0 ? 0 : static_cast<std::uint64_t>(atoms[0][i]);
        if (search.key[i] < own.of_value.size()) __builtin_prefetch(own.of_value.data() + search.key[i]);
    }
}

void TemplateTables::answer(std::size_t group, const PlaceSearch& search, std::size_t n,
                            Places& places) const {
    const GroupTables& own = groups[group];
    if (own.atoms >= 2) return search.answer(buckets, n, places);
    for (std::size_t i = 0; i < n; ++i)
        places[i] = search.key[i] < own.of_value.size() ? Place::of(own.of_value[search.key[i]]) : Place{};
}

}  // namespace seqlab
