// Texts to numbers, many at a time: frequent short texts by a cache, the others by a table that the owner has.
//
// Waits for memory, and guesses of the processor that turn out wrong, would take most of the time. So texts are
// collected; then the places of all of them in the cache are fetched, then all are compared, and then those that are
// not there are looked up together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "base/text/string_pool.hpp"
#include "base/text/text_cache.hpp"

namespace seqlab {

class TextLookup {
public:
    // Writes the numbers of up to `together` texts, negative ones for those that are unknown; numbers must not change.
    // A byte 0 stands behind each text, as some tables want their keys.
    using Table = std::function<void(std::span<const std::string_view> texts, StringId* ids)>;
    static constexpr std::size_t together = StringPool::together;
    // Bytes that are readable before the end of a text which is added.
    static constexpr std::size_t before_end = TextCache::longest;

    // A name is the first part of many texts. It has a number of its own, from 1 on and below no_name.
    static constexpr std::size_t longest_name = 48;
    static constexpr std::uint32_t no_name = ~std::uint32_t{0};

    explicit TextLookup(Table table) : table_(std::move(table)) {}

    // Add a text, or the text "name:value". What is added must stay at its address until settle().
    void add(std::string_view text) {
        if (text.size() > TextCache::longest) return add_long(text);
        push(text, 0, {});
    }
    void add(std::string_view name, std::uint32_t number, std::string_view value) {
        if (value.size() > TextCache::longest) return add_long(joined(name, value));
        push(value, number, name);
    }
    // Memory for a text of so many bytes, and a byte 0, until settle(); may call settle() before.
    char* memory(std::size_t size);
    std::string_view joined(std::string_view name, std::string_view value);

    // Write the numbers of everything that was added so far.
    void settle();
    void clear();
    std::size_t size() const { return ids_.size() + count_; }
    std::vector<StringId>& ids() { return ids_; }
    // Forget the numbers of names: others will have them.
    void forget_names() { cache_.clear(); }

private:
    static constexpr std::size_t lot = 256;

    void push(std::string_view text, std::uint32_t name, std::string_view name_text) {
        keys_[count_] = {text, name};
        names_[count_] = name_text;
        if (++count_ == lot) settle();
    }
    void add_long(std::string_view text);
    void look_up(std::span<const std::uint16_t> which, StringId* ids);

    const Table table_;
    TextCache cache_;
    std::vector<StringId> ids_;
    std::size_t count_ = 0;
    std::array<TextCache::Key, lot> keys_;
    std::array<std::string_view, lot> names_;  // or the whole of a long text
    Buffer<char> memory_;
    std::size_t used_ = 0, room_ = 0;
};

}  // namespace seqlab
