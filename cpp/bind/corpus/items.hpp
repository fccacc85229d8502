// Ready-made attributes in the forms of python-crfsuite, read directly from Python's own objects: the one way from them
// to what a model has for their strings.
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

// Treatment of attributes with the weight 0.
enum class Zeros { kept, left_out };

// Found: what a table has for a string (TextLookup).
template <class Found>
class ItemReader {
public:
    ItemReader(typename TextLookup<Found>::Table table, Zeros zeros)
        : lookup_(std::move(table)), zeros_(zeros) {}
    // Forget what was read.
    void clear();
    // Read one more sentence; false for an unusual shape, which may be noticed later.
    bool read(PyObject* tokens);
    // Look up the strings that are still waiting; false if anything was unusual.
    bool settle();

    // Token t has entries indptr[t] .. indptr[t + 1].
    std::vector<std::int64_t>& indptr() { return indptr_; }
    std::vector<Found>& found() { return lookup_.found(); }
    // Empty while every weight is 1.
    std::vector<double>& weights() { return weights_; }

private:
    static constexpr std::size_t deepest = 32;  // of dicts in dicts

    // Keys of dicts have few texts, in many objects or in one: they are found by the hash that Python has computed.
    struct Name {
        static constexpr std::size_t longest = TextLookup<Found>::longest_name, tries = 8;
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
            weights_.assign(size(), 1.0);
        }
        if (weighted_) weights_.push_back(weight);
    }
    // Add the attribute of a string; false for what is none.
    bool add(PyObject* text);
    bool add_pair(PyObject* key, PyObject* value);
    void add_copy(std::string_view text);
    void add_strings();
    std::size_t size() const { return lookup_.size() + strings_count_; }
    // Null for names that have no number.
    const Name* known_name(PyObject* key);

    TextLookup<Found> lookup_;
    const Zeros zeros_;
    std::vector<std::int64_t> indptr_{0};
    std::vector<double> weights_;
    bool weighted_ = false, usual_ = true;
    std::array<PyObject*, 128> strings_;  // of lists, not looked at yet
    std::size_t strings_count_ = 0;
    std::string prefix_;  // of the dicts around this one: "a:b:"
    std::vector<Name> names_{names};
    std::uint32_t numbers_ = 0;  // given to names
};

extern template class ItemReader<StringId>;
extern template class ItemReader<std::uint64_t>;

}  // namespace seqlab::bind
