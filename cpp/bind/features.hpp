// Features of a template from Python (encode/template_rows.py).
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/stl.hpp"
#include "encode/feature.hpp"

namespace seqlab::bind {

using CallSpec = std::pair<std::string, int>;
// column, calls, number of the pool, before, after
using ValuesSpec = std::tuple<std::size_t, std::vector<CallSpec>, std::size_t, Outside, Outside>;
// values, offset, absolute
using AtomSpec = std::tuple<std::size_t, std::int64_t, bool>;
// atoms, group
using FeatureSpec = std::pair<std::vector<AtomSpec>, std::size_t>;

// several_too: also accept functions with several results, which a Bank cannot use.
inline std::vector<Call> calls_of(const std::vector<CallSpec>& specs, bool several_too = false) {
    std::vector<Call> calls;
    for (const auto& [name, argument] : specs) {
        const Function function = function_named(name);
        const SeveralFunction several = several_too ? several_named(name) : nullptr;
        if (!function && !several) throw std::invalid_argument("no native function " + name);
        calls.push_back({function, argument, several});
    }
    return calls;
}

inline std::vector<Values> values_of(const std::vector<ValuesSpec>& specs) {
    std::vector<std::shared_ptr<StringPool>> pools;
    std::vector<Values> made;
    for (const auto& [column, calls, pool, before, after] : specs) {
        while (pools.size() <= pool) pools.push_back(std::make_shared<StringPool>());
        made.emplace_back(column, calls_of(calls), pools[pool], before, after);
    }
    return made;
}

inline std::vector<Feature> features_of(const std::vector<FeatureSpec>& specs) {
    std::vector<Feature> made;
    for (const auto& [atoms, group] : specs) {
        Feature feature{{}, group};
        for (const auto& [v, offset, absolute] : atoms) feature.atoms.push_back({v, offset, absolute});
        made.push_back(std::move(feature));
    }
    return made;
}

}  // namespace seqlab::bind
