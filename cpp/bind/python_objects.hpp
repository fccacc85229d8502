// Python's lists, tuples and strings, read in place. The stable ABI hides their layout in memory: a module built for it
// calls Python for each item instead (docs/decisions/0019-wheels.md has the cost).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
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
