// Python's lists, tuples, dicts and strings, read in place. The stable ABI hides their layout in memory: a module built
// for it calls Python for each item instead (docs/decisions/0019-wheels.md has the cost).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace seqlab::bind {

// A borrowed list or tuple, which must not change while the view is in use.
class ListView {
public:
    static bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

#ifdef Py_LIMITED_API
    explicit ListView(PyObject* list)
        : list_(list), size_(Py_SIZE(list)), item_(PyList_Check(list) ? PyList_GetItem : PyTuple_GetItem) {}
    Py_ssize_t size() const { return size_; }
    PyObject* operator[](Py_ssize_t i) const { return item_(list_, i); }

private:
    PyObject* list_;
    Py_ssize_t size_;
    PyObject* (*item_)(PyObject*, Py_ssize_t);
#else
    explicit ListView(PyObject* list)
        : items_(PySequence_Fast_ITEMS(list)), size_(PySequence_Fast_GET_SIZE(list)) {}
    Py_ssize_t size() const { return size_; }
    PyObject* operator[](Py_ssize_t i) const { return items_[i]; }

private:
    PyObject** items_;
    Py_ssize_t size_;
#endif
};

// Call f(key, value) for the entries of a dict of no other class, in their order, until it returns false; returns
// whether it never did. f must not change the dict, nor run Python code that may.
template <class F>
bool each_entry(PyObject* dict, F f) {
#if !defined(Py_LIMITED_API) && !defined(Py_GIL_DISABLED) && PY_VERSION_HEX < 0x030D0000
    // The table of a dict whose keys are all strings, as CPython 3.11 and 3.12 lay it out: this head, indices, entries.
    // A call of PyDict_Next for every entry would take as long as finding its attribute.
    struct Table {
        Py_ssize_t references;
        std::uint8_t log2_size, log2_index_bytes, kind;
        std::uint32_t version;
        Py_ssize_t usable, entries;
    };
    struct Entry {
        PyObject *key, *value;  // no value: deleted
    };
    constexpr std::uint8_t strings = 1;
    const auto* const own = reinterpret_cast<PyDictObject*>(dict);
    const auto* const table = reinterpret_cast<const Table*>(own->ma_keys);
    if (table->kind == strings && !own->ma_values) {
        const auto* const indices = reinterpret_cast<const char*>(table + 1);
        const auto* entry =
            reinterpret_cast<const Entry*>(indices + (std::size_t{1} << table->log2_index_bytes));
        for (const auto* const end = entry + table->entries; entry < end; ++entry)
            if (entry->value && !f(entry->key, entry->value)) return false;
        return true;
    }
#endif
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);)
        if (!f(key, value)) return false;
    return true;
}

// Set an item of a new list, which takes over the reference.
inline void set_item(PyObject* list, Py_ssize_t i, PyObject* item) {
#ifdef Py_LIMITED_API
    PyList_SetItem(list, i, item);
#else
    PyList_SET_ITEM(list, i, item);
#endif
}

// Pauses Python's garbage collector, which may run any code. It would also scan new lists again and again, though none
// can be garbage yet.
class NoCollection {
public:
    NoCollection() : was_on_(PyGC_Disable() != 0) {}
    ~NoCollection() {
        if (was_on_) PyGC_Enable();
    }
    NoCollection(const NoCollection&) = delete;
    NoCollection& operator=(const NoCollection&) = delete;

private:
    bool was_on_;
};

// The bytes of a Python string, valid as long as the string lives; ok is false for other objects and for lone
// surrogates.
struct Utf8 {
    std::string_view text;
    bool ok;
};
Utf8 utf8_of_any(PyObject* object);
inline Utf8 utf8_of(PyObject* object) {
#ifndef Py_LIMITED_API
    // Most strings are ASCII, whose bytes can be read in place; a call into Python would cost as much as the rest.
    if (PyUnicode_CheckExact(object) && PyUnicode_IS_COMPACT_ASCII(object))
        return {{reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(object) + 1),
                 static_cast<std::size_t>(PyUnicode_GET_LENGTH(object))},
                true};
#endif
    return utf8_of_any(object);
}

}  // namespace seqlab::bind
