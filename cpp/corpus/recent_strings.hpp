// A small cache of recent strings in front of a pool: most cells of a column repeat a few strings. A string of up to 16
// bytes is two machine words here, so a hit takes two loads and one line of a small table, while the pool would hash,
// probe, and compare text in three places (CoNLL-2000: 77 -> 68 ns a token, CoNLL-U: 350 -> 270).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/text/string_pool.hpp"

namespace seqlab {

class RecentStrings {
public:
    static constexpr std::size_t longest = 16;

    RecentStrings() : entries_(slots) {}

    // Return the number of `text` in `pool`, adding it when it is new; `readable` is the end of the memory that may be
    // read.
    StringId intern(StringPool& pool, std::string_view text, const char* readable) {
        if (text.size() > longest) return pool.intern(text);
        const Words words = words_of(text, readable);
        Entry& entry = entries_[fold(words.low ^ hash_a, words.high ^ hash_b ^ text.size()) % slots];
        if (entry.low == words.low && entry.high == words.high && entry.size == text.size()) return entry.id;
        const StringId id = pool.intern(text);
        entry = {words.low, words.high, static_cast<std::uint32_t>(text.size()), id};
        return id;
    }

private:
#ifdef SEQLAB_SMALL_CACHES  // fuzzers fill it, and have one for each column of each short file
    static constexpr std::size_t slots = 16;
#else
    static constexpr std::size_t slots = 2048;
#endif
    static constexpr std::uint32_t free = ~std::uint32_t{0};

    struct Words {
        std::uint64_t low, high;
    };
    struct Entry {
        std::uint64_t low = 0, high = 0;
        std::uint32_t size = free;
        StringId id = 0;
    };

    static Words words_of(std::string_view text, const char* readable) {
        std::array<std::uint64_t, 2> words{};
        if (readable - text.data() < static_cast<std::ptrdiff_t>(longest)) {
            std::memcpy(words.data(), text.data(), text.size());
            return {words[0], words[1]};
        }
        std::memcpy(words.data(), text.data(), longest);
        const std::size_t size = text.size();
        return {words[0] & front(size < 8 ? size : 8), words[1] & front(size < 8 ? 0 : size - 8)};
    }
    // Mask of the first `bytes` bytes of a machine word in memory order.
    static std::uint64_t front(std::size_t bytes) { return masks[bytes]; }

    static constexpr std::array<std::uint64_t, 9> masks = [] {
        std::array<std::uint64_t, 9> made{};
        for (std::size_t bytes = 1; bytes <= 8; ++bytes)
            made[bytes] = std::endian::native == std::endian::little ? ~std::uint64_t{0} >> (64 - 8 * bytes)
                                                                     : ~std::uint64_t{0} << (64 - 8 * bytes);
        return made;
    }();

    std::vector<Entry> entries_;
};

}  // namespace seqlab
