#include "text/string_pool.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

namespace seqlab {

namespace {

constexpr std::size_t fewest_slots = 16;

}  // namespace

StringPool::StringPool() : begin_{0}, slots_(fewest_slots, Slot{0, absent}), mask_(fewest_slots - 1) {}

// Where `text` stands, or the free slot where it would stand.
std::size_t StringPool::slot_of(std::string_view text, std::uint64_t code) const {
    const std::uint32_t tag = tag_of(code);
    std::size_t i = code & mask_;
    while (slots_[i].id != absent && (slots_[i].tag != tag || at(slots_[i].id) != text)) i = (i + 1) & mask_;
    return i;
}

StringId StringPool::find(std::string_view text) const {
    return slots_[slot_of(text, hash(text))].id;
}

StringId StringPool::intern(std::string_view text) {
    const std::uint64_t code = hash(text);
    std::size_t i = slot_of(text, code);
    if (slots_[i].id != absent) return slots_[i].id;
    if (size() >= static_cast<std::size_t>(std::numeric_limits<StringId>::max()))
        throw std::length_error("a string pool holds at most 2147483647 strings");
    // Two thirds full at most: probes stay short.
    if ((size() + 1) * 3 > slots_.size() * 2) {
        grow(slots_.size() * 2);
        i = slot_of(text, code);
    }
    const auto id = static_cast<StringId>(size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    begin_.push_back(static_cast<std::int64_t>(bytes_.size()));
    slots_[i] = {tag_of(code), id};
    return id;
}

void StringPool::grow(std::size_t slots) {
    slots_.assign(slots, Slot{0, absent});
    mask_ = slots - 1;
    for (std::size_t id = 0; id < size(); ++id) {
        const std::uint64_t code = hash(at(static_cast<StringId>(id)));
        std::size_t i = code & mask_;
        while (slots_[i].id != absent) i = (i + 1) & mask_;
        slots_[i] = {tag_of(code), static_cast<StringId>(id)};
    }
}

void StringPool::reserve(std::size_t strings, std::size_t bytes) {
    bytes_.reserve(bytes);
    begin_.reserve(strings + 1);
    const std::size_t wanted = std::bit_ceil(strings * 3 / 2 + 1);
    if (wanted > slots_.size()) grow(wanted);
}

void StringPool::shrink() {
    bytes_.shrink_to_fit();
    begin_.shrink_to_fit();
}

}  // namespace seqlab
