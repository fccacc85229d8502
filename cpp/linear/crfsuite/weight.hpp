// An entry of the weights in a model file of CRFsuite.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "linear/crfsuite/names.hpp"

namespace seqlab {

struct CrfsuiteWeight {
    static constexpr std::size_t bytes = 20;
    static constexpr std::uint32_t state = 0, move = 1;  // from an attribute, or from a label

    std::uint32_t kind, source, target;
    double weight;

    static CrfsuiteWeight at(const char* place) {
        const std::uint64_t low = number_at(place + 12), high = number_at(place + 16);
        return {number_at(place), number_at(place + 4), number_at(place + 8),
                std::bit_cast<double>(high << 32 | low)};
    }
};

}  // namespace seqlab
