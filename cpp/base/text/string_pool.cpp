#include "base/text/string_pool.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace seqlab {

namespace {

constexpr std::size_t fewest_slots = 16;

// Whether `size` bytes are the same; size is at least that of a Word. The last two loads may overlap.
template <class Word>
bool same_words(const char* a, const char* b, std::size_t size) {
    const std::size_t last = size - sizeof(Word);
    for (std::size_t at = 0; at < last; at += sizeof(Word))
        if (load<Word>(a + at) != load<Word>(b + at)) return false;
    return load<Word>(a + last) == load<Word>(b + last);
}

// Strings are short: a call of memcmp would cost more than all the rest of looking one up.
bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    if (a.size() >= 8) return same_words<std::uint64_t>(a.data(), b.data(), a.size());
    if (a.size() >= 4) return same_words<std::uint32_t>(a.data(), b.data(), a.size());
    return a.empty() || same_words<std::uint8_t>(a.data(), b.data(), a.size());
}

}  // namespace

StringPool::StringPool() : begin_{0}, slots_(fewest_slots, Slot{0, absent}), mask_(fewest_slots - 1) {}

// Where `text` stands, or the free slot where it would stand.
std::size_t StringPool::slot_of(std::string_view text, std::uint64_t code) const {
    const std::uint32_t tag = tag_of(code);
    std::size_t i = code & mask_;
    while (slots_[i].id != absent && (slots_[i].tag != tag || !same(at(slots_[i].id), text)))
        i = (i + 1) & mask_;
    return i;
}

StringPool::Guesses StringPool::guessed(std::span<const std::string_view> texts) const {
    Guesses guess;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        guess.code[i] = hash(texts[i]);
        __builtin_prefetch(slots_.data() + (guess.code[i] & mask_));
    }
    const auto known = [&](std::size_t i) { return static_cast<std::size_t>(std::max(guess.id[i], 0)); };
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::size_t slot = guess.code[i] & mask_;
        while (slots_[slot].id != absent && slots_[slot].tag != tag_of(guess.code[i]))
            slot = (slot + 1) & mask_;
        guess.id[i] = slots_[slot].id;
        __builtin_prefetch(begin_.data() + known(i));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) __builtin_prefetch(bytes_.data() + begin_[known(i)]);
    return guess;
}

void StringPool::find(std::span<const std::string_view> texts, StringId* ids) const {
    const Guesses guess = guessed(texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool settled = guess.id[i] == absent || same(at(guess.id[i]), texts[i]);
        ids[i] = settled ? guess.id[i] : slots_[slot_of(texts[i], guess.code[i])].id;
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
