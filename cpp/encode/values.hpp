// The values that an atom can take, numbered: a column's strings after the atom's functions.
//
// A function is applied once per distinct string, never per token: a corpus of a million tokens has some ten thousand
// strings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "encode/calls.hpp"
#include "encode/column.hpp"

namespace seqlab {

using ValueId = std::int32_t;

// The strings of one column seen in training. `known[code]` maps a string of another pool to its number here: new_word
// for a string not seen in training, unused for a string that no token of the current corpus has.
class Words {
public:
    static constexpr StringId new_word = -1;
    static constexpr StringId unused = -2;

    std::vector<StringId> learn(const ColumnView& column, std::size_t tokens);
    std::vector<StringId> look_up(const ColumnView& column, std::size_t tokens) const;
    const StringPool& pool() const { return pool_; }
    void restore(StringPool pool) { pool_ = std::move(pool); }

private:
    StringPool pool_;
};

// Symbols read outside a sentence, by distance: [0] is next to the sentence, the last serves all larger distances;
// nullopt makes the feature absent.
using Outside = std::vector<std::optional<std::string>>;

// The symbol at a distance of 1, 2, ... from the sentence.
inline ValueId outside(const std::vector<ValueId>& symbols, std::int64_t distance) {
    const auto i = static_cast<std::size_t>(distance - 1);
    return symbols[std::min(i, symbols.size() - 1)];
}

class Values {
public:
    // Atoms whose attributes may coincide share one pool (CRF++ macros without an identifier).
    Values(std::size_t column, std::vector<Call> calls, std::shared_ptr<StringPool> pool, Outside before,
           Outside after)
        : column_(column),
          calls_(std::move(calls)),
          pool_(std::move(pool)),
          before_text_(std::move(before)),
          after_text_(std::move(after)) {}

    std::size_t column() const { return column_; }
    const std::vector<Call>& calls() const { return calls_; }
    const StringPool& pool() const { return *pool_; }
    void restore(StringPool pool) { *pool_ = std::move(pool); }

    // Number the values of all words, and of the positions outside.
    void learn(const Words& words);
    // Look up the symbols outside a sentence in a pool that already contains them.
    void look_outside();
    const std::vector<ValueId>& before() const { return before_; }
    const std::vector<ValueId>& after() const { return after_; }
    // Value of a word seen in training, by its number, and of any other text.
    ValueId of_word(StringId word) const { return of_word_[static_cast<std::size_t>(word)]; }
    ValueId of_text(Stem& text) const {
        std::string value;
        return text.apply(calls_, value) ? pool_->find(value) : no_value;
    }
    // Values of up to StringPool::together texts; `room` has as many strings.
    void of_texts(std::span<Stem> texts, std::vector<std::string>& room, ValueId* values) const;
    // Value of every code of a column, given the numbers in Words of its strings.
    std::vector<ValueId> of_codes(const StringPool& strings, const std::vector<StringId>& known) const;

private:
    std::size_t column_;
    std::vector<Call> calls_;
    std::shared_ptr<StringPool> pool_;
    Outside before_text_, after_text_;
    std::vector<ValueId> of_word_;
    std::vector<ValueId> before_, after_;
};

}  // namespace seqlab
