// A bank of features: from columns of words to rows of attribute numbers, one number per feature and token.
//
// learn() gives every combination of values that occurs a number; look_up() finds those numbers again in other text and
// leaves out what learning never met. No attribute string is ever made: numbers of values stand for it (docs/decisions/0006).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "encode/feature.hpp"

namespace seqlab {

struct Reader;

// What a bank has learned.
struct Learned {
    // Attribute i has number ids[i] and the values values[i * atoms] ...
    struct Group {
        std::vector<AttributeId> ids;
        std::vector<ValueId> values;
    };

    std::vector<StringPool> words;  // one per column
    std::vector<StringPool> pools;  // one per Values; those that share one have it once, the others are empty
    std::vector<Group> groups;
};

class Bank {
public:
    // With `on_moves`, attributes belong to the move into a token, so the first token of a sentence has none.
    Bank(std::vector<Values> values, std::vector<Feature> features, std::size_t columns, bool on_moves);

    std::size_t stride() const { return features_.size(); }
    std::size_t columns() const { return words_.size(); }

    // Number what occurs: ids (tokens, stride) get numbers within their group, -1 where a feature has no value. Once.
    void learn(const TableView& table, std::int32_t* ids, std::size_t threads);
    // How often each attribute stands in those rows: the attributes of group 0 first, in order of first appearance, then
    // group 1, ...
    std::vector<std::int64_t> counts(const std::int32_t* ids, std::size_t tokens, std::size_t threads) const;
    std::vector<std::size_t> group_sizes() const;
    // Attributes get the numbers of `map`, in the order of counts(), -1 to forget one; so do the rows that learn() wrote,
    // which are packed. Returns how many entries they have.
    std::size_t number(const std::int32_t* map, std::int32_t* ids, std::size_t tokens, std::int64_t* indptr,
                       std::size_t threads);

    // Rows of attribute numbers of other text, packed. Returns how many entries they have.
    std::size_t look_up(const TableView& table, std::int32_t* ids, std::int64_t* indptr,
                        std::size_t threads) const;

    // Its parts, for tables of another kind (linear/tagging/build_tables.hpp).
    const std::vector<Values>& values() const { return values_; }
    const std::vector<Feature>& features() const { return features_; }
    const Attributes& group(std::size_t g) const { return groups_[g]; }
    const Words& words(std::size_t column) const { return words_[column]; }

    // What learn() and number() left behind, and the way back for a new bank of the same features.
    Learned learned() const;
    void restore(Learned learned);

    // f(attribute, group, values of its atoms as strings)
    template <class F>
    void each(F f) const;

private:
    std::vector<std::vector<std::size_t>> by_pool() const;
    std::vector<std::size_t> by_work() const;
    void learn_group(std::size_t group, const TableView& table, const std::vector<Reader>& readers,
                     std::int32_t* ids);
    std::vector<Reader> readers(const TableView& table,
                                const std::vector<std::vector<ValueId>>& of_code) const;

    std::vector<Values> values_;
    std::vector<Feature> features_;
    std::vector<Words> words_;  // one per column
    bool on_moves_;
    std::vector<Attributes> groups_;
};

template <class F>
void Bank::each(F f) const {
    std::vector<std::size_t> example(groups_.size());  // a feature of the group: it knows the pools
    for (std::size_t i = features_.size(); i-- > 0;) example[features_[i].group] = i;
    std::vector<std::string_view> texts;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const std::vector<Atom>& atoms = features_[example[g]].atoms;
        groups_[g].each([&](AttributeId attribute, const std::vector<ValueId>& numbers) {
            texts.clear();
            for (std::size_t a = 0; a < atoms.size(); ++a)
                texts.push_back(values_[atoms[a].values].pool().at(numbers[a]));
            f(attribute, g, texts);
        });
    }
}

}  // namespace seqlab
