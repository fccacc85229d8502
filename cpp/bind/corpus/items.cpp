#include "bind/corpus/items.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text/short_text.hpp"
#include "base/text/utf8.hpp"
#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"

namespace seqlab::bind {

namespace {

// The text of a str or of bytes; false for anything else, and for what UTF-8 cannot write.
bool text_of(PyObject* object, std::string_view& text) {
    if (!PyBytes_CheckExact(object)) {
        const Utf8 found = utf8_of(object);
        text = found.text;
        return found.ok;
    }
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    PyBytes_AsStringAndSize(object, &bytes, &size);
    text = {bytes, static_cast<std::size_t>(size)};
    return first_bad_utf8(text) == text.size();
}

// The text of an ordinary string, as TextLookup wants it; null for others. Most strings are ASCII, and their text
// stands behind a header, which is readable.
std::string_view ready_text(PyObject* object) {
#ifndef Py_LIMITED_API
    if constexpr (sizeof(PyASCIIObject) >= ShortKey::longest)
        if (PyUnicode_CheckExact(object) && PyUnicode_IS_COMPACT_ASCII(object)) return utf8_of(object).text;
#endif
    static_cast<void>(object);
    return {};
}

bool is_text(PyObject* object) {
    return PyUnicode_Check(object) || PyBytes_CheckExact(object);
}

// Others may have an __iter__ of their own.
bool is_plain_list(PyObject* object) {
    return PyList_CheckExact(object) || PyTuple_CheckExact(object);
}

bool is_plain_set(PyObject* object) {
    return PySet_CheckExact(object) || PyFrozenSet_CheckExact(object);
}

// Numbers of NumPy, which run no Python code when they are read. Classes of Python programs are never static types.
bool is_numpy_number(PyObject* object) {
#ifndef Py_LIMITED_API
    const PyTypeObject* const type = Py_TYPE(object);
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) return false;
    const std::string_view name = type->tp_name;
    for (const std::string_view kind : {"numpy.float", "numpy.int", "numpy.uint", "numpy.bool"})
        if (name.substr(0, kind.size()) == kind) return true;
#endif
    return false;
}

void prefetch(const void* memory, std::size_t lines) {
    for (std::size_t line = 0; line < lines; ++line)
        __builtin_prefetch(static_cast<const char*>(memory) + 64 * line);
}

// Fetch the tokens that come soon, in the order of what leads to their strings. A program has made them one by one, so
// they lie anywhere in memory.
void prefetch_tokens(const ListView& tokens, Py_ssize_t t) {
#ifndef Py_LIMITED_API
    if (t + 8 < tokens.size()) prefetch(tokens[t + 8], 1);
    if (PyObject* const token = t + 4 < tokens.size() ? tokens[t + 4] : nullptr) {
        if (PyDict_CheckExact(token))
            prefetch(reinterpret_cast<PyDictObject*>(token)->ma_keys, 6);
        else if (is_plain_list(token))
            prefetch(PySequence_Fast_ITEMS(token), 3);
    }
#else
    static_cast<void>(tokens);
    static_cast<void>(t);
#endif
}

// The hash of a str of no other class, which Python has computed if it is a key.
Py_hash_t hash_of(PyObject* text) {
#ifndef Py_LIMITED_API
    if (const Py_hash_t hash = reinterpret_cast<PyASCIIObject*>(text)->hash; hash != -1) return hash;
#endif
    return PyObject_Hash(text);
}

}  // namespace

template <class Found>
void ItemReader<Found>::clear() {
    lookup_.clear();
    indptr_.assign(1, 0);
    weights_.clear();
    weighted_ = false;
    usual_ = true;
    strings_count_ = 0;
    prefix_.clear();
}

template <class Found>
bool ItemReader<Found>::read(PyObject* tokens) {
    if (!is_plain_list(tokens)) return false;
    const ListView all(tokens);
    for (Py_ssize_t t = 0; t < all.size(); ++t) {
        prefetch_tokens(all, t);
        if (!read_token(all[t], 0)) return false;
        indptr_.push_back(static_cast<std::int64_t>(size()));
    }
    return usual_;
}

template <class Found>
bool ItemReader<Found>::settle() {
    add_strings();
    lookup_.settle();
    return usual_;
}

