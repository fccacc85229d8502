// Ready-made attributes as python-crfsuite takes them, read off Python's own lists and dicts. Only the usual shapes: a list
// or tuple of strings, a dict from strings to strings and numbers. For anything else (nested dicts, sets, wrong types)
// the answer is None, and Python, which knows all rules and all messages, starts anew.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>

#include "bind/batch.hpp"
#include "bind/strings.hpp"

namespace seqlab::bind {

namespace {

class Items {
public:
    explicit Items(StringPool& pool) : pool_(pool) {}

    bool read(PyObject* sentences) {
        for (Py_ssize_t s = 0; s < PyList_GET_SIZE(sentences); ++s) {
            PyObject* sentence = PyList_GET_ITEM(sentences, s);
            if (!is_list(sentence)) return false;
            const Py_ssize_t length = PySequence_Fast_GET_SIZE(sentence);
            lengths_.push_back(length);
            for (Py_ssize_t t = 0; t < length; ++t) {
                if (!read_item(PySequence_Fast_GET_ITEM(sentence, t))) return false;
                indptr_.push_back(static_cast<std::int64_t>(codes_.size()));
            }
        }
        return true;
    }

    nb::tuple result() {
        nb::object weights = nb::none();
        if (weighted_) weights = nb::cast(as_array(std::move(weights_)));
        return nb::make_tuple(as_array(std::move(indptr_)), as_array(std::move(codes_)), weights,
                              as_array(std::move(lengths_)));
    }

private:
    static bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

    bool read_item(PyObject* item) {
        if (PyDict_CheckExact(item)) return read_dict(item);
        if (!is_list(item)) return false;
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(item); ++i) {
            const Utf8 attribute = utf8_of(PySequence_Fast_GET_ITEM(item, i));
            if (!attribute.ok) return false;
            add(attribute.text, 1.0);
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
            joined_.assign(name);
            joined_ += ':';
            joined_ += text.text;
            add(joined_, 1.0);
            return true;
        }
        // Kinds of one's own might run Python code, which could change the lists that are being read.
        if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value) && !PyBool_Check(value)) return false;
        const double weight = PyFloat_AsDouble(value);
        if (PyErr_Occurred()) {  // an integer that no double holds
            PyErr_Clear();
            return false;
        }
        if (!std::isfinite(weight)) return false;
        add(name, weight);
        return true;
    }

    void add(std::string_view attribute, double weight) {
        codes_.push_back(pool_.intern(attribute));
        if (weight != 1.0 && !weighted_) {
            weighted_ = true;
            weights_.assign(codes_.size() - 1, 1.0);
        }
        if (weighted_) weights_.push_back(weight);
    }

    StringPool& pool_;
    std::vector<std::int64_t> indptr_{0};
    std::vector<StringId> codes_;
    std::vector<double> weights_;  // empty while every weight is 1
    std::vector<std::int64_t> lengths_;
    std::string joined_;
    bool weighted_ = false;
};

}  // namespace

void bind_items(nb::module_& m) {
    m.def(
        "intern_items",
        [](StringPool& pool, const nb::list& sentences) -> std::optional<nb::tuple> {
            Items items(pool);
            if (!items.read(sentences.ptr())) return std::nullopt;
            return items.result();
        },
        nb::sig("def intern_items(pool: StringPool, sentences: list[typing.Any]) -> tuple[typing.Any, "
                "typing.Any, "
                "typing.Any, typing.Any] | None"),
        "pool"_a, "sentences"_a, "(indptr, codes, weights or None, lengths), or None for an unusual shape.");
}

}  // namespace seqlab::bind
