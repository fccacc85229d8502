// Features as the encoder knows them: atoms, and the table from their values to attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "encode/pair_table.hpp"
#include "encode/values.hpp"

namespace seqlab {

using AttributeId = std::int32_t;

// A value at an offset from the token, or at a fixed place of the sentence (from its end when negative).
struct Atom {
    std::size_t values;
    std::int64_t offset;
    bool absolute;
};

// Features of one group write the same attributes: the same pieces of text round their values.
struct Feature {
    std::vector<Atom> atoms;
    std::size_t group;
};

// The attributes of one group: which combinations of values were met, and their numbers.
//
// One value is looked up in an array. More are folded from the left: a pair of values is a number, that number and
// the next value are a pair again.
class Attributes {
public:
    explicit Attributes(std::size_t atoms) : atoms_(atoms), chain_(atoms > 1 ? atoms - 1 : 0) {}

    std::size_t atoms() const { return atoms_; }
    // How many numbers were given out; after renumber() it is still that.
    std::size_t size() const { return atoms_ <= 1 ? count_ : chain_.back().size(); }

    AttributeId intern_value(ValueId value);
    AttributeId find_value(ValueId value) const {
        const auto i = static_cast<std::size_t>(value);
        return i < of_value_.size() ? of_value_[i] : no_value;
    }
    PairTable& link(std::size_t i) { return chain_[i]; }
    const PairTable& link(std::size_t i) const { return chain_[i]; }

    // The attribute of these values, one for each atom, gets this number.
    void put(AttributeId attribute, const ValueId* values);
    // So many attributes will be put.
    void reserve(std::size_t count) {
        if (!chain_.empty()) chain_.back().reserve(count);
    }
    // These values will be put soon: bring their slot near.
    void prefetch(const ValueId* values) const {
        if (!chain_.empty()) chain_.front().prefetch({values[0], values[1]});
    }
    // Numbers become map[number]; -1 forgets the attribute.
    void renumber(const std::int32_t* map);
    // f(attribute, values of its atoms) for every attribute that was not forgotten.
    template <class F>
    void each(F f) const;

private:
    std::size_t atoms_;
    std::size_t count_ = 0;
    std::vector<AttributeId> of_value_;  // a feature without atoms has one value, 0
    std::vector<PairTable> chain_;
};

template <class F>
void Attributes::each(F f) const {
    std::vector<ValueId> values(atoms_);
    if (atoms_ <= 1) {
        for (std::size_t v = 0; v < of_value_.size(); ++v) {
            if (of_value_[v] == no_value) continue;
            if (atoms_) values[0] = static_cast<ValueId>(v);
            f(of_value_[v], values);
        }
        return;
    }
    // The way back through the chain: which pair made a number.
    std::vector<std::vector<Pair>> made(chain_.size());
    for (std::size_t i = 0; i + 1 < chain_.size(); ++i) {
        made[i].resize(chain_[i].size());
        chain_[i].each([&](Pair key, std::int32_t n) { made[i][static_cast<std::size_t>(n)] = key; });
    }
    chain_.back().each([&](Pair key, std::int32_t attribute) {
        if (attribute == no_value) return;
        for (std::size_t i = chain_.size(); i-- > 0;) {
            values[i + 1] = key.second;
            if (i == 0)
                values[0] = key.first;
            else
                key = made[i - 1][static_cast<std::size_t>(key.first)];
        }
        f(attribute, values);
    });
}

}  // namespace seqlab
