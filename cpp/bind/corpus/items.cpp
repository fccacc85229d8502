// Ready-made attributes in the forms of python-crfsuite, read directly from Python's lists and dicts. Only the usual
// forms are read here: a list or tuple of strings, a dict from strings to strings and numbers. For anything else
// (nested dicts, sets, wrong types) the result is None, and the Python reader, which knows all rules and messages,
// starts again.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"

namespace seqlab::bind {

namespace {

enum class Unknown { added, left_out };

// Interns strings many at a time, so that their memory accesses overlap.
class Numbered {
public:
    Numbered(StringPool& pool, Unknown unknown) : pool_(pool), unknown_(unknown) { joined_.reserve(4096); }

    // The text must stay at its address until settle().
    void add(std::string_view text) {
        texts_[waiting_++] = text;
        if (waiting_ == texts_.size()) settle();
    }
    void add(std::string_view name, std::string_view value) {
        const std::size_t size = name.size() + 1 + value.size();
        if (joined_.size() + size > joined_.capacity()) {
            settle();
            joined_.reserve(size);
        }
        const std::size_t begin = joined_.size();
        joined_.append(name).append(1, ':').append(value);
        add(std::string_view(joined_).substr(begin));
    }
    void settle() {
        const std::size_t settled = codes_.size();
        const std::span<const std::string_view> texts(texts_.data(), waiting_);
        codes_.resize(settled + waiting_);
        if (unknown_ == Unknown::added)
            pool_.intern(texts, codes_.data() + settled);
        else
            pool_.find(texts, codes_.data() + settled);
        waiting_ = 0;
        joined_.clear();
    }

    std::size_t size() const { return codes_.size() + waiting_; }
    // Codes of the strings that settle() has looked up; absent for unknown strings.
    std::vector<StringId>& codes() { return codes_; }

private:
    StringPool& pool_;
    Unknown unknown_;
    std::array<std::string_view, StringPool::together> texts_;
    std::size_t waiting_ = 0;
    std::string joined_;  // memory of the texts that were joined here
    std::vector<StringId> codes_;
};

class Items {
public:
    Items(StringPool& pool, Unknown unknown) : attributes_(pool, unknown) {}

    bool read(PyObject* sentences) {
        const ListView all(sentences);
        for (Py_ssize_t s = 0; s < all.size(); ++s)
            if (!ListView::is_list(all[s]) || !read_sentence(ListView(all[s]))) return false;
        attributes_.settle();
        return true;
    }

    nb::tuple result() {
        drop_absent();
        nb::object weights = nb::none();
        if (weighted_) weights = nb::cast(as_array(std::move(weights_)));
        return nb::make_tuple(as_array(std::move(indptr_)), as_array(std::move(attributes_.codes())), weights,
                              as_array(std::move(lengths_)));
    }

private:
    bool read_sentence(const ListView& items) {
        lengths_.push_back(items.size());
        for (Py_ssize_t t = 0; t < items.size(); ++t) {
            if (!read_item(items[t])) return false;
            indptr_.push_back(static_cast<std::int64_t>(attributes_.size()));
        }
        return true;
    }

    bool read_item(PyObject* item) {
        if (PyDict_CheckExact(item)) return read_dict(item);
        if (!ListView::is_list(item)) return false;
        const ListView attributes(item);
        for (Py_ssize_t i = 0; i < attributes.size(); ++i) {
            const Utf8 attribute = utf8_of(attributes[i]);
            if (!attribute.ok) return false;
            weigh(1.0);
            attributes_.add(attribute.text);
        }
        return true;
    }

    bool read_dict(PyObject* item) {
        PyObject *key, *value;
        Py_ssize_t at = 0;
        while (PyDict_Next(item, &at, &key, &value)) {
            const Utf8 name = utf8_of(key);
            if (!name.ok || !read_entry(name.text, value)) return false;
        }
        return true;
    }

    bool read_entry(std::string_view name, PyObject* value) {
        if (PyUnicode_Check(value)) {
            const Utf8 text = utf8_of(value);
            if (!text.ok) return false;
            weigh(1.0);
            attributes_.add(name, text.text);
            return true;
        }
        // A number of another class may run Python code, during which pending texts could move.
        if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value) && !PyBool_Check(value)) return false;
        const double weight = PyFloat_AsDouble(value);
        if (PyErr_Occurred()) {  // an integer that no double holds
            PyErr_Clear();
            return false;
        }
        if (!std::isfinite(weight)) return false;
        weigh(weight);
        attributes_.add(name);
        return true;
    }

    // Set the weight of the next attribute.
    void weigh(double weight) {
        if (weight != 1.0 && !weighted_) {
            weighted_ = true;
            weights_.assign(attributes_.size(), 1.0);
        }
        if (weighted_) weights_.push_back(weight);
    }

    void drop_absent() {
        std::vector<StringId>& codes = attributes_.codes();
        std::size_t kept = 0, i = 0;
        for (std::size_t t = 1; t < indptr_.size(); ++t) {
            for (; i < static_cast<std::size_t>(indptr_[t]); ++i) {
                codes[kept] = codes[i];
                if (weighted_) weights_[kept] = weights_[i];
                kept += codes[i] != StringPool::absent;
            }
            indptr_[t] = static_cast<std::int64_t>(kept);
        }
        codes.resize(kept);
        if (weighted_) weights_.resize(kept);
    }

    Numbered attributes_;
    std::vector<std::int64_t> indptr_{0};
    std::vector<double> weights_;  // empty while every weight is 1
    std::vector<std::int64_t> lengths_;
    bool weighted_ = false;
};

std::optional<nb::tuple> read_items(StringPool& pool, const nb::list& sentences, Unknown unknown) {
    Items items(pool, unknown);
    if (!items.read(sentences.ptr())) return std::nullopt;
    return items.result();
}

}  // namespace

void bind_items(nb::module_& m) {
    m.def(
        "intern_items",
        [](StringPool& pool, const nb::list& sentences) {
            return read_items(pool, sentences, Unknown::added);
        },
        nb::sig("def intern_items(pool: StringPool, sentences: list[typing.Any]) -> tuple[typing.Any, "
                "typing.Any, typing.Any, typing.Any] | None"),
        "pool"_a, "sentences"_a, "(indptr, codes, weights or None, lengths), or None for an unusual shape.");
    m.def(
        "find_items",
        [](StringPool& pool, const nb::list& sentences) {
            return read_items(pool, sentences, Unknown::left_out);
        },
        nb::sig("def find_items(pool: StringPool, sentences: list[typing.Any]) -> tuple[typing.Any, "
                "typing.Any, typing.Any, typing.Any] | None"),
        "pool"_a, "sentences"_a, "As intern_items, but without adding strings: unknown ones are left out.");
}

}  // namespace seqlab::bind
