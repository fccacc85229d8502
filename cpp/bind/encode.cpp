#include <memory>
#include <string>
#include <tuple>

#include "base/text/unicode.hpp"
#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/features.hpp"
#include "bind/narrow.hpp"
#include "bind/stl.hpp"
#include "bind/table.hpp"
#include "encode/bank.hpp"
#include "encode/numbering.hpp"

namespace seqlab::bind {

namespace {

Bank bank_of(const std::vector<ValuesSpec>& values, const std::vector<FeatureSpec>& features,
             std::size_t columns, bool on_moves) {
    return {values_of(values), features_of(features), columns, on_moves};
}

// Set names[number] to the attribute's name: pieces[group] around its values.
void name_attributes(const Bank& bank, const nb::typed<nb::list, nb::str>& names,
                     const std::vector<std::vector<std::string>>& pieces) {
    std::string name;
    bank.each([&](AttributeId id, std::size_t group, const std::vector<std::string_view>& values) {
        name = pieces[group][0];
        for (std::size_t a = 0; a < values.size(); ++a) {
            name += values[a];
            name += pieces[group][a + 1];
        }
        names[static_cast<std::size_t>(id)] = as_str(name);
    });
}

// (words, pools, groups), each group (ids, values)
nb::tuple state_of(const Bank& bank) {
    Learned learned = bank.learned();
    nb::list groups;
    for (Learned::Group& group : learned.groups)
        groups.append(nb::make_tuple(as_array(std::move(group.ids)), as_array(std::move(group.values))));
    return nb::make_tuple(std::move(learned.words), std::move(learned.pools), groups);
}

using GroupSpec = std::pair<In<AttributeId>, In<ValueId>>;

void restore(Bank& bank, const std::vector<const StringPool*>& words,
             const std::vector<const StringPool*>& pools, const std::vector<GroupSpec>& groups) {
    Learned learned;
    for (const StringPool* pool : words) learned.words.push_back(*pool);
    for (const StringPool* pool : pools) learned.pools.push_back(*pool);
    for (const auto& [ids, values] : groups)
        learned.groups.push_back(
            {{ids.data(), ids.data() + ids.size()}, {values.data(), values.data() + values.size()}});
    bank.restore(std::move(learned));
}

void bind_bank(nb::module_& m) {
    nb::class_<Tally>(m, "Tally", "Counts of attributes by group, and the order in which they were met.")
        .def(nb::init<>())
        .def(
            "group",
            [](const Tally& self, std::size_t group) {
                return nb::make_tuple(as_array(std::vector(self.counts[group])),
                                      as_array(std::vector(self.first[group])));
            },
            nb::sig("def group(self, group: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]"),
            "group"_a, "(counts, first) by number of the attribute.");
    nb::class_<Bank>(m, "Bank", "Features compiled: from columns to rows of attribute numbers.")
        .def(
            "__init__",
            [](Bank* self, const std::vector<ValuesSpec>& values, const std::vector<FeatureSpec>& features,
               std::size_t columns,
               bool on_moves) { new (self) Bank(bank_of(values, features, columns, on_moves)); },
            "values"_a, "features"_a, "columns"_a, "on_moves"_a)
        .def_prop_ro("stride", &Bank::stride)
        .def(
            "learn",
            [](Bank& self, const std::vector<ColumnSpec>& columns, const In<std::int64_t>& offsets,
               const Out<std::int32_t>& ids, std::size_t threads) {
                const TableView table = table_of(columns, offsets);
                Unlocked unlocked;
                self.learn(table, ids.data(), threads);
            },
            "columns"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "threads"_a)
        .def(
            "counts",
            [](const Bank& self, const In<std::int32_t>& ids, std::size_t tokens, std::size_t threads) {
                return as_array(self.counts(ids.data(), tokens, threads));
            },
            "ids"_a.noconvert(), "tokens"_a, "threads"_a)
        .def(
            "learn_words",
            [](Bank& self, const std::vector<ColumnSpec>& columns, const In<std::int64_t>& offsets) {
                const TableView table = table_of(columns, offsets);
                Unlocked unlocked;
                self.learn_words(table);
            },
            "columns"_a, "offsets"_a.noconvert())
        .def(
            "add_to",
            [](const Bank& self, Tally& tally, const In<std::int32_t>& ids, std::size_t tokens,
               std::size_t begin) {
                Unlocked unlocked;
                self.add_to(tally, ids.data(), tokens, begin);
            },
            "tally"_a, "ids"_a.noconvert(), "tokens"_a, "begin"_a)
        .def("forget", &Bank::forget)
        .def("group_sizes", &Bank::group_sizes)
        .def(
            "number",
            [](Bank& self, const In<std::int32_t>& map, const Out<std::int32_t>& ids,
               const Out<std::int64_t>& indptr, std::size_t threads) {
                Unlocked unlocked;
                return self.number(map.data(), ids.data(), indptr.size() - 1, indptr.data(), threads);
            },
            "map"_a.noconvert(), "ids"_a.noconvert(), "indptr"_a.noconvert(), "threads"_a)
        .def(
            "look_up",
            [](const Bank& self, const std::vector<ColumnSpec>& columns, const In<std::int64_t>& offsets,
               const Out<std::int32_t>& ids, const Out<std::int64_t>& indptr, std::size_t threads) {
                const TableView table = table_of(columns, offsets);
                Unlocked unlocked;
                return self.look_up(table, ids.data(), indptr.data(), threads);
            },
            "columns"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "indptr"_a.noconvert(), "threads"_a)
        .def("name_attributes", &name_attributes, "names"_a, "pieces"_a)
        .def("state", &state_of,
             nb::sig("def state(self) -> tuple[list[StringPool], list[StringPool], list[tuple[typing.Any, "
                     "typing.Any]]]"),
             "(words, pools, groups): the learned state, for restore().")
        .def("restore", &restore, "words"_a, "pools"_a, "groups"_a,
             "Restore the state of a bank with the same features.");
}

}  // namespace

void bind_encode(nb::module_& m) {
    bind_bank(m);
    nb::class_<QuickRows>(m, "QuickRows", "Rows of a bank, made of columns on disk at every pass.")
        .def(
            "__init__",
            [](QuickRows* self, const Bank& bank, const std::vector<ColumnSpec>& columns, std::size_t large,
               std::size_t most) {
                TableView strings{{}, nullptr, 0};
                for (const auto& [codes, pool] : columns) strings.columns.push_back({codes.data(), pool});
                new (self) QuickRows(bank, strings, large, most);
            },
            "bank"_a, "columns"_a, "large"_a, "most"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("width", &QuickRows::width)
        .def(
            "write",
            [](const QuickRows& self, const In<std::int64_t>& offsets,
               const std::vector<NarrowArray>& columns) {
                const NarrowText text = text_of(offsets, columns, nullptr);
                std::vector<std::uint8_t> made;
                {
                    Unlocked unlocked;
                    made = self.write(text);
                }
                return as_array(std::move(made));
            },
            "offsets"_a.noconvert(), "columns"_a)
        .def(
            "rows",
            [](const QuickRows& self, const In<std::int64_t>& offsets,
               const std::vector<NarrowArray>& columns, const In<std::uint8_t>& written, std::size_t from,
               std::size_t to) {
                const NarrowText text = text_of(offsets, columns, written.data());
                std::vector<std::int64_t> indptr{0};
                std::vector<std::int32_t> ids;
                {
                    Unlocked unlocked;
                    self.append(text, from, to, indptr, ids);
                }
                return std::make_tuple(as_array(std::move(indptr)), as_array(std::move(ids)));
            },
            "offsets"_a.noconvert(), "columns"_a, "written"_a.noconvert(), "first"_a, "last"_a);
    m.def(
        "by_frequency",
        [](const In<std::int64_t>& counts, const In<std::int32_t>& least) {
            return as_array(by_frequency(counts.data(), least.data(), counts.size()));
        },
        "counts"_a.noconvert(), "least"_a.noconvert(),
        "New numbers by falling count, -1 for those seen too rarely.");
    m.def(
        "has_function", [](const std::string& name) { return function_named(name) || several_named(name); },
        "name"_a);
    m.def(
        "call_all",
        [](const std::vector<CallSpec>& specs, const nb::list& texts) {
            const std::vector<Call> calls = calls_of(specs, true);
            nb::list made;
            for (const nb::handle text : texts) {
                nb::list values;
                const Utf8 value = utf8_of(text.ptr());
                if (value.ok)
                    for (const std::string& one : apply_all(calls, value.text)) values.append(as_str(one));
                made.append(values);
            }
            return made;
        },
        nb::sig("def call_all(calls: collections.abc.Sequence[tuple[str, int]], texts: list[str]) -> "
                "list[list[str]]"),
        "calls"_a, "texts"_a, "Apply template functions to strings: all results of each.");
    m.def(
        "call",
        [](const std::vector<CallSpec>& specs, nb::handle text) -> nb::object {
            const Utf8 value = utf8_of(text.ptr());
            std::string out;
            if (!value.ok || !apply(calls_of(specs), value.text, out)) return nb::none();
            return as_str(out);
        },
        "calls"_a, "text"_a, "Apply template functions to one string, as the encoder does.");
    m.def("unicode_version", &unicode_tables_version);
}

}  // namespace seqlab::bind
