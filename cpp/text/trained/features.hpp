// Features of a place in a text, for the question whether a word, token or sentence begins there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "text/trained/knowledge.hpp"

namespace seqlab::text {

constexpr std::size_t most_features = 72;

// Keys of the features of one place.
struct Features {
    std::array<std::uint64_t, most_features> keys;
    std::size_t count = 0;

    void add(std::uint64_t key) { keys[count++] = key; }
};

// Goes through the places of a text in order.
class Places {
public:
    Places(Text text, const Knowledge& known);

    // Go to the next place to decide, or the next beginning of a paragraph; false at the end of the text.
    bool next();
    std::size_t at() const { return at_; }
    bool gap() const { return gap_; }
    bool starts() const { return starts_; }  // the beginning of a paragraph: nothing is asked

    void features(Features& out) const;

private:
    struct Chunk {  // characters between blanks, and the words in it
        std::size_t begin = 0, end = 0;
    };

    Class of(std::size_t i) const { return i < text_.size() ? table_[text_[i]] : Class::blank; }
    char32_t low(std::size_t i) const { return i < text_.size() ? lowered(text_[i]) : 0; }
    std::uint64_t kind_of_word(std::size_t begin, std::size_t end, std::uint64_t key) const;
    void enter(std::size_t begin);
    bool decided(std::size_t i) const;
    std::uint64_t runs(std::size_t begin, std::size_t end) const;
    std::size_t piece_end(std::size_t i) const;
    std::size_t piece_begin(std::size_t i, std::size_t floor) const;

    Text text_;
    const Knowledge& known_;
    const Class* table_;
    std::size_t at_ = 0, scanned_ = 0;
    bool gap_ = false, starts_ = false, first_ = true;
    Chunk chunk_, before_,
        second_;  // the chunk of the place, the one before it, the one before that; in its paragraph
    std::vector<std::uint8_t> hints_;  // (characters): what begins there by the rules
    std::uint64_t chunk_shape_ = 0;    // runs of classes, with short lengths
    std::uint64_t chunk_facts_ = 0;    // classes of its characters
    bool mail_ = false;                // by an @
    std::size_t link_ = 0;             // where a link begins in it; the end of the text for none
    std::size_t paragraph_ = 0;        // its beginning
    std::ptrdiff_t brackets_ = 0, quotes_ = 0;
};

}  // namespace seqlab::text
