// Facts of training that say where a trained tokeniser decides, and what it knows of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/text/hash.hpp"
#include "text/characters.hpp"
#include "text/rules/rules.hpp"

namespace seqlab::text {

// A table from 64-bit keys, which are hashes already, to numbers below 2^32; key 0 is absent.
class KeyTable {
public:
    KeyTable() : slots_(1) {}
    explicit KeyTable(std::span<const std::uint64_t> keys) {
        std::size_t size = 2;
        while (size < keys.size() * 2) size *= 2;
        slots_.resize(size);
        mask_ = size - 1;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::size_t at = keys[i] & mask_;
            while (slots_[at].key != 0 && slots_[at].key != keys[i]) at = (at + 1) & mask_;
            slots_[at] = {keys[i], static_cast<std::uint32_t>(i)};
        }
    }
    static constexpr std::uint32_t absent = 0xFFFFFFFF;
    std::uint32_t find(std::uint64_t key) const {
        for (std::size_t at = key & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (slot.key == key) return slot.value;
            if (slot.key == 0) return absent;
        }
    }
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[key & mask_]); }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t value = absent;
    };
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
};

struct Knowledge {
    Rules rules;  // of the tokeniser whose answers are features
    std::span<const std::uint8_t>
        pairs;       // (classes, classes): 1 where every place between such characters is decided
    KeyTable cuts;   // contexts of other places that are decided
    KeyTable words;  // words in lower case, by number
    std::span<const std::uint8_t> word_kinds;  // (words): how often such a word has a capital letter, 1 .. 3
};

// Hashes of strings and small numbers, never 0.
inline std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
    return fold(state ^ hash_a, value ^ hash_b) | 1;
}

// The characters on the right of a place, in lower case, as a key of `cuts`; blanks are alike.
std::uint64_t cut_key(Text text, std::size_t at);
// The word between two places, in lower case.
std::uint64_t word_key(Text text, std::size_t begin, std::size_t end);

}  // namespace seqlab::text
