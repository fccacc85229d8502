// Distinct strings, numbered in order of first appearance: UTF-8 bytes end to end, where each begins, and an
// open-addressing table from string to number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/text/hash.hpp"

namespace seqlab {

using StringId = std::int32_t;

class StringPool {
public:
    static constexpr StringId absent = -1;

    StringPool();

    // The number of `text`, which is added when it is new. Throws std::length_error at 2^31 - 1 strings.
    StringId intern(std::string_view text) { return intern(text, hash(text)); }
    // The number of `text`, or absent.
    StringId find(std::string_view text) const { return slots_[slot_of(text, hash(text))].id; }

    // The same for up to `together` texts. In a large pool each of them waits for memory three times in a row; here they
    // wait together.
    static constexpr std::size_t together = 128;
    void intern(std::span<const std::string_view> texts, StringId* ids);
    void find(std::span<const std::string_view> texts, StringId* ids) const;

    std::string_view at(StringId id) const {
        const auto i = static_cast<std::size_t>(id);
        return {bytes_.data() + begin_[i], static_cast<std::size_t>(begin_[i + 1] - begin_[i])};
    }
    std::size_t size() const { return begin_.size() - 1; }
    std::size_t byte_count() const { return bytes_.size(); }
    const std::vector<char>& bytes() const { return bytes_; }
    const std::vector<std::int64_t>& begins() const { return begin_; }

    void reserve(std::size_t strings, std::size_t bytes);
    void shrink();

private:
    // Eight bytes: a slot fits an aligned load, and the tag settles nearly every comparison without touching the text.
    struct Slot {
        std::uint32_t tag;
        StringId id;
    };

    // What is known of some texts before any of them is compared: the first string with the same tag, absent when there
    // is none.
    struct Guesses {
        std::array<std::uint64_t, together> code;
        std::array<StringId, together> id;
    };

    static std::uint32_t tag_of(std::uint64_t code) { return static_cast<std::uint32_t>(code >> 32); }
    StringId intern(std::string_view text, std::uint64_t code);
    std::size_t slot_of(std::string_view text, std::uint64_t code) const;
    Guesses guessed(std::span<const std::string_view> texts) const;
    void grow(std::size_t slots);

    std::vector<char> bytes_;
    std::vector<std::int64_t> begin_;
    std::vector<Slot> slots_;
    std::size_t mask_;
};

}  // namespace seqlab
