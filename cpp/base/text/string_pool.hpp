// Distinct strings, numbered in order of first appearance: UTF-8 bytes end to end, where each begins, and an
// open-addressing table from string to number.
//
// The three arrays may also lie in a mapped file, where anybody may change them at any time: every number is read once and
// checked before it is followed, and no search goes on for ever. What is not sound is a string that is not there.
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

// A number in memory that another process may be writing: read once, whatever the compiler thinks.
template <class X>
X read_once(const X* at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

class StringPool {
public:
    static constexpr StringId absent = -1;

    StringPool();
    // The arrays of another pool, as bytes(), begins() and slots() give them: used where they lie as long as `owner` lives. A
    // pool that gets a new string takes a copy first.
    StringPool(std::span<const char> bytes, std::span<const std::int64_t> begins,
               std::span<const std::uint64_t> slots, std::shared_ptr<const void> owner);
    StringPool(const StringPool& other);
    StringPool(StringPool&& other) noexcept;
    StringPool& operator=(StringPool other) noexcept;
    ~StringPool() = default;

    // The number of `text`, which is added when it is new. Throws std::length_error at 2^31 - 1 strings.
    StringId intern(std::string_view text) { return intern(text, hash(text)); }
    // The number of `text`, or absent.
    StringId find(std::string_view text) const { return find(text, hash(text)); }

    // The same for up to `together` texts. In a large pool each of them waits for memory three times in a row; here they
    // wait together.
    static constexpr std::size_t together = 128;
    void intern(std::span<const std::string_view> texts, StringId* ids);
    void find(std::span<const std::string_view> texts, StringId* ids) const;

    // The string of a number below size().
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
    // (tag << 32 | number) of each string at its place, `no_string` in the free ones; a power of two of them
    std::span<const std::uint64_t> slots() const { return slots_; }

    void reserve(std::size_t strings, std::size_t bytes);
    void shrink();

private:
    static constexpr std::uint32_t no_id = ~std::uint32_t{0};
    static constexpr std::uint64_t no_string = no_id;

    // Eight bytes: a slot fits an aligned load, and the tag settles nearly every comparison without touching the text.
    struct Slot {
        std::uint32_t tag, id;
    };
    // What is known of some texts before any of them is compared: the first string with the same tag, absent when there
    // is none.
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

    Own own_;  // empty when they belong to somebody else
    std::span<const char> bytes_;
    std::span<const std::int64_t> begin_;
    std::span<const std::uint64_t> slots_;
    std::shared_ptr<const void> owner_;
    std::size_t mask_ = 0;
};

}  // namespace seqlab
