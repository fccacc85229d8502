#include "linear/data/pairs.hpp"

#include <bit>

#include "base/parallel/parallel.hpp"

namespace seqlab {

void PairMarks::add(const Entries& entries, const Label* labels, const ActiveLists& sets,
                    std::size_t threads) {
    const auto mark = [&](std::size_t t, Label y) {
        const std::size_t word = static_cast<std::size_t>(y) / 64;
        const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(y) % 64);
        for (auto i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
            std::uint64_t& bits = met_[static_cast<std::size_t>(entries.ids[i]) * words_ + word];
            // Most bits are set already, and a read does not take the cache line away from other threads.
            if ((__atomic_load_n(&bits, __ATOMIC_RELAXED) & bit) == 0)
                __atomic_fetch_or(&bits, bit, __ATOMIC_RELAXED);
        }
    };
    parallel_ranges(entries.tokens(), threads, [&](std::size_t from, std::size_t to) {
        for (std::size_t t = from; t < to; ++t) {
            if (labels[t] >= 0) {
                mark(t, labels[t]);
            } else if (sets.any()) {
                for (const Label y : sets.at(t)) mark(t, y);
            }
        }
    });
}

Pairs PairMarks::pairs() const {
    std::size_t count = 0;
    for (const std::uint64_t word : met_) count += static_cast<std::size_t>(std::popcount(word));
    Pairs pairs;
    pairs.begin.reserve(attributes_ + 1);
    pairs.label.reserve(count);
    pairs.begin.push_back(0);
    for (std::size_t a = 0; a < attributes_; ++a) {
        for (std::size_t w = 0; w < words_; ++w)
            for (std::uint64_t word = met_[a * words_ + w]; word != 0; word &= word - 1)
                pairs.label.push_back(
                    static_cast<std::int32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
        pairs.begin.push_back(static_cast<std::int64_t>(pairs.label.size()));
    }
    return pairs;
}

}  // namespace seqlab
