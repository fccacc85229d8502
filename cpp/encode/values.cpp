#include "encode/values.hpp"

#include <array>
#include <string>

namespace seqlab {

namespace {

// Mark every string of the pool: unused if no token has it, otherwise new_word.
std::vector<StringId> marked(const ColumnView& column, std::size_t tokens) {
    std::vector<StringId> known(column.pool->size(), Words::unused);
    for (std::size_t i = 0; i < tokens; ++i)
        if (column.codes[i] != no_value) known[static_cast<std::size_t>(column.codes[i])] = Words::new_word;
    return known;
}

template <class Number>
std::vector<StringId> numbered(const ColumnView& column, std::size_t tokens, Number number) {
    std::vector<StringId> known = marked(column, tokens);
    for (std::size_t code = 0; code < known.size(); ++code)
        if (known[code] != Words::unused) known[code] = number(column.pool->at(static_cast<StringId>(code)));
    return known;
}

std::vector<ValueId> numbered_outside(const Outside& texts, StringPool& pool) {
    std::vector<ValueId> ids;
    for (const std::optional<std::string>& text : texts) ids.push_back(text ? pool.intern(*text) : no_value);
    return ids;
}

}  // namespace

std::vector<StringId> Words::learn(const ColumnView& column, std::size_t tokens) {
    return numbered(column, tokens, [this](std::string_view text) { return pool_.intern(text); });
}

std::vector<StringId> Words::look_up(const ColumnView& column, std::size_t tokens) const {
    return numbered(column, tokens, [this](std::string_view text) { return pool_.find(text); });
}

void Values::learn(const Words& words) {
    std::string value;
    of_word_.reserve(words.pool().size());
    for (std::size_t id = of_word_.size(); id < words.pool().size(); ++id) {
        const std::string_view word = words.pool().at(static_cast<StringId>(id));
        of_word_.push_back(apply(calls_, word, value) ? pool_->intern(value) : no_value);
    }
    before_ = numbered_outside(before_text_, *pool_);
    after_ = numbered_outside(after_text_, *pool_);
}

void Values::look_outside() {
    const auto found = [this](const Outside& texts) {
        std::vector<ValueId> ids;
        for (const std::optional<std::string>& text : texts)
            ids.push_back(text ? pool_->find(*text) : no_value);
        return ids;
    };
    before_ = found(before_text_);
    after_ = found(after_text_);
}

void Values::of_texts(std::span<Stem> texts, std::vector<std::string>& room, ValueId* values) const {
    std::array<std::string_view, StringPool::together> wanted;
    std::array<std::size_t, StringPool::together> whose;
    std::array<StringId, StringPool::together> found;
    std::size_t count = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        values[i] = no_value;
        if (!texts[i].apply(calls_, room[count])) continue;
        wanted[count] = room[count];
        whose[count++] = i;
    }
    pool_->find(std::span(wanted).first(count), found.data());
    for (std::size_t k = 0; k < count; ++k) values[whose[k]] = found[k];
}

std::vector<ValueId> Values::of_codes(const StringPool& strings, const std::vector<StringId>& known) const {
    std::vector<ValueId> values(known.size(), no_value);
    for (std::size_t code = 0; code < known.size(); ++code) {
        if (known[code] == Words::unused) continue;
        if (known[code] != Words::new_word) {
            values[code] = of_word(known[code]);
            continue;
        }
        Stem text(strings.at(static_cast<StringId>(code)));
        values[code] = of_text(text);
    }
    return values;
}

}  // namespace seqlab