// Strings that a program has made one by one lie anywhere in memory: they are fetched while others are read.
template <class Found>
void ItemReader<Found>::add_strings() {
    for (std::size_t i = 0; i < strings_count_; ++i) {
        const std::string_view text = ready_text(strings_[i]);
        if (text.data())
            lookup_.add(text);
        else if (std::string_view other; text_of(strings_[i], other))
            add_copy(other);
        else
            usual_ = false;
    }
    strings_count_ = 0;
}

template <class Found>
bool ItemReader<Found>::read_token(PyObject* token, std::size_t depth) {
    if (is_plain_list(token)) return read_list(token);
    if (PyDict_CheckExact(token)) return read_dict(token, depth);
    return is_plain_set(token) && read_set(token);
}

template <class Found>
bool ItemReader<Found>::read_list(PyObject* list) {
    const ListView attributes(list);
    for (Py_ssize_t i = 0; i < attributes.size(); ++i) {
        weigh(1.0);
        if (!prefix_.empty()) {
            if (!add(attributes[i])) return false;
            continue;
        }
        if (strings_count_ == strings_.size()) add_strings();
        prefetch(attributes[i], 2);
        strings_[strings_count_++] = attributes[i];
    }
    return true;
}

// In the order of code points, which is that of bytes in UTF-8: results must not depend on the seed of hashes.
template <class Found>
bool ItemReader<Found>::read_set(PyObject* set) {
    const nb::object iterator = nb::steal(PyObject_GetIter(set));
    if (!iterator.is_valid()) throw nb::python_error();
    std::vector<std::string_view> texts;
    while (const nb::object one = nb::steal(PyIter_Next(iterator.ptr()))) {
        const Utf8 text = utf8_of(one.ptr());
        if (!text.ok || !PyUnicode_CheckExact(one.ptr())) return false;
        texts.push_back(text.text);
    }
    std::sort(texts.begin(), texts.end());
    for (const std::string_view text : texts) {
        weigh(1.0);
        add_strings();
        add_copy(text);
    }
    return true;
}

template <class Found>
bool ItemReader<Found>::read_dict(PyObject* dict, std::size_t depth) {
    return each_entry(dict, [&](PyObject* key, PyObject* value) { return read_entry(key, value, depth); });
}

template <class Found>
bool ItemReader<Found>::read_entry(PyObject* key, PyObject* value, std::size_t depth) {
    if (!is_text(key)) return false;
    if (!is_text(value)) return read_number(key, value) || read_nested(key, value, depth);
    weigh(1.0);
    return add_pair(key, value);
}

template <class Found>
bool ItemReader<Found>::read_number(PyObject* key, PyObject* value) {
    double weight = 1.0;
    if (value == Py_False) {
        weight = 0.0;
    } else if (value != Py_True) {
        // A number of another class may run Python code.
        if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value) && !is_numpy_number(value)) return false;
        weight = PyFloat_AsDouble(value);
        if (weight == -1.0 && PyErr_Occurred()) {  // an integer that no double holds
            PyErr_Clear();
            return false;
        }
        if (!std::isfinite(weight)) return false;
    }
    if (weight == 0.0 && zeros_ == Zeros::left_out) return true;
    weigh(weight);
    return add(key);
}

template <class Found>
bool ItemReader<Found>::read_nested(PyObject* key, PyObject* value, std::size_t depth) {
    std::string_view name;
    if (depth == deepest || !text_of(key, name)) return false;
    add_strings();  // which do not have the prefix
    const std::size_t outer = prefix_.size();
    prefix_.append(name).append(1, ':');
    const bool usual = read_token(value, depth + 1);
    prefix_.resize(outer);
    return usual;
}

template <class Found>
inline bool ItemReader<Found>::add(PyObject* text) {
    if (strings_count_ > 0) add_strings();
    std::string_view found = ready_text(text);
    if (found.data() && prefix_.empty()) {
        lookup_.add(found);
        return true;
    }
    if (!text_of(text, found)) return false;
    add_copy(found);
    return true;
}

template <class Found>
void ItemReader<Found>::add_copy(std::string_view text) {
    const std::size_t size = prefix_.size() + text.size();
    char* const to = lookup_.memory(size);
    *put(put(to, prefix_), text) = '\0';
    lookup_.add({to, size});
}

