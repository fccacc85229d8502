#pragma once

#include <cstdint>

namespace seqlab {

// Random numbers without state: the number for (seed, stream, draw, t) is a hash of the four, so it does not depend on
// threads, on batch order, or on the number of draws. The hash is SplitMix64's finaliser.
inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

class Uniform {
public:
    Uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t draw)
        : key_(mix(mix(mix(seed) ^ stream) ^ draw)) {}

    // Draw a number in [0, 1) with 53 random bits.
    double operator()(std::uint64_t t) const {
        return static_cast<double>(mix(key_ ^ mix(t)) >> 11) * 0x1p-53;
    }

private:
    std::uint64_t key_;
};

}  // namespace seqlab
