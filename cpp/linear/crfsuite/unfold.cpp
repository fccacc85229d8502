#include "linear/crfsuite/unfold.hpp"

#include <array>
#include <cmath>

#include "base/text/utf8.hpp"
#include "linear/crfsuite/weight.hpp"

namespace seqlab {

std::optional<StringPool> unfold(const CrfsuiteNames& names) {
    StringPool pool;
    pool.reserve(names.size(), names.bytes());
    std::array<std::string_view, StringPool::together> some;
    std::array<StringId, StringPool::together> ids;
    std::size_t left = names.bytes();
    for (std::size_t first = 0; first < names.size(); first += some.size()) {
        const std::size_t count = std::min(some.size(), names.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const auto name = names.name(first + i);
            if (!name || name->size() > left || first_bad_utf8(*name) != name->size()) return std::nullopt;
            left -= name->size();
            some[i] = *name;
        }
        pool.intern({some.data(), count}, ids.data());
        for (std::size_t i = 0; i < count; ++i)
            if (ids[i] != static_cast<StringId>(first + i)) return std::nullopt;
    }
    return pool;
}

std::optional<CrfsuiteWeights> unfold(std::string_view entries, std::size_t K, std::size_t L) {
    const std::size_t count = entries.size() / CrfsuiteWeight::bytes;
    const auto entry = [&](std::size_t i) {
        return CrfsuiteWeight::at(entries.data() + i * CrfsuiteWeight::bytes);
    };
    // Weights of attributes come first.
    std::size_t states = 0, top = count;
    while (states < top) {
        const std::size_t middle = states + (top - states) / 2;
        if (entry(middle).kind == CrfsuiteWeight::state)
            states = middle + 1;
        else
            top = middle;
    }
    CrfsuiteWeights found;
    found.attribute.reserve(states);
    found.cell.reserve(states);
    found.weight.reserve(states);
    found.begin.reserve(K + 1);
    found.moves.resize(L * L);
    found.seen.resize(L * L);
    std::uint64_t next =
        0;  // the least number that the cell of an entry may have, so that none is there twice
    for (std::size_t i = 0; i < count; ++i) {
        const CrfsuiteWeight one = entry(i);
        if (i == states) next = 0;
        const std::uint64_t number = std::uint64_t{one.source} * L + one.target;
        const bool state = i < states;
        if (one.kind != (state ? CrfsuiteWeight::state : CrfsuiteWeight::move) || one.target >= L ||
            one.source >= (state ? K : L) || number < next || !std::isfinite(one.weight))
            return std::nullopt;
        next = number + 1;
        if (state) {
            while (found.begin.size() <= one.source) found.begin.push_back(static_cast<std::int64_t>(i));
            found.attribute.push_back(one.source);
            found.cell.push_back(static_cast<std::int32_t>(one.target));
            found.weight.push_back(one.weight);
        } else {
            found.moves[number] = one.weight;
            found.seen[number] = 1;
        }
    }
    found.begin.resize(K + 1, static_cast<std::int64_t>(states));
    return found;
}

}  // namespace seqlab
