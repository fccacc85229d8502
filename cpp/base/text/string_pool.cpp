#include "base/text/string_pool.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/text/short_text.hpp"

namespace seqlab {

namespace {

constexpr std::size_t fewest_slots = 16;
constexpr std::int64_t first_begin = 0;

}  // namespace

StringPool::StringPool()
    : own_{{}, {0}, std::vector<std::uint64_t>(fewest_slots, no_string)}, mask_(fewest_slots - 1) {
    look_at_own();
}

StringPool::StringPool(std::span<const char> bytes, std::span<const std::int64_t> begins,
                       std::span<const std::uint64_t> slots, std::shared_ptr<const void> owner)
    : bytes_(bytes), begin_(begins), slots_(slots), owner_(std::move(owner)), mask_(slots.size() - 1) {
    if (!std::has_single_bit(slots.size())) throw std::invalid_argument("the slots of a pool are 2^n");
    if (begins.empty()) begin_ = {&first_begin, 1};
}

StringPool::StringPool(const StringPool& other)
    : own_(other.own_),
      bytes_(other.bytes_),
      begin_(other.begin_),
      slots_(other.slots_),
      owner_(other.owner_),
      mask_(other.mask_) {
    if (!own_.slots.empty()) look_at_own();
}

StringPool::StringPool(StringPool&& other) noexcept
    : own_(std::move(other.own_)),
      bytes_(other.bytes_),
      begin_(other.begin_),
      slots_(other.slots_),
      owner_(std::move(other.owner_)),
      mask_(other.mask_) {
    // The moved-from pool is empty: it may be destroyed or assigned to.
    other.bytes_ = {};
    other.begin_ = {&first_begin, 1};
    static constexpr std::uint64_t no_slot = no_string;
    other.slots_ = {&no_slot, 1};
    other.mask_ = 0;
    other.own_ = {};
}

StringPool& StringPool::operator=(StringPool other) noexcept {
    own_.bytes.swap(other.own_.bytes);
    own_.begin.swap(other.own_.begin);
    own_.slots.swap(other.own_.slots);
    std::swap(bytes_, other.bytes_);
    std::swap(begin_, other.begin_);
    std::swap(slots_, other.slots_);
    owner_.swap(other.owner_);
    std::swap(mask_, other.mask_);
    return *this;
}

void StringPool::look_at_own() {
    bytes_ = own_.bytes;
    begin_ = own_.begin;
    slots_ = own_.slots;
}

// Rebuild the table: one from a file may have no free slot. Strings become what they should be, one after the other up to
// the last byte, whatever a file says: a new one begins there.
void StringPool::own_arrays() {
    if (!own_.slots.empty()) return;
    own_.bytes.assign(bytes_.begin(), bytes_.end());
    own_.begin.assign(begin_.begin(), begin_.end());
    const auto end = static_cast<std::int64_t>(own_.bytes.size());
    std::int64_t least = 0;
    for (std::int64_t& begin : own_.begin) least = begin = std::clamp(begin, least, end);
    own_.begin.back() = end;
    grow(std::bit_ceil(size() * 3 / 2 + 1));
    owner_.reset();
}

StringId StringPool::find(std::string_view text, std::uint64_t code) const {
    const std::uint32_t tag = tag_of(code);
    for (std::size_t i = code & mask_, tries = 0; tries <= mask_; i = (i + 1) & mask_, ++tries) {
        const Slot found = slot(i);
        if (found.id >= size()) return absent;
        if (found.tag == tag && same(at(static_cast<StringId>(found.id)), text))
            return static_cast<StringId>(found.id);
    }
    return absent;
}

StringPool::Guesses StringPool::guessed(std::span<const std::string_view> texts) const {
    Guesses guess;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        guess.code[i] = hash(texts[i]);
        __builtin_prefetch(slots_.data() + (guess.code[i] & mask_));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::size_t place = guess.code[i] & mask_, tries = 0;
        Slot found = slot(place);
        while (found.id < size() && found.tag != tag_of(guess.code[i]) && tries++ < mask_)
            found = slot(place = (place + 1) & mask_);
        guess.id[i] = found.id < size() ? static_cast<StringId>(found.id) : absent;
        __builtin_prefetch(begin_.data() + std::max(guess.id[i], 0));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto known = static_cast<std::size_t>(std::max(guess.id[i], 0));
        // The address may be invalid: it is only prefetched, never read.
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data()) +
                             static_cast<std::uintptr_t>(read_once(begin_.data() + known));
        __builtin_prefetch(reinterpret_cast<const void*>(address));
    }
    return guess;
}

