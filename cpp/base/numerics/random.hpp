#pragma once

#include <array>
#include <cstddef>
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

// rand() of Linux's C library, from its first number on, as programs get it that never choose a seed: CRFsuite shuffles
// by it. r_i = r_{i-31} + r_{i-3} mod 2³², the lowest bit dropped; the first 31 by r_i = 16807 r_{i-1} mod 2³¹ - 1, and the
// first 310 sums are skipped.
class LibcRandom {
public:
    LibcRandom() {
        std::uint64_t r = 1;
        for (std::uint32_t& x : ring_) {
            x = static_cast<std::uint32_t>(r);
            r = 16807 * r % 2147483647;
        }
        for (int i = 0; i < 310; ++i) (*this)();
    }

    std::uint32_t operator()() {
        const std::uint32_t sum = ring_[at_] += ring_[(at_ + 28) % 31];
        at_ = (at_ + 1) % 31;
        return sum >> 1;
    }

private:
    std::array<std::uint32_t, 31> ring_{};
    std::size_t at_ = 3;
};

}  // namespace seqlab
