#include "bind/corpus/items.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/text/utf8.hpp"
#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"

namespace seqlab::bind {

namespace {

// Copy a short text: a call of memcpy would take longer.
inline char* put(char* to, std::string_view text) {
    const char* const from = text.data();
    const std::size_t size = text.size();
    const auto copy = [&]<class Word>(Word) {
        for (std::size_t at = 0; at + sizeof(Word) < size; at += sizeof(Word))
            std::memcpy(to + at, from + at, sizeof(Word));
        std::memcpy(to + size - sizeof(Word), from + size - sizeof(Word), sizeof(Word));  // may overlap
    };
    if (size > 64)
        std::memcpy(to, from, size);
    else if (size >= 8)
        copy(std::uint64_t{});
    else if (size >= 4)
        copy(std::uint32_t{});
    else
        for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
    return to + size;
}

// The text of a str or of bytes; false for anything else, and for what UTF-8 cannot write.
inline bool text_of(PyObject* object, std::string_view& text) {
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

// Fetch the table of a dict that will be read soon.
void prefetch_table(PyObject* token) {
#ifndef Py_LIMITED_API
    if (!PyDict_CheckExact(token)) return;
    const char* const table = reinterpret_cast<const char*>(reinterpret_cast<PyDictObject*>(token)->ma_keys);
    for (std::size_t line = 0; line < 8; ++line) __builtin_prefetch(table + 64 * line, 0, 0);
#else
    __builtin_prefetch(token);
#endif
}

}  // namespace

ItemReader::Lookup ItemReader::adding_to(StringPool& pool) {
    return [&pool](std::span<const std::string_view> texts, StringId* ids) { pool.intern(texts, ids); };
}

ItemReader::Lookup ItemReader::found_in(const StringPool& pool) {
    return [&pool](std::span<const std::string_view> texts, StringId* ids) { pool.find(texts, ids); };
}

void ItemReader::clear() {
    indptr_.resize(1);
    codes_.clear();
    weights_.clear();
    weighted_ = false;
    in_lot_ = waiting_ = used_ = 0;
    prefix_.clear();
}

bool ItemReader::read(PyObject* tokens) {
    if (!is_plain_list(tokens)) return false;
    const ListView all(tokens);
    const auto fetch = [&](Py_ssize_t t) {
        if (t + 2 < all.size()) __builtin_prefetch(all[t + 2], 0, 0);
        if (t + 1 < all.size()) prefetch_table(all[t + 1]);
        if (t < all.size() && PyDict_CheckExact(all[t])) fetched_[t & 1].begin(all[t]);
    };
    fetch(0);
    for (Py_ssize_t t = 0; t < all.size(); ++t) {
        fetch(t + 1);
        const bool usual = PyDict_CheckExact(all[t]) ? read_dict(fetched_[t & 1], 0) : read_token(all[t], 0);
        if (!usual) return false;
        indptr_.push_back(static_cast<std::int64_t>(size()));
    }
    return true;
}

bool ItemReader::read_token(PyObject* token, std::size_t depth) {
    if (is_plain_list(token)) return read_list(token);
    if (!PyDict_CheckExact(token)) return is_plain_set(token) && read_set(token);
    Fetched entries;
    entries.begin(token);
    return read_dict(entries, depth);
}

bool ItemReader::read_list(PyObject* list) {
    const ListView attributes(list);
    for (Py_ssize_t i = 0; i < attributes.size(); ++i) __builtin_prefetch(attributes[i]);
    for (Py_ssize_t i = 0; i < attributes.size(); ++i) {
        std::string_view attribute;
        if (!text_of(attributes[i], attribute)) return false;
        weigh(1.0);
        add(attribute);
    }
    return true;
}

// In the order of code points, which is that of bytes in UTF-8: results must not depend on the seed of hashes.
bool ItemReader::read_set(PyObject* set) {
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
        add(text);
    }
    return true;
}

bool ItemReader::Fetched::more() {
    for (count = 0; count < most && PyDict_Next(dict, &at, &key[count], &value[count]); ++count) {
        __builtin_prefetch(value[count], 0, 0);
        __builtin_prefetch(reinterpret_cast<const char*>(value[count]) + 63, 0, 0);
    }
    return count > 0;
}

bool ItemReader::read_dict(Fetched& entries, std::size_t depth) {
    do {
        for (std::size_t i = 0; i < entries.count; ++i)
            if (!read_entry(entries.key[i], entries.value[i], depth)) return false;
    } while (entries.count == Fetched::most && entries.more());
    return true;
}

bool ItemReader::read_entry(PyObject* key, PyObject* value, std::size_t depth) {
    std::string_view name, text;
    if (!text_of(key, name)) return false;
    if (!is_text(value)) return read_number(key, name, value) || read_nested(name, value, depth);
    if (!text_of(value, text)) return false;
    weigh(1.0);
    add_pair(name, text);
    return true;
}

bool ItemReader::read_number(PyObject* key, std::string_view name, PyObject* value) {
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
    add_key(key, name);
    return true;
}

bool ItemReader::read_nested(std::string_view name, PyObject* value, std::size_t depth) {
    if (depth == deepest) return false;
    const std::size_t outer = prefix_.size();
    prefix_.append(name).append(1, ':');
    const bool usual = read_token(value, depth + 1);
    prefix_.resize(outer);
    return usual;
}

void ItemReader::add(std::string_view text) {
    if (prefix_.empty()) return wait(text);
    const std::size_t size = prefix_.size() + text.size();
    char* const to = joined(size);
    *put(put(to, prefix_), text) = '\0';
    wait({to, size});
}

void ItemReader::add_pair(std::string_view name, std::string_view value) {
    const std::size_t size = prefix_.size() + name.size() + 1 + value.size();
    char* const to = joined(size);
    char* const colon = put(prefix_.empty() ? to : put(to, prefix_), name);
    *colon = ':';
    *put(colon + 1, value) = '\0';
    wait({to, size});
}

void ItemReader::add_key(PyObject* object, std::string_view name) {
    if (!prefix_.empty() || name.size() > Key::longest) return add(name);
    constexpr int shift = 64 - std::countr_zero(keys);
    Key& key = keys_[(reinterpret_cast<std::uintptr_t>(object) >> 4) * hash_a >> shift];
    if (key.size != name.size() || std::memcmp(key.text.data(), name.data(), name.size()) != 0) {
        key.size = static_cast<std::uint32_t>(name.size());
        put(key.text.data(), name);
        look_up_({&name, 1}, &key.code);
    }
    add_code(key.code);
}

// Memory for a text of this size and a byte 0, until settle().
char* ItemReader::joined(std::size_t size) {
    constexpr std::size_t least = 8192;
    ++size;
    if (used_ + size > room_) {
        settle();
        if (size > room_) {
            room_ = std::max(size, least);
            joined_.of(room_);
        }
    }
    char* const begin = joined_.of(0) + used_;
    used_ += size;
    return begin;
}

void ItemReader::settle() {
    std::array<StringId, together> ids;
    look_up_({texts_.data(), waiting_}, ids.data());
    for (std::size_t i = 0; i < waiting_; ++i) lot_[at_[i]] = ids[i];
    codes_.insert(codes_.end(), lot_.begin(), lot_.begin() + static_cast<std::ptrdiff_t>(in_lot_));
    in_lot_ = waiting_ = used_ = 0;
}

// number(code) of every entry, without those where it is negative.
template <class Number>
void ItemReader::keep_numbered(Number number) {
    std::size_t kept = 0, i = 0;
    for (std::size_t t = 1; t < indptr_.size(); ++t) {
        for (; i < static_cast<std::size_t>(indptr_[t]); ++i) {
            codes_[kept] = number(codes_[i]);
            if (weighted_) weights_[kept] = weights_[i];
            kept += codes_[kept] >= 0;
        }
        indptr_[t] = static_cast<std::int64_t>(kept);
    }
    codes_.resize(kept);
    if (weighted_) weights_.resize(kept);
}

void ItemReader::renumber(std::span<const std::int32_t> number) {
    keep_numbered([&](StringId code) {
        const auto known = static_cast<std::size_t>(code);
        return known < number.size() ? read_once(number.data() + known) : StringPool::absent;
    });
}

void ItemReader::drop_absent() {
    keep_numbered([](StringId code) { return code; });
}

namespace {

std::optional<nb::tuple> read_items(ItemReader::Lookup look_up, const nb::list& sentences) {
    const NoCollection pause;
    ItemReader reader(std::move(look_up), ItemReader::Zeros::kept);
    std::vector<std::int64_t> lengths;
    const ListView all(sentences.ptr());
    for (Py_ssize_t s = 0; s < all.size(); ++s) {
        const std::size_t before = reader.indptr().size();
        if (!reader.read(all[s])) return std::nullopt;
        lengths.push_back(static_cast<std::int64_t>(reader.indptr().size() - before));
    }
    reader.settle();
    reader.drop_absent();
    nb::object weights = nb::none();
    if (!reader.weights().empty()) weights = nb::cast(as_array(std::move(reader.weights())));
    return nb::make_tuple(as_array(std::move(reader.indptr())), as_array(std::move(reader.codes())), weights,
                          as_array(std::move(lengths)));
}

}  // namespace

void bind_items(nb::module_& m) {
    m.def(
        "intern_items",
        [](StringPool& pool, const nb::list& sentences) {
            return read_items(ItemReader::adding_to(pool), sentences);
        },
        nb::sig("def intern_items(pool: StringPool, sentences: list[typing.Any]) -> tuple[typing.Any, "
                "typing.Any, typing.Any, typing.Any] | None"),
        "pool"_a, "sentences"_a, "(indptr, codes, weights or None, lengths), or None for an unusual shape.");
    m.def(
        "find_items",
        [](StringPool& pool, const nb::list& sentences) {
            return read_items(ItemReader::found_in(pool), sentences);
        },
        nb::sig("def find_items(pool: StringPool, sentences: list[typing.Any]) -> tuple[typing.Any, "
                "typing.Any, typing.Any, typing.Any] | None"),
        "pool"_a, "sentences"_a, "As intern_items, but without adding strings: unknown ones are left out.");
}

}  // namespace seqlab::bind
