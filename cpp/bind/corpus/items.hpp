// Ready-made attributes in the forms of python-crfsuite, read directly from Python's own objects: the one way from them
// to numbers of strings.
//
// A token is a list, tuple or set of strings, or a dict from strings to strings, numbers, and such lists and dicts. For
// anything else (objects of other classes, wrong types, lone surrogates) reading ends, and the Python reader, which
// knows all rules and messages, starts again. No Python code runs meanwhile: the caller holds the GIL and pauses the
// garbage collector, so that nothing moves or disappears.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/string_pool.hpp"
#include "base/text/text_lookup.hpp"
#include "bind/python_objects.hpp"

namespace seqlab::bind {

class ItemReader {
public:
    enum class Zeros { kept, left_out };  // attributes with the weight 0

    ItemReader(TextLookup::Table table, Zeros zeros) : lookup_(std::move(table)), zeros_(zeros) {}
    // Numbers of a pool, which must outlive the reader.
    static TextLookup::Table adding_to(StringPool& pool);
    static TextLookup::Table found_in(const StringPool& pool);

    // Forget what was read.
    void clear();
    // Read one more sentence; false for an unusual shape.
    bool read(PyObject* tokens);
    // Look up the strings that are still waiting.
    void settle() { lookup_.settle(); }

    // Token t has entries indptr[t] .. indptr[t + 1]; the code of an unknown string is negative.
    std::vector<std::int64_t>& indptr() { return indptr_; }
    std::vector<StringId>& codes() { return lookup_.ids(); }
    // Empty while every weight is 1.
    std::vector<double>& weights() { return weights_; }
    // Leave out unknown strings.
    void drop_absent();

private:
    static constexpr std::size_t deepest = 32;  // of dicts in dicts

    // Keys of dicts have few texts, in many objects or in one: they are found by the hash that Python has computed.
    struct Name {
        static constexpr std::size_t longest = TextLookup::longest_name, tries = 8;
        std::uint64_t hash = 0;
        std::uint32_t number = 0;  // 0: not taken
        std::uint32_t size = 0;
        std::array<char, longest> text;

        std::string_view view() const { return {text.data(), size}; }
    };
    static constexpr std::size_t names = 512;

    bool read_token(PyObject* token, std::size_t depth);
    bool read_list(PyObject* list);
    bool read_set(PyObject* set);
    bool read_dict(PyObject* dict, std::size_t depth);
    bool read_entry(PyObject* key, PyObject* value, std::size_t depth);
    bool read_number(PyObject* key, PyObject* value);
    bool read_nested(PyObject* key, PyObject* value, std::size_t depth);

    // Set the weight of the next attribute.
    void weigh(double weight) {
        if (weight != 1.0 && !weighted_) {
            weighted_ = true;
            weights_.assign(lookup_.size(), 1.0);
        }
        if (weighted_) weights_.push_back(weight);
    }
    // Add the attribute of a string; false for what is none.
    bool add(PyObject* text);
    bool add_pair(PyObject* key, PyObject* value);
    void add(std::string_view text);
    // Null for names that have no number.
    const Name* known_name(PyObject* key);

    TextLookup lookup_;
    const Zeros zeros_;
    std::vector<std::int64_t> indptr_{0};
    std::vector<double> weights_;
    bool weighted_ = false;
    std::string prefix_;  // of the dicts around this one: "a:b:"
    std::vector<Name> names_{names};
    std::uint32_t numbers_ = 0;  // given to names
};

}  // namespace seqlab::bind