void StringPool::find(std::span<const std::string_view> texts, StringId* ids) const {
    const Guesses guess = guessed(texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool settled = guess.id[i] == absent || same(at(guess.id[i]), texts[i]);
        ids[i] = settled ? guess.id[i] : find(texts[i], guess.code[i]);
    }
}

void StringPool::intern(std::span<const std::string_view> texts, StringId* ids) {
    const Guesses guess = guessed(texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool settled = guess.id[i] != absent && same(at(guess.id[i]), texts[i]);
        ids[i] = settled ? guess.id[i] : intern(texts[i], guess.code[i]);
    }
}

StringId StringPool::intern(std::string_view text, std::uint64_t code) {
    const StringId known = find(text, code);
    if (known != absent) return known;
    if (size() >= static_cast<std::size_t>(std::numeric_limits<StringId>::max()))
        throw std::length_error("a string pool holds at most 2147483647 strings");
    own_arrays();
    // At most two thirds full, so that probe sequences stay short.
    if ((size() + 1) * 3 > slots_.size() * 2) grow(slots_.size() * 2);
    std::size_t i = code & mask_;
    while (slot(i).id != no_id) i = (i + 1) & mask_;
    const auto id = static_cast<std::uint32_t>(size());
    own_.bytes.insert(own_.bytes.end(), text.begin(), text.end());
    own_.begin.push_back(static_cast<std::int64_t>(own_.bytes.size()));
    own_.slots[i] = static_cast<std::uint64_t>(tag_of(code)) << 32 | id;
    look_at_own();
    return static_cast<StringId>(id);
}

void StringPool::grow(std::size_t slots) {
    own_.slots.assign(std::max(slots, fewest_slots), no_string);
    mask_ = own_.slots.size() - 1;
    look_at_own();
    for (std::size_t id = 0; id < size(); ++id) {
        const std::uint64_t code = hash(at(static_cast<StringId>(id)));
        std::size_t i = code & mask_;
        while (slot(i).id != no_id) i = (i + 1) & mask_;
        own_.slots[i] = static_cast<std::uint64_t>(tag_of(code)) << 32 | id;
    }
}

StringPool StringPool::chosen(std::span<const StringId> ids) const {
    StringPool made;
    std::size_t bytes = 0;
    for (const StringId id : ids) bytes += at(id).size();
    made.reserve(ids.size(), bytes);
    std::array<std::string_view, together> texts;
    std::array<StringId, together> numbers;
    for (std::size_t i = 0; i < ids.size(); i += together) {
        const std::size_t lot = std::min(ids.size() - i, together);
        for (std::size_t j = 0; j < lot; ++j) texts[j] = at(ids[i + j]);
        made.intern({texts.data(), lot}, numbers.data());
    }
    return made;
}

void StringPool::reserve(std::size_t strings, std::size_t bytes) {
    own_arrays();
    own_.bytes.reserve(bytes);
    own_.begin.reserve(strings + 1);
    look_at_own();
    const std::size_t wanted = std::bit_ceil(strings * 3 / 2 + 1);
    if (wanted > slots_.size()) grow(wanted);
}

void StringPool::shrink() {
    own_arrays();
    own_.bytes.shrink_to_fit();
    own_.begin.shrink_to_fit();
    look_at_own();
}

}  // namespace seqlab
