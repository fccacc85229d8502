// The parts of a model file of CRFsuite as arrays, for a model of ours. Both functions take a sound file whose weights
// are in CRFsuite's own order, and give nothing for any other: then the reader in Python says what is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text/string_pool.hpp"
#include "linear/crfsuite/names.hpp"

namespace seqlab {

// All names as a pool; they must be distinct, sound UTF-8, and together no longer than their chunk.
std::optional<StringPool> unfold(const CrfsuiteNames& names);

struct CrfsuiteWeights {
    std::vector<std::int64_t> attribute,
        begin;  // of each weight; and where those of each attribute begin (K + 1)
    std::vector<std::int32_t> cell;
    std::vector<double> weight;
    std::vector<double> moves;       // (L, L)
    std::vector<std::uint8_t> seen;  // (L, L)
};
// The weights of K attributes and of transitions between L labels, from the entries of a chunk "FEAT".
std::optional<CrfsuiteWeights> unfold(std::string_view entries, std::size_t K, std::size_t L);

}  // namespace seqlab
