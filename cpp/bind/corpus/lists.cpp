// Lists of words, and of tuples of words, as columns of numbers. Other shapes are left to Python, which reads all of
// them and has the error messages.

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/parallel/poll_steps.hpp"
#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"
#include "corpus/recent_strings.hpp"

namespace seqlab::bind {

namespace {

// Interns the strings of one column. Lists that come from a reader, a tag set or `sys.intern` hold the same objects
// again and again: such an object is recognised by its address, without reading its text.
class Interner {
public:
    explicit Interner(StringPool& pool) : pool_(pool), met_(slots) {}

    // Add an object; false when it is not a string. The object must live as long as this.
    bool add(PyObject* object) {
        Met& met = met_[(reinterpret_cast<std::uintptr_t>(object) >> 4) * hash_a >> shift];
        if (met.object != object) {
            const Utf8 text = utf8_of(object);
            if (!text.ok) return false;
            met = {object, recent_.intern(pool_, text.text, text.text.data() + text.text.size())};
        }
        codes_.push_back(met.code);
        return true;
    }
    void add_missing() { codes_.push_back(StringPool::absent); }
    void reserve(std::size_t tokens) { codes_.reserve(tokens); }
    std::vector<StringId> codes() { return std::move(codes_); }

private:
    static constexpr std::size_t slots = 2048;
    static constexpr int shift = 64 - std::countr_zero(slots);

    struct Met {
        PyObject* object = nullptr;
        StringId code = 0;
    };

    StringPool& pool_;
    RecentStrings recent_;
    std::vector<Met> met_;
    std::vector<StringId> codes_;
};

// Prefetch the objects some places ahead: they are probably not in the cache.
void prefetch(const ListView& items, Py_ssize_t t) {
    constexpr Py_ssize_t ahead = 8;
    if (t + ahead < items.size()) __builtin_prefetch(items[t + ahead]);
}

// The items of a list at this moment: a handler of a signal may change the list.
nb::object snapshot(PyObject* list) {
    nb::object made = nb::steal(PySequence_Tuple(list));
    if (!made.is_valid()) throw nb::python_error();
    return made;
}

constexpr Py_ssize_t long_list = 1 << 16;  // within shorter ones no handler runs

// Reads lists of tuples, one tuple per token.
class RowReader {
public:
    explicit RowReader(const std::vector<StringPool*>& pools) {
        for (StringPool* pool : pools) columns_.emplace_back(*pool);
    }

    bool read(PyObject* sentences) {
        const ListView all(sentences);
        for (Py_ssize_t s = 0; s < all.size(); ++s)
            if (!ListView::is_list(all[s]) || !read_sentence(ListView(all[s]))) return false;
        return true;
    }
    nb::tuple result() {
        nb::list codes;
        for (Interner& column : columns_) codes.append(as_array(column.codes()));
        return nb::make_tuple(codes, as_array(std::move(lengths_)));
    }

private:
    bool read_sentence(const ListView& rows) {
        lengths_.push_back(rows.size());
        for (Py_ssize_t t = 0; t < rows.size(); ++t) {
            prefetch(rows, t);
            if (!ListView::is_list(rows[t]) || !read_row(ListView(rows[t]))) return false;
        }
        return true;
    }
    bool read_row(const ListView& cells) {
        if (static_cast<std::size_t>(cells.size()) != columns_.size()) return false;
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (!columns_[c].add(cells[static_cast<Py_ssize_t>(c)])) return false;
        return true;
    }

    std::vector<Interner> columns_;
    std::vector<std::int64_t> lengths_;
};

}  // namespace

nb::tuple intern_lists(StringPool& pool, const nb::list& sequences, bool missing) {
    Interner column(pool);
    std::vector<std::int64_t> lengths;
    const auto stop = [](Py_ssize_t sequence, Py_ssize_t position) {
        return nb::make_tuple(nb::none(), nb::none(), sequence, position);
    };
    const Poll attentive(ask_python);  // the GIL is kept, and signals are heard nevertheless
    PollSteps steps;
    const nb::object kept = snapshot(sequences.ptr());
    const ListView all(kept.ptr());
    for (Py_ssize_t s = 0; s < all.size(); ++s) {
        if (!ListView::is_list(all[s])) return stop(s, -1);
        const bool is_long = PySequence_Size(all[s]) > long_list;
        const nb::object own = is_long ? snapshot(all[s]) : nb::borrow(all[s]);
        const ListView items(own.ptr());
        lengths.push_back(items.size());
        for (Py_ssize_t t = 0; t < items.size(); ++t) {
            prefetch(items, t);
            if (missing && items[t] == Py_None)
                column.add_missing();
            else if (!column.add(items[t]))
                return stop(s, t);
            if (is_long) steps();
        }
        if (!is_long) steps(static_cast<std::size_t>(items.size()));
    }
    return nb::make_tuple(as_array(column.codes()), as_array(std::move(lengths)), -1, -1);
}

void bind_lists(nb::module_& m) {
    m.def(
        "intern_rows",
        [](const std::vector<StringPool*>& pools, const nb::list& sentences) -> std::optional<nb::tuple> {
            RowReader reader(pools);
            if (!reader.read(sentences.ptr())) return std::nullopt;
            return reader.result();
        },
        "pools"_a, "sentences"_a,
        nb::sig("def intern_rows(pools: list[StringPool], sentences: list[typing.Any]) -> "
                "tuple[list[typing.Any], typing.Any] | None"),
        "(codes of every column, lengths) of tuples with one string for every pool; None for anything else.");
}

}  // namespace seqlab::bind
