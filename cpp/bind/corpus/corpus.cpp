// Readers of corpus files: blocks of bytes in, columns of codes out.

#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"
#include "corpus/attribute_reader.hpp"
#include "corpus/column_reader.hpp"
#include "corpus/line_reader.hpp"

namespace seqlab::bind {

namespace {

std::string_view view(const nb::bytes& block, std::size_t begin, std::size_t end) {
    const std::string_view all(block.c_str(), block.size());
    return all.substr(begin, end - begin);
}

// (kind, line, begin, end, number); begin and end are offsets in the whole block. None when there is no error.
nb::object feed(BlockReader& reader, const nb::bytes& block, std::size_t begin, std::size_t end) {
    Finding found;
    {
        const std::string_view text = view(block, begin, end);
        Unlocked unlocked;
        found = reader.feed(text);
    }
    if (!found) return nb::none();
    const auto shift = static_cast<std::int64_t>(begin);
    return nb::make_tuple(name_of(found.kind), found.line, found.begin + shift, found.end + shift,
                          found.number);
}

nb::tuple columns_of(Table& table) {
    nb::list columns;
    for (Column& column : table.columns) {
        column.pool.shrink();
        columns.append(nb::make_tuple(as_array(std::move(column.codes)), nb::cast(std::move(column.pool))));
    }
    return nb::tuple(columns);
}

// (columns, offsets, lines, extras): columns are pairs (codes, pool), extras are (sentence, position, codes, pool).
nb::tuple take(BlockReader& reader) {
    Table table = reader.take();
    Extras& extras = table.extras;
    const nb::tuple kept =
        nb::make_tuple(as_array(std::move(extras.sentence)), as_array(std::move(extras.position)),
                       as_array(std::move(extras.text)), nb::cast(std::move(extras.pool)));
    return nb::make_tuple(columns_of(table), as_array(std::move(table.offsets)),
                          as_array(std::move(table.lines)), kept);
}

nb::tuple take_bag(AttributeReader& reader) {
    Bag bag = reader.take_bag();
    const nb::object weights = bag.weights.empty() ? nb::none() : nb::cast(as_array(std::move(bag.weights)));
    return nb::make_tuple(as_array(std::move(bag.indptr)), as_array(std::move(bag.codes)), weights,
                          nb::cast(std::move(bag.pool)));
}

void bind_readers(nb::module_& m) {
    nb::class_<BlockReader>(m, "BlockReader", "Reads blocks of whole lines into one table.")
        .def("feed", &feed, "block"_a, "begin"_a, "end"_a,
             nb::sig("def feed(self, block: bytes, begin: int, end: int) -> tuple[str, int, int, int, int] | "
                     "None"),
             "None, or (kind, line, begin, end, number) of the first error.")
        .def("finish", &BlockReader::finish)
        .def("take", &take,
             nb::sig("def take(self) -> tuple[typing.Any, typing.Any, typing.Any, typing.Any]"),
             "The sentences read so far: (columns, offsets, lines, extras).")
        .def_prop_ro("lines", &BlockReader::lines)
        .def_prop_ro("crlf_lines", &BlockReader::crlf_lines)
        .def_prop_ro("first_crlf", &BlockReader::first_crlf)
        .def_prop_ro("ends_in_newline", &BlockReader::ends_in_newline);
    nb::class_<ColumnReader, BlockReader>(m, "ColumnReader", "Reads one token per line, in columns.")
        .def(
            "__init__",
            [](ColumnReader* self, int separator, std::size_t width, std::vector<int> picks,
               std::string comment, bool docstart, bool numbered, std::size_t longest_line) {
                new (self) ColumnReader({.separator = static_cast<char>(separator),
                                         .width = width,
                                         .picks = std::move(picks),
                                         .comment = std::move(comment),
                                         .docstart = docstart,
                                         .numbered = numbered},
                                        longest_line);
            },
            "separator"_a, "width"_a, "picks"_a, "comment"_a, "docstart"_a, "numbered"_a, "longest_line"_a)
        .def_prop_ro("separator",
                     [](const ColumnReader& reader) { return static_cast<int>(reader.separator()); })
        .def_prop_ro("width", &ColumnReader::width);
    nb::class_<LineReader, BlockReader>(m, "LineReader", "Reads one sentence per line; tagged: word/TAG.")
        .def(nb::init<bool, std::size_t>(), "tagged"_a, "longest_line"_a)
        .def_prop_ro("escaped", &LineReader::escaped);
    nb::class_<AttributeReader, BlockReader>(m, "AttributeReader", "CRFsuite's files.")
        .def(nb::init<std::size_t>(), "longest_line"_a)
        .def("take_bag", &take_bag,
             nb::sig("def take_bag(self) -> tuple[typing.Any, typing.Any, typing.Any, StringPool]"),
             "(indptr, codes, weights, pool); weights are None when all of them are 1.");
}

}  // namespace

void bind_corpus(nb::module_& m) {
    bind_readers(m);
    m.def(
        "last_sentence_end",
        [](const nb::bytes& block, bool line_is_sentence) {
            return last_sentence_end(view(block, 0, block.size()), line_is_sentence);
        },
        "block"_a, "line_is_sentence"_a);
    m.def(
        "join_pools",
        [](const std::vector<nb::object>& pools) {
            StringPool joined;
            nb::list translations;
            for (const nb::object& object : pools) {
                const auto& pool = nb::cast<const StringPool&>(object);
                std::vector<StringId> ids(pool.size());
                for (std::size_t i = 0; i < ids.size(); ++i)
                    ids[i] = joined.intern(pool.at(static_cast<StringId>(i)));
                translations.append(as_array(std::move(ids)));
            }
            return nb::make_tuple(nb::cast(std::move(joined)), translations);
        },
        "pools"_a,
        nb::sig(
            "def join_pools(pools: Sequence[StringPool]) -> tuple[StringPool, list[NDArray[numpy.int32]]]"),
        "One pool of all strings, and for each pool the new number of each string.");
    m.def(
        "intern_all",
        [](StringPool& pool, const StringPool& strings) {
            std::vector<StringId> ids(strings.size());
            for (std::size_t i = 0; i < ids.size(); ++i)
                ids[i] = pool.intern(strings.at(static_cast<StringId>(i)));
            return as_array(std::move(ids));
        },
        "pool"_a, "strings"_a, "Add the strings of one pool to another: the number there of each.");
    m.def(
        "compact_pool",
        [](const In<StringId>& codes, const StringPool& pool) {
            StringPool used;
            std::vector<StringId> known(pool.size(), StringPool::absent),
                fresh(codes.size(), StringPool::absent);
            for (std::size_t i = 0; i < codes.size(); ++i) {
                if (codes.data()[i] < 0) continue;
                StringId& id = known[static_cast<std::size_t>(codes.data()[i])];
                if (id < 0) id = used.intern(pool.at(codes.data()[i]));
                fresh[i] = id;
            }
            return nb::make_tuple(as_array(std::move(fresh)), nb::cast(std::move(used)));
        },
        "codes"_a.noconvert(), "pool"_a,
        nb::sig(
            "def compact_pool(codes: NDArray[numpy.int32], pool: StringPool) -> tuple[NDArray[numpy.int32], "
            "StringPool]"),
        "The same strings by new numbers, with a pool that holds no others; negative numbers stay.");
    m.def(
        "translate",
        [](const StringPool& from, const StringPool& to) {
            std::vector<StringId> ids(from.size());
            for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = to.find(from.at(static_cast<StringId>(i)));
            return as_array(std::move(ids));
        },
        "from_pool"_a, "to_pool"_a, "Number in the second pool of each string of the first, or -1.");
}

}  // namespace seqlab::bind
