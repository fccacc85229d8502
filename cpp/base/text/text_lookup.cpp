#include "base/text/text_lookup.hpp"

#include <algorithm>

#include "base/text/short_text.hpp"

namespace seqlab {

namespace {

constexpr std::array<char, TextLookup::before_end> nothing{};

char* join(char* to, std::string_view name, std::string_view value) {
    char* const colon = put(to, name);
    *colon = ':';
    char* const end = put(colon + 1, value);
    *end = '\0';
    return end;
}

}  // namespace

char* TextLookup::memory(std::size_t size) {
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

std::string_view TextLookup::joined(std::string_view name, std::string_view value) {
    char* const to = memory(name.size() + 1 + value.size());
    return {to, static_cast<std::size_t>(join(to, name, value) - to)};
}

void TextLookup::add_long(std::string_view text) {
    push({nothing.data() + nothing.size(), 0}, no_name, text);
}

void TextLookup::clear() {
    ids_.clear();
    count_ = used_ = 0;
}

void TextLookup::settle() {
    std::array<std::uint32_t, lot> place;
    for (std::size_t i = 0; i < count_; ++i) {
        place[i] = static_cast<std::uint32_t>(cache_.place(keys_[i]));
        cache_.prefetch(place[i]);
    }
    ids_.resize(ids_.size() + count_);
    StringId* const ids = ids_.data() + (ids_.size() - count_);
    std::array<std::uint16_t, lot> unknown;
    std::size_t unknowns = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        ids[i] = cache_.id(place[i]);
        unknown[unknowns] = static_cast<std::uint16_t>(i);
        unknowns += !cache_.has(place[i], keys_[i]);
    }
    for (std::size_t i = 0; i < unknowns; i += together)
        look_up({unknown.data() + i, std::min(unknowns - i, together)}, ids);
    count_ = used_ = 0;
}

void TextLookup::look_up(std::span<const std::uint16_t> which, StringId* ids) {
    std::array<char, together*(longest_name + 1 + TextCache::longest + 1)> room;
    std::array<std::string_view, together> texts;
    std::array<StringId, together> found;
    char* to = room.data();
    for (std::size_t j = 0; j < which.size(); ++j) {
        const TextCache::Key& key = keys_[which[j]];
        const std::string_view name = names_[which[j]];
        if (key.name == no_name) {
            texts[j] = name;
        } else if (key.name == 0) {
            texts[j] = key.text();
        } else {
            char* const end = join(to, name, key.text());
            texts[j] = {to, static_cast<std::size_t>(end - to)};
            to = end + 1;
        }
    }
    table_({texts.data(), which.size()}, found.data());
    for (std::size_t j = 0; j < which.size(); ++j) {
        ids[which[j]] = found[j];
        if (keys_[which[j]].name != no_name) cache_.put(keys_[which[j]], found[j]);
    }
}

}  // namespace seqlab
