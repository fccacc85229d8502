#include "bind/corpus/strings.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "base/text/utf8.hpp"
#include "bind/batch.hpp"

namespace seqlab::bind {

Utf8 utf8_of_any(PyObject* object) {
    if (!PyUnicode_Check(object)) return {{}, false};
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text) {
        PyErr_Clear();
        return {{}, false};
    }
    return {{text, static_cast<std::size_t>(length)}, true};
}

nb::object as_str(std::string_view text) {
    // Strings in a mapped file may have been changed there; all others are valid UTF-8.
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

namespace {

nb::list strings_of(const StringPool& pool) {
    const auto size = static_cast<Py_ssize_t>(pool.size());
    nb::object list = nb::steal(PyList_New(size));
    for (Py_ssize_t i = 0; i < size; ++i)
        set_item(list.ptr(), i, as_str(pool.at(static_cast<StringId>(i))).release().ptr());
    return nb::borrow<nb::list>(list);
}

// [values[c] for c in codes[begin:end]], None where the code is negative
nb::list gather(const nb::list& values, const In<StringId>& codes, std::size_t begin, std::size_t end) {
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(end - begin)));
    const ListView from(values.ptr());
    for (std::size_t i = begin; i < end; ++i) {
        const StringId code = codes.data()[i];
        PyObject* value = code < 0 ? Py_None : from[code];
        Py_INCREF(value);
        set_item(list.ptr(), static_cast<Py_ssize_t>(i - begin), value);
    }
    return nb::borrow<nb::list>(list);
}

// Gather the values of every range offsets[i] .. offsets[i + 1].
nb::list gather_all(const nb::list& values, const In<StringId>& codes, const In<std::int64_t>& offsets) {
    const std::size_t size = offsets.size() - 1;
    const NoCollection pause;
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(size)));
    for (std::size_t i = 0; i < size; ++i) {
        const auto begin = static_cast<std::size_t>(offsets.data()[i]);
        const auto end = static_cast<std::size_t>(offsets.data()[i + 1]);
        set_item(list.ptr(), static_cast<Py_ssize_t>(i), gather(values, codes, begin, end).release().ptr());
    }
    return nb::borrow<nb::list>(list);
}

// Return a pool of these strings, or None when the arrays do not form one: invalid UTF-8, or a repeated string.
nb::object pool_of(const In<std::uint8_t>& bytes, const In<std::int64_t>& begins) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    StringPool pool;
    pool.reserve(begins.size() > 0 ? begins.size() - 1 : 0, bytes.size());  // as large as one that has grown
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
        const std::int64_t begin = begins.data()[i], end = begins.data()[i + 1];
        if (begin < 0 || end < begin || static_cast<std::size_t>(end) > text.size()) return nb::none();
        const auto one = text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        if (first_bad_utf8(one) != one.size()) return nb::none();
        if (pool.intern(one) != static_cast<StringId>(i)) return nb::none();
    }
    return nb::cast(std::move(pool));
}

// Keep Python objects alive for C++ code that may release them without holding the GIL.
std::shared_ptr<const void> owner_of(nb::object objects) {
    return {objects.release().ptr(), [](const void* kept) {
                if (!Py_IsInitialized()) return;
                const PyGILState_STATE state = PyGILState_Ensure();
                Py_DECREF(static_cast<PyObject*>(const_cast<void*>(kept)));
                PyGILState_Release(state);
            }};
}

StringPool laid_pool(const In<std::uint8_t>& bytes, const In<std::int64_t>& begins,
                     const In<std::uint64_t>& slots) {
    nb::object kept = nb::make_tuple(bytes, begins, slots);
    return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()},
            {begins.data(), begins.size()},
            {slots.data(), slots.size()},
            owner_of(std::move(kept))};
}

}  // namespace

