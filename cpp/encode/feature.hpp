// Features of the encoder: atoms, and the table from their values to attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "encode/pair_table.hpp"
#include "encode/values.hpp"

namespace seqlab {

using AttributeId = std::int32_t;

// A value at an offset from the token, or at a fixed position of the sentence (counted from its end when negative).
struct Atom {
    std::size_t values;
    std::int64_t offset;
    bool absolute;
};

// Features of one group write the same attribute strings: the same pieces of text around their values.
struct Feature {
    std::vector<Atom> atoms;
    std::size_t group;
};

// The attributes of one group: the combinations of values seen in training, and their numbers.
//
// A single value is looked up in an array. Several values are folded from the left: a pair of values gets a number, and
// that number and the next value form a pair again.
class Attributes {
public:
    explicit Attributes(std::size_t atoms) : atoms_(atoms), chain_(atoms > 1 ? atoms - 1 : 0) {}

    std::size_t atoms() const { return atoms_; }
    // Count of numbers given out, unchanged by renumber().
    std::size_t size() const { return atoms_ <= 1 ? count_ : chain_.back().size(); }

    AttributeId intern_value(ValueId value);
    AttributeId find_value(ValueId value) const {
        const auto i = static_cast<std::size_t>(value);
        return i < of_value_.size() ? of_value_[i] : no_value;
    }
    PairTable& link(std::size_t i) { return chain_[i]; }
    const PairTable& link(std::size_t i) const { return chain_[i]; }

    // Set the number of the attribute with these values, one for each atom.
    void put(AttributeId attribute, const ValueId* values);
    // Reserve space for this many attributes.
    void reserve(std::size_t count) {
        if (!chain_.empty()) chain_.back().reserve(count);
    }
    // Prefetch the slot of values that will be put soon.
    void prefetch(const ValueId* values) const {
        if (!chain_.empty()) chain_.front().prefetch({values[0], values[1]});
    }
    // Replace each number by map[number]; -1 drops the attribute.
    void renumber(const std::int32_t* map);
    // Call f(attribute, values of its atoms) for every attribute that was not dropped.
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
    // Invert the chain: the pair behind each number.
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
