// A bank of features: from columns of words to rows of attribute numbers, one number per feature and token.
//
// learn() numbers every combination of values that occurs; look_up() finds those numbers in other text and skips
// combinations not seen in training. No attribute string is ever made: numbers of values represent it
// (docs/decisions/0006).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "encode/feature.hpp"

namespace seqlab {

struct Reader;

// The learned tables of a bank, as stored in a model file.
struct Learned {
    // Attribute i has number ids[i] and the values values[i * atoms] ...
    struct Group {
        std::vector<AttributeId> ids;
        std::vector<ValueId> values;
    };

    std::vector<StringPool> words;  // one per column
    std::vector<StringPool> pools;  // one per Values; a shared pool is stored once, and the others are empty
    std::vector<Group> groups;
};

// Counts of the attributes of each group, and when each was seen first: the features of a group count one after
// another, as learn() goes through them, and tokens within a feature.
struct Tally {
    std::vector<std::vector<std::int64_t>> counts, first;
};

class Bank {
public:
    // With `on_moves`, attributes belong to the transition into a token, so the first token of a sentence has none.
    Bank(std::vector<Values> values, std::vector<Feature> features, std::size_t columns, bool on_moves);

    std::size_t stride() const { return features_.size(); }
    std::size_t columns() const { return words_.size(); }

    // Number all attributes that occur: ids (tokens, stride) get numbers within their group, -1 where a feature has no
    // value. Called once.
    void learn(const TableView& table, std::int32_t* ids, std::size_t threads);
    // For a corpus that comes in blocks: number all its strings first, then learn() each block and add its rows to a
    // tally; `begin` is the number of the block's first token. forget() drops the attributes, not the strings.
    void learn_words(const TableView& strings);
    void add_to(Tally& tally, const std::int32_t* ids, std::size_t tokens, std::size_t begin) const;
    void forget();
    // Count each attribute in those rows: the attributes of group 0 first, in order of first appearance, then group 1,
    // ...
    std::vector<std::int64_t> counts(const std::int32_t* ids, std::size_t tokens, std::size_t threads) const;
    std::vector<std::size_t> group_sizes() const;
    // Renumber the attributes by `map`, in the order of counts(), -1 to drop one; the rows that learn() wrote are
    // renumbered and packed as well. Returns the number of entries left.
    std::size_t number(const std::int32_t* map, std::int32_t* ids, std::size_t tokens, std::int64_t* indptr,
                       std::size_t threads);

    // Write packed rows of attribute numbers of other text. Returns the number of entries.
    std::size_t look_up(const TableView& table, std::int32_t* ids, std::int64_t* indptr,
                        std::size_t threads) const;

    // Access to the parts, to build other tables from them (linear/tagging/build_tables.hpp).
    const std::vector<Values>& values() const { return values_; }
    const std::vector<Feature>& features() const { return features_; }
    const Attributes& group(std::size_t g) const { return groups_[g]; }
    const Words& words(std::size_t column) const { return words_[column]; }

    // Export the result of learn() and number(), and restore it in a new bank of the same features.
    Learned learned() const;
    void restore(Learned learned);

    // Call f(attribute, group, values of its atoms as strings) for every attribute.
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
    std::vector<std::size_t> example(
        groups_.size());  // one feature of each group, which has the pools of the group
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
