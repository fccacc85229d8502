// Distinct strings, numbered in order of first appearance: their UTF-8 bytes end to end, the offset of each string, and
// an open-addressing table from string to number.
//
// The three arrays may also lie in a mapped file, which another process may change at any time: every number is read
// once and checked before it is used as an index, and every search ends. A string whose entry is invalid counts as
// absent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/text/hash.hpp"

namespace seqlab {

using StringId = std::int32_t;

// Read a number that another process may be writing: exactly one load, which the compiler may not repeat.
template <class X>
X read_once(const X* at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

class StringPool {
public:
    static constexpr StringId absent = -1;

    StringPool();
    // Use the arrays of another pool, as returned by bytes(), begins() and slots(), in place for as long as `owner`
    // lives. A pool that gets a new string copies them first.
    StringPool(std::span<const char> bytes, std::span<const std::int64_t> begins,
               std::span<const std::uint64_t> slots, std::shared_ptr<const void> owner);
    StringPool(const StringPool& other);
    StringPool(StringPool&& other) noexcept;
    StringPool& operator=(StringPool other) noexcept;
    ~StringPool() = default;

    // Return the number of `text`, adding it when it is new. Throws std::length_error at 2^31 - 1 strings.
    StringId intern(std::string_view text) { return intern(text, hash(text)); }
    // Return the number of `text`, or absent.
    StringId find(std::string_view text) const { return find(text, hash(text)); }

    // Find up to `together` texts at once. In a large pool one lookup waits for memory three times in a row; here the
    // waits overlap.
    static constexpr std::size_t together = 128;
    void intern(std::span<const std::string_view> texts, StringId* ids);
    void find(std::span<const std::string_view> texts, StringId* ids) const;

    // Return the string with a number below size().
    std::string_view at(StringId id) const {
        const auto i = static_cast<std::size_t>(id);
        const auto begin = static_cast<std::uint64_t>(read_once(begin_.data() + i));
        const auto end = static_cast<std::uint64_t>(read_once(begin_.data() + i + 1));
        if (begin > end || end > bytes_.size()) return {};
        return {bytes_.data() + begin, end - begin};
    }
    std::size_t size() const { return begin_.size() - 1; }
    std::size_t byte_count() const { return bytes_.size(); }
    std::span<const char> bytes() const { return bytes_; }
    std::span<const std::int64_t> begins() const { return begin_; }
    // Table of (tag << 32 | number), `no_string` in free slots; its size is a power of two.
    std::span<const std::uint64_t> slots() const { return slots_; }

    // Return a pool of the strings with these numbers, in this order; the numbers are below size().
    StringPool chosen(std::span<const StringId> ids) const;

    void reserve(std::size_t strings, std::size_t bytes);
    void shrink();

private:
    static constexpr std::uint32_t no_id = ~std::uint32_t{0};
    static constexpr std::uint64_t no_string = no_id;

    // Eight bytes: one aligned load reads a slot, and the tag decides nearly every comparison without reading the text.
    struct Slot {
        std::uint32_t tag, id;
    };
    // First candidates for several texts, before any text is compared: the first string with an equal tag, or absent.
    struct Guesses {
        std::array<std::uint64_t, together> code;
        std::array<StringId, together> id;
    };
    struct Own {
        std::vector<char> bytes;
        std::vector<std::int64_t> begin;
        std::vector<std::uint64_t> slots;
    };

    static std::uint32_t tag_of(std::uint64_t code) { return static_cast<std::uint32_t>(code >> 32); }
    Slot slot(std::size_t i) const {
        const std::uint64_t both = read_once(slots_.data() + i);
        return {static_cast<std::uint32_t>(both >> 32), static_cast<std::uint32_t>(both)};
    }
    StringId intern(std::string_view text, std::uint64_t code);
    StringId find(std::string_view text, std::uint64_t code) const;
    Guesses guessed(std::span<const std::string_view> texts) const;
    void own_arrays();
    void look_at_own();
    void grow(std::size_t slots);

    Own own_;  // empty when the arrays belong to another owner
    std::span<const char> bytes_;
    std::span<const std::int64_t> begin_;
    std::span<const std::uint64_t> slots_;
    std::shared_ptr<const void> owner_;
    std::size_t mask_ = 0;
};

}  // namespace seqlab
