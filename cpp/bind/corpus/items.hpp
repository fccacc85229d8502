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
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "base/text/string_pool.hpp"
#include "bind/python_objects.hpp"

namespace seqlab::bind {

class ItemReader {
public:
    // Writes the numbers of up to `together` texts, negative ones for those that are unknown. A byte 0 stands behind
    // each text, as some tables want their keys.
    using Lookup = std::function<void(std::span<const std::string_view> texts, StringId* ids)>;
    static constexpr std::size_t together = StringPool::together;
    enum class Zeros { kept, left_out };  // attributes with the weight 0

    // Numbers of texts must not change: the reader remembers some of them.
    ItemReader(Lookup look_up, Zeros zeros) : look_up_(std::move(look_up)), zeros_(zeros) {}
    // Numbers of a pool, which must outlive the reader.
    static Lookup adding_to(StringPool& pool);
    static Lookup found_in(const StringPool& pool);

    // Forget what was read.
    void clear();
    // Read one more sentence; false for an unusual shape.
    bool read(PyObject* tokens);
    // Look up the strings that are still waiting.
    void settle();

    // Token t has entries indptr[t] .. indptr[t + 1]; the code of an unknown string is negative.
    std::vector<std::int64_t>& indptr() { return indptr_; }
    std::vector<StringId>& codes() { return codes_; }
    // Empty while every weight is 1.
    std::vector<double>& weights() { return weights_; }
    // Leave out unknown strings; the others get the number number[code], and are left out where that is negative.
    void renumber(std::span<const std::int32_t> number);
    void drop_absent();

private:
    static constexpr std::size_t deepest = 32;  // of dicts in dicts

    // Keys of dicts that stand for an attribute by themselves, {"title": True}. They are the same few again and again,
    // mostly the same objects, so they are found by address; the text is compared, since an address may be used anew.
    struct Key {
        static constexpr std::size_t longest = 48;
        std::uint32_t size = longest + 1;
        StringId code = StringPool::absent;
        std::array<char, longest> text;
    };
    static constexpr std::size_t keys = 128;

    // Some entries of a dict, fetched from memory before they are read: values lie anywhere.
    struct Fetched {
        static constexpr std::size_t most = 32;
        PyObject* dict = nullptr;
        std::array<PyObject*, most> key, value;
        std::size_t count = 0;
        Py_ssize_t at = 0;  // where PyDict_Next goes on

        void begin(PyObject* from) {
            dict = from;
            at = 0;
            more();
        }
        bool more();
    };

    bool read_token(PyObject* token, std::size_t depth);
    bool read_list(PyObject* list);
    bool read_set(PyObject* set);
    bool read_dict(Fetched& entries, std::size_t depth);
    bool read_entry(PyObject* key, PyObject* value, std::size_t depth);
    bool read_number(PyObject* key, std::string_view name, PyObject* value);
    bool read_nested(std::string_view name, PyObject* value, std::size_t depth);

    template <class Number>
    void keep_numbered(Number number);
    // Set the weight of the next attribute.
    void weigh(double weight) {
        if (weight != 1.0 && !weighted_) {
            weighted_ = true;
            weights_.assign(size(), 1.0);
        }
        if (weighted_) weights_.push_back(weight);
    }
    void add(std::string_view text);  // must stay at its address until settle()
    void add_key(PyObject* object, std::string_view name);
    void add_pair(std::string_view name, std::string_view value);
    void add_code(StringId code) {
        lot_[in_lot_] = code;
        if (++in_lot_ == together) settle();
    }
    void wait(std::string_view text) {
        texts_[waiting_] = text;
        at_[waiting_++] = static_cast<std::uint8_t>(in_lot_);
        add_code(StringPool::absent);
    }
    std::size_t size() const { return codes_.size() + in_lot_; }
    char* joined(std::size_t size);

    const Lookup look_up_;
    const Zeros zeros_;
    std::vector<std::int64_t> indptr_{0};
    std::vector<StringId> codes_;
    std::vector<double> weights_;
    bool weighted_ = false;

    // The next entries, whose strings are looked up together: their waits for memory overlap.
    std::array<StringId, together> lot_;
    std::size_t in_lot_ = 0, waiting_ = 0;
    std::array<std::string_view, together> texts_;
    std::array<std::uint8_t, together> at_;  // in lot_
    std::string prefix_;                     // of the dicts around this one: "a:b:"
    Buffer<char> joined_;                    // memory of the texts that were joined here
    std::size_t used_ = 0, room_ = 0;        // of joined_
    std::array<Fetched, 2> fetched_;         // of this token and of the next one
    std::vector<Key> keys_{keys};
};

}  // namespace seqlab::bind
