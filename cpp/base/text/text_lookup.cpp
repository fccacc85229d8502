#include "base/text/text_lookup.hpp"

#include <algorithm>

#include "base/text/short_text.hpp"

namespace seqlab {

namespace {

constexpr std::array<char, ShortKey::longest> nothing{};

char* join(char* to, std::string_view name, std::string_view value) {
    char* const colon = put(to, name);
    *colon = ':';
    char* const end = put(colon + 1, value);
    *end = '\0';
    return end;
}

}  // namespace

template <class Found>
char* TextLookup<Found>::memory(std::size_t size) {
    constexpr std::size_t least = 8192;
    ++size;
    if (used_ + size > room_) {
        settle();
        if (size > room_) {
            room_ = std::max(size, least);
            std::fill_n(memory_.of(before_end + room_), before_end, '\0');
        }
    }
    char* const begin = memory_.of(0) + before_end + used_;
    used_ += size;
    return begin;
}

template <class Found>
std::string_view TextLookup<Found>::joined(std::string_view name, std::string_view value) {
    char* const to = memory(name.size() + 1 + value.size());
    return {to, static_cast<std::size_t>(join(to, name, value) - to)};
}

template <class Found>
void TextLookup<Found>::add_long(std::string_view text) {
    push({nothing.data() + nothing.size(), 0}, no_name, text);
}

template <class Found>
void TextLookup<Found>::clear() {
    found_.clear();
    count_ = used_ = 0;
}

template <class Found>
void TextLookup<Found>::settle() {
    std::array<std::uint32_t, lot> slot;
    for (std::size_t i = 0; i < count_; ++i) {
        keys_[i].set({waiting_[i].text, waiting_[i].size}, waiting_[i].name);
        slot[i] = static_cast<std::uint32_t>(cache_.slot(keys_[i]));
        cache_.prefetch(slot[i]);
    }
    found_.resize(found_.size() + count_);
    Found* const found = found_.data() + (found_.size() - count_);
    std::array<std::uint16_t, lot> unknown;
    std::size_t unknowns = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        found[i] = cache_.found(slot[i]);
        unknown[unknowns] = static_cast<std::uint16_t>(i);
        unknowns += !cache_.has(slot[i], keys_[i]);
    }
    for (std::size_t i = 0; i < unknowns; i += together)
        look_up({unknown.data() + i, std::min(unknowns - i, together)}, found);
    count_ = used_ = 0;
}

template <class Found>
void TextLookup<Found>::look_up(std::span<const std::uint16_t> which, Found* found) {
    std::array<char, together*(longest_name + 1 + ShortKey::longest + 1)> room;
    std::array<std::string_view, together> texts;
    std::array<Found, together> answers;
    char* to = room.data();
    for (std::size_t j = 0; j < which.size(); ++j) {
        const Waiting& waiting = waiting_[which[j]];
        if (waiting.name == 0 || waiting.name == no_name) {
            texts[j] = waiting.first;
        } else {
            char* const end = join(to, waiting.first, {waiting.text, waiting.size});
            texts[j] = {to, static_cast<std::size_t>(end - to)};
            to = end + 1;
        }
    }
    table_({texts.data(), which.size()}, answers.data());
    for (std::size_t j = 0; j < which.size(); ++j) {
        found[which[j]] = answers[j];
        if (keys_[which[j]].name != no_name) cache_.put(keys_[which[j]], answers[j]);
    }
}

template class TextLookup<StringId>;
template class TextLookup<std::uint64_t>;

}  // namespace seqlab
