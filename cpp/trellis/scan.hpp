#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace seqlab {

// Result of scanning an array of scores: the first entry that is NaN or +inf (or -1), and the largest finite magnitude,
// which tells Python if the score of a path could overflow.
struct Scan {
    std::int64_t first_bad = -1;
    double largest = 0.0;
};

template <class F>
Scan scan(const F* x, std::size_t n) {
    constexpr F INF = std::numeric_limits<F>::infinity();
    constexpr std::size_t BLOCK = 1024;
    Scan result;
    F largest = 0;
    for (std::size_t first = 0; first < n; first += BLOCK) {
        const std::size_t end = n - first < BLOCK ? n : first + BLOCK;
        bool good = true;
        F top[8] = {};
        std::size_t i = first;
        for (; i + 8 <= end; i += 8)
            for (std::size_t j = 0; j < 8; ++j) {
                const F v = x[i + j], size = v < 0 ? -v : v;
                good &= v < INF;
                top[j] = size < INF && size > top[j] ? size : top[j];
            }
        for (; i < end; ++i) {
            const F size = std::abs(x[i]);
            good &= x[i] < INF;
            top[0] = size < INF && size > top[0] ? size : top[0];
        }
        for (const F t : top) largest = t > largest ? t : largest;
        for (i = first; !good && i < end; ++i)
            if (!(x[i] < INF)) return {static_cast<std::int64_t>(i), 0.0};
    }
    result.largest = static_cast<double>(largest);
    return result;
}

}  // namespace seqlab
