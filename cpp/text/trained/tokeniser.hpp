// A tokeniser that has learned where words, tokens and sentences begin: a linear chain over the places of a text that are
// worth a decision, most of them behind blanks and beside punctuation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "text/segmentation.hpp"
#include "text/trained/features.hpp"

namespace seqlab::text {

// Labels of places, in the order of the weights.
enum Boundary : std::uint8_t { inside, word, token, sentence };
constexpr std::size_t boundaries = 4;

// Weights of features, as whole numbers of `unit`: a key and its weights lie together, twelve bytes that are fetched at
// once. Only half of a key is kept, so one unknown feature of some ten thousand is taken for a known one.
class Weights {
public:
    Weights() : slots_(1) {}
    // rows: (keys, boundaries); moves: (from, to)
    Weights(std::span<const std::uint64_t> keys, std::span<const float> rows, std::span<const float> moves);

    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[key & mask_]); }
    void add(std::uint64_t key, std::array<std::int32_t, boundaries>& sums) const {
        const std::uint32_t tag = tag_of(key);
        for (std::size_t at = key & mask_; slots_[at].tag != 0; at = (at + 1) & mask_) {
            if (slots_[at].tag != tag) continue;
            for (std::size_t y = 0; y < boundaries; ++y) sums[y] += slots_[at].weights[y];
            return;
        }
    }
    std::int32_t move(std::size_t from, std::size_t to) const { return moves_[from * boundaries + to]; }

private:
    struct Slot {
        std::uint32_t tag = 0;  // 0 is empty
        std::array<std::int16_t, boundaries> weights{};
    };
    static std::uint32_t tag_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32) | 1; }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::array<std::int32_t, boundaries * boundaries> moves_{};
};

// The places of a text with their features, for training.
struct Examples {
    std::vector<std::int64_t> at;       // (places)
    std::vector<std::uint8_t> gap;      // (places)
    std::vector<std::int64_t> offsets;  // (paragraphs + 1): places of each
    std::vector<std::int64_t> indptr;   // (places + 1)
    std::vector<std::uint64_t> keys;    // (entries)
};
Examples examples_of(Text text, const Knowledge& known);

Segmentation segmented(Text text, const Knowledge& known, const Weights& weights);

}  // namespace seqlab::text
