// Look up texts, many at a time: frequent short ones in a cache, the others in a table that the owner has.
//
// Waits for memory, and guesses of the processor that turn out wrong, would take most of the time. So texts are
// collected; then the slots of all of them in the cache are fetched, then all are compared, and then those that are
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

// Found: a StringId, negative for texts that are unknown; or the bits of another answer that never changes.
template <class Found>
class TextLookup {
public:
    // Finds up to `together` texts. A byte 0 stands behind each of them, as some tables want their keys.
    using Table = std::function<void(std::span<const std::string_view> texts, Found* found)>;
    static constexpr std::size_t together = StringPool::together;
    // Bytes that are readable before the end of a text which is added.
    static constexpr std::size_t before_end = ShortKey::longest;

    // A name is the first part of many texts. It has a number of its own, from 1 on and below no_name.
    static constexpr std::size_t longest_name = 48;
    static constexpr std::uint32_t no_name = ~std::uint32_t{0};

    explicit TextLookup(Table table) : table_(std::move(table)) {}

    // Add a text, or the text "name:value". What is added must stay at its address until settle().
    void add(std::string_view text) {
        if (text.size() > ShortKey::longest) return add_long(text);
        push(text, 0, text);
    }
    void add(std::string_view name, std::uint32_t number, std::string_view value) {
        if (value.size() > ShortKey::longest) return add_long(joined(name, value));
        push(value, number, name);
    }
    // Memory for a text of so many bytes, and a byte 0, until settle(); may call settle() before.
    char* memory(std::size_t size);
    std::string_view joined(std::string_view name, std::string_view value);

    // Find everything that was added so far.
    void settle();
    void clear();
    std::size_t size() const { return found_.size() + count_; }
    std::vector<Found>& found() { return found_; }
    // Forget the numbers of names: others will have them.
    void forget_names() { cache_.clear(); }

private:
    static constexpr std::size_t lot = 256;

    struct Waiting {
        const char* text;  // all of it that may be in the cache: a text, or the value of a name
        std::uint32_t size, name;
        std::string_view first;  // the whole text, or its name
    };

    void push(std::string_view text, std::uint32_t name, std::string_view first) {
        waiting_[count_] = {text.data(), static_cast<std::uint32_t>(text.size()), name, first};
        if (++count_ == lot) settle();
    }
    void add_long(std::string_view text);
    void look_up(std::span<const std::uint16_t> which, Found* found);

    const Table table_;
    TextCache<Found> cache_;
    std::vector<Found> found_;
    std::size_t count_ = 0;
    std::array<Waiting, lot> waiting_;
    std::array<ShortKey, lot> keys_;
    Buffer<char> memory_;
    std::size_t used_ = 0, room_ = 0;
};

extern template class TextLookup<StringId>;
extern template class TextLookup<std::uint64_t>;

}  // namespace seqlab