void bind_strings(nb::module_& m) {
    nb::class_<StringPool>(m, "StringPool", "Distinct strings, numbered in order of first appearance.")
        .def(nb::init<>())
        .def("__len__", &StringPool::size)
        .def(
            "find",
            [](const StringPool& pool, nb::handle text) {
                const Utf8 wanted = utf8_of(text.ptr());
                return wanted.ok ? pool.find(wanted.text) : StringPool::absent;
            },
            "text"_a, "Number of the string; -1 if the pool does not have it.")
        .def(
            "intern",
            [](StringPool& pool, nb::handle text) {
                const Utf8 wanted = utf8_of(text.ptr());
                return wanted.ok ? pool.intern(wanted.text) : StringPool::absent;
            },
            "text"_a, "Number of the string, which is added if it is new; -1 if it is no string.")
        .def("intern_lists", &intern_lists, "sequences"_a, "missing"_a = false,
             nb::sig("def intern_lists(self, sequences: list[typing.Any], missing: bool = False) -> "
                     "tuple[typing.Any, typing.Any, int, int]"),
             "(codes, lengths, -1, -1); or (None, None, sequence, position) of what is no string, position "
             "-1 for what is no list. With `missing`, None has the code -1.")
        .def("strings", &strings_of, nb::sig("def strings(self) -> list[str]"), "All strings, as str.")
        .def(
            "string", [](const StringPool& pool, StringId id) { return as_str(pool.at(id)); }, "id"_a,
            nb::sig("def string(self, id: int) -> str"))
        .def(
            "chosen",
            [](const StringPool& pool, const In<StringId>& ids) {
                const std::span<const StringId> wanted(ids.data(), ids.size());
                for (const StringId id : wanted)
                    if (static_cast<std::size_t>(id) >= pool.size())
                        throw nb::index_error("a number of no string");
                return pool.chosen(wanted);
            },
            "ids"_a.noconvert(), nb::sig("def chosen(self, ids: NDArray[numpy.int32]) -> StringPool"),
            "A pool of the strings with these numbers, in this order.")
        .def(
            "arrays",
            [](const StringPool& pool) {
                std::vector<std::uint8_t> bytes(pool.bytes().begin(), pool.bytes().end());
                std::vector<std::int64_t> begins(pool.begins().begin(), pool.begins().end());
                return nb::make_tuple(as_array(std::move(bytes)), as_array(std::move(begins)));
            },
            nb::sig("def arrays(self) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]"),
            "UTF-8 bytes of all strings, and the offset of each, then of the end.")
        .def(
            "slots",
            [](const StringPool& pool) {
                return as_array(std::vector<std::uint64_t>(pool.slots().begin(), pool.slots().end()));
            },
            nb::sig("def slots(self) -> NDArray[numpy.uint64]"), "The hash table from strings to numbers.");
    m.def("laid_pool", &laid_pool, "bytes"_a.noconvert(), "begins"_a.noconvert(), "slots"_a.noconvert(),
          nb::sig("def laid_pool(bytes: NDArray[numpy.uint8], begins: NDArray[numpy.int64], slots: "
                  "NDArray[numpy.uint64]) -> StringPool"),
          "A pool from its arrays() and slots(), without a copy.");
    m.def("pool_of", &pool_of, "bytes"_a.noconvert(), "begins"_a.noconvert(),
          nb::sig("def pool_of(bytes: NDArray[numpy.uint8], begins: NDArray[numpy.int64]) -> typing.Any"),
          "A pool of these strings; None when they are not sound UTF-8, or one occurs twice.");
    m.def("gather", &gather, "values"_a, "codes"_a.noconvert(), "begin"_a, "end"_a,
          nb::sig("def gather(values: list[str], codes: NDArray[numpy.int32], begin: int, end: int) -> "
                  "list[typing.Any]"));
    m.def("gather_all", &gather_all, "values"_a, "codes"_a.noconvert(), "offsets"_a.noconvert(),
          nb::sig("def gather_all(values: list[str], codes: NDArray[numpy.int32], offsets: "
                  "NDArray[numpy.int64]) -> list[list[typing.Any]]"));
}

}  // namespace seqlab::bind
