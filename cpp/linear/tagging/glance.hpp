// The labels of a few tokens, straight from the arrays of a model file, before anything is built of them.
//
// Who tags one sentence with a large model would wait for tables of which a few rows are needed. Here the strings and
// the attributes that a few tokens ask for are looked for in the arrays as they lie there: one pass over each for all
// that is asked at once. Nothing is believed: a number is checked before it is followed, and when anything is odd,
// there is no answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text/string_pool.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

// Strings end to end: string i from begins[i] to begins[i + 1].
struct LaidStrings {
    std::span<const std::uint8_t> bytes;
    std::span<const std::int64_t> begins;
};

// The attributes of features that are named alike: row i of `values` has the numbers of its strings, each in the pool of
// its place, and ids[i] is the attribute's own number.
struct LaidAttributes {
    std::vector<std::size_t> pools;
    std::span<const std::int32_t> ids;
    std::span<const std::int32_t> values;
};

// float64 or float32, as the file has them.
struct LaidNumbers {
    const double* wide = nullptr;
    const float* narrow = nullptr;
    std::size_t size = 0;

    double at(std::size_t i) const { return wide ? wide[i] : static_cast<double>(narrow[i]); }
};

// Weights of attribute a with labels: begin[a] .. begin[a + 1). Rules are 0 or 1 for each move, first and last label.
struct LaidChain {
    std::size_t L = 0;
    std::span<const std::int64_t> begin;
    std::span<const Label> label;
    LaidNumbers weights;
    LaidNumbers moves;
    std::span<const std::uint8_t> forbidden, no_start, no_end;
};

// What a feature reads at a token: the values of one attribute.
struct Reading {
    std::size_t token;
    std::size_t group;
    std::vector<std::string_view> values;
};

class Glance {
public:
    // Borrows the arrays, which must outlive this object.
    Glance(std::vector<LaidStrings> strings, std::vector<LaidAttributes> groups, LaidChain chain);

    // The labels of the best paths of sentences with these lengths, one after another. Nothing when numbers are odd, when
    // a sentence has no path, or when its two best paths score so nearly alike that another order of summing might choose
    // the other one.
    std::optional<std::vector<Label>> labels(std::span<const Reading> readings,
                                             std::span<const std::size_t> lengths);

private:
    using Codes = std::vector<StringId>;

    void find_strings(std::span<const Reading> readings);
    void find_attributes(std::span<const Reading> readings);
    std::optional<Codes> codes_of(const Reading& reading) const;
    bool add_weights(std::int32_t attribute, double* scores) const;
    bool fits() const;
    bool make_moves();
    bool best(std::span<double> node, std::size_t length, Label* path) const;

    std::vector<LaidStrings> strings_;
    std::vector<LaidAttributes> groups_;
    LaidChain chain_;
    std::vector<double> moves_;
    // What has been looked for so far, with the number that it was found to have.
    std::vector<std::unordered_map<std::string, StringId>> met_;
    std::vector<std::map<Codes, std::int32_t>> attributes_;
};

}  // namespace seqlab