template <class Found>
inline bool ItemReader<Found>::add_pair(PyObject* key, PyObject* value) {
    if (strings_count_ > 0) add_strings();
    std::string_view name, text = ready_text(value);
    if (text.data() && prefix_.empty())
        if (const Name* const known = known_name(key)) {
            lookup_.add(known->view(), known->number, text);
            return true;
        }
    if (!text_of(key, name) || !text_of(value, text)) return false;
    const std::size_t outer = prefix_.size();
    prefix_.append(name).append(1, ':');
    add_copy(text);
    prefix_.resize(outer);
    return true;
}

template <class Found>
auto ItemReader<Found>::known_name(PyObject* key) -> const Name* {
    const std::string_view name = ready_text(key);
    if (!name.data() || name.size() > Name::longest) return nullptr;
    const auto hash = static_cast<std::uint64_t>(hash_of(key));
    const auto at = [&](std::size_t i) -> Name& { return names_[(hash + i) % names]; };
    std::size_t i = 0;
    for (; i < Name::tries && at(i).number != 0; ++i)
        if (at(i).hash == hash && same(at(i).view(), name)) return &at(i);
    if (i == Name::tries) lookup_.settle();  // where texts may wait that have the name to be replaced
    if (numbers_ + 1 == TextLookup<Found>::no_name) {
        lookup_.forget_names();
        names_.assign(names, {});
        numbers_ = 0;
    }
    Name& own = at(i % Name::tries);
    own.hash = hash;
    own.number = ++numbers_;
    own.size = static_cast<std::uint32_t>(name.size());
    put(own.text.data(), name);
    return &own;
}

template class ItemReader<StringId>;
template class ItemReader<std::uint64_t>;

namespace {

// Leave out unknown strings.
void drop_absent(ItemReader<StringId>& reader) {
    std::vector<StringId>& codes = reader.found();
    std::vector<double>& weights = reader.weights();
    std::vector<std::int64_t>& indptr = reader.indptr();
    std::size_t kept = 0, i = 0;
    for (std::size_t t = 1; t < indptr.size(); ++t) {
        for (; i < static_cast<std::size_t>(indptr[t]); ++i) {
            codes[kept] = codes[i];
            if (!weights.empty()) weights[kept] = weights[i];
            kept += codes[kept] >= 0;
        }
        indptr[t] = static_cast<std::int64_t>(kept);
    }
    codes.resize(kept);
    if (!weights.empty()) weights.resize(kept);
}

std::optional<nb::tuple> read_items(TextLookup<StringId>::Table table, const nb::list& sentences) {
    const NoCollection pause;
    ItemReader<StringId> reader(std::move(table), Zeros::kept);
    std::vector<std::int64_t> lengths;
    const ListView all(sentences.ptr());
    for (Py_ssize_t s = 0; s < all.size(); ++s) {
        const std::size_t before = reader.indptr().size();
        if (!reader.read(all[s])) return std::nullopt;
        lengths.push_back(static_cast<std::int64_t>(reader.indptr().size() - before));
    }
    if (!reader.settle()) return std::nullopt;
    drop_absent(reader);
    nb::object weights = nb::none();
    if (!reader.weights().empty()) weights = nb::cast(as_array(std::move(reader.weights())));
    return nb::make_tuple(as_array(std::move(reader.indptr())), as_array(std::move(reader.found())), weights,
                          as_array(std::move(lengths)));
}

}  // namespace

void bind_items(nb::module_& m) {
    m.def(
        "intern_items",
        [](StringPool& pool, const nb::list& sentences) {
            return read_items([&](auto texts, StringId* ids) { pool.intern(texts, ids); }, sentences);
        },
        nb::sig("def intern_items(pool: StringPool, sentences: list[typing.Any]) -> tuple[typing.Any, "
                "typing.Any, typing.Any, typing.Any] | None"),
        "pool"_a, "sentences"_a, "(indptr, codes, weights or None, lengths), or None for an unusual shape.");
    m.def(
        "find_items",
        [](StringPool& pool, const nb::list& sentences) {
            return read_items([&](auto texts, StringId* ids) { pool.find(texts, ids); }, sentences);
        },
        nb::sig("def find_items(pool: StringPool, sentences: list[typing.Any]) -> tuple[typing.Any, "
                "typing.Any, typing.Any, typing.Any] | None"),
        "pool"_a, "sentences"_a, "As intern_items, but without adding strings: unknown ones are left out.");
}

}  // namespace seqlab::bind
