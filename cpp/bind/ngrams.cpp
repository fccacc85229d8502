#include <optional>
#include <tuple>

#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"
#include "ngrams/arpa.hpp"
#include "ngrams/estimate.hpp"

namespace seqlab::bind {

namespace {

using ngrams::Counts;
using ngrams::Node;
using ngrams::Symbol;
using ngrams::Table;

template <class X>
std::span<const X> viewed(const In<X>& array) {
    return {array.data(), array.size()};
}

template <class X>
std::vector<X> copied(const In<X>& array) {
    return {array.data(), array.data() + array.size()};
}

ngrams::Sentences sentences_of(const In<Symbol>& codes, const In<std::int64_t>& offsets) {
    return {viewed(codes), viewed(offsets)};
}

Counts counted(const In<Symbol>& codes, const In<std::int64_t>& offsets, std::size_t order, Symbol start,
               Symbol end, std::size_t symbols) {
    const ngrams::Sentences sentences = sentences_of(codes, offsets);
    Unlocked unlocked;
    return ngrams::count(sentences, order, start, end, symbols);
}

Counts joined(const std::vector<const Counts*>& parts, const In<Symbol>& map, std::size_t symbols) {
    const std::span<const Symbol> numbers = viewed(map);
    Unlocked unlocked;
    return ngrams::joined(parts, numbers, symbols);
}

// (parents, symbols, counts) of every level; level 0 holds the single symbols.
nb::list arrays_of(const Counts& counts) {
    nb::list out;
    for (std::size_t k = 0; k < counts.count.size(); ++k) {
        const ngrams::Level& level = counts.trie.levels[k];
        out.append(nb::make_tuple(as_array(std::vector<Node>(level.parent)),
                                  as_array(std::vector<Symbol>(level.symbol)),
                                  as_array(std::vector<std::int64_t>(counts.count[k]))));
    }
    return out;
}

using CountLevel = std::tuple<In<Node>, In<Symbol>, In<std::int64_t>>;
using TableLevel = std::tuple<In<Node>, In<Symbol>, In<double>, In<double>>;

template <class Levels>
ngrams::Trie trie_of(const Levels& levels) {
    ngrams::Trie trie;
    for (const auto& level : levels)
        trie.levels.push_back({copied(std::get<0>(level)), copied(std::get<1>(level)), {}});
    if (trie.levels.empty() || !trie.sound(trie.levels[0].size()))
        throw std::invalid_argument("the n-grams are not in their order");
    trie.link();
    return trie;
}

Counts counts_from(const std::vector<CountLevel>& levels) {
    Counts counts;
    counts.trie = trie_of(levels);
    for (const CountLevel& level : levels) {
        counts.count.push_back(copied(std::get<2>(level)));
        if (counts.count.back().size() != std::get<1>(level).size())
            throw std::invalid_argument("every n-gram needs a count");
    }
    return counts;
}

Table table_from(const std::vector<TableLevel>& levels, bool flat) {
    Table table;
    table.flat = flat;
    table.trie = trie_of(levels);
    table.predicted = table.trie.levels[0].size() - 1;
    for (const TableLevel& level : levels) {
        table.log_prob.push_back(copied(std::get<2>(level)));
        table.log_backoff.push_back(copied(std::get<3>(level)));
        if (table.log_prob.back().size() != std::get<1>(level).size() ||
            table.log_backoff.back().size() != std::get<1>(level).size())
            throw std::invalid_argument("every n-gram needs a probability and a share to pass on");
    }
    table.log_backoff.pop_back();
    return table;
}

// The last level has no back-off weights, so they are 0.
nb::list table_arrays(const Table& table) {
    nb::list out;
    for (std::size_t k = 0; k < table.log_prob.size(); ++k) {
        const ngrams::Level& level = table.trie.levels[k];
        std::vector<double> passed =
            k < table.order() ? table.log_backoff[k] : std::vector<double>(level.size(), 0.0);
        out.append(nb::make_tuple(
            as_array(std::vector<Node>(level.parent)), as_array(std::vector<Symbol>(level.symbol)),
            as_array(std::vector<double>(table.log_prob[k])), as_array(std::move(passed))));
    }
    return out;
}

nb::tuple estimated(const Counts& counts, ngrams::Kind kind, double lambda,
                    const std::optional<std::tuple<double, double, double>>& discounts) {
    ngrams::Method method{kind, lambda, std::nullopt};
    if (discounts)
        method.discounts = std::apply([](auto... d) { return ngrams::Discounts{d...}; }, *discounts);
    ngrams::Estimate made;
    {
        Unlocked unlocked;
        made = ngrams::estimate(counts, method);
    }
    nb::list used;
    for (const ngrams::Discounts& d : made.discounts) used.append(nb::make_tuple(d[0], d[1], d[2]));
    return nb::make_tuple(std::move(made.table), nb::tuple(used));
}

void score(const Table& table, const In<Symbol>& codes, const In<std::int64_t>& offsets, Symbol end,
           std::size_t threads, const Out<double>& out) {
    const ngrams::Sentences sentences = sentences_of(codes, offsets);
    Unlocked unlocked;
    ngrams::score(table, sentences, end, threads, {out.data(), out.size()});
}

void following(const Table& table, const In<Symbol>& history, bool start, const Out<double>& out) {
    ngrams::History walk(table, start);
    for (const Symbol symbol : viewed(history)) walk.step(symbol);
    walk.probabilities({out.data(), out.size()});
}

nb::tuple sampled(const Table& table, std::size_t n, Symbol end, std::size_t most, std::uint64_t seed) {
    std::vector<Symbol> codes;
    std::vector<std::int64_t> offsets{0};
    {
        Unlocked unlocked;
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<Symbol> one = ngrams::sample(table, end, most, seed, i);
            codes.insert(codes.end(), one.begin(), one.end());
            offsets.push_back(static_cast<std::int64_t>(codes.size()));
        }
    }
    return nb::make_tuple(as_array(std::move(codes)), as_array(std::move(offsets)));
}

nb::bytes arpa(const Table& table, const StringPool& names) {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.push_back(names.at(static_cast<StringId>(i)));
    std::string text;
    {
        const Unlocked unlocked;
        text = ngrams::arpa_text(table, all);
    }
    return nb::bytes(text.data(), text.size());
}

constexpr const char* troubles[] = {"no data",  "count line", "no counts", "too long", "header",
                                    "how many", "fields",     "number",    "positive", "stranger",
                                    "prefix",   "twice",      "no end",    "utf8"};

nb::tuple told(const ngrams::BadArpa& bad) {
    return nb::make_tuple(nb::none(), troubles[bad.what], bad.line, as_str(bad.text));
}

nb::tuple read_arpa(const nb::bytes& text, std::size_t longest) {
    try {
        const std::string_view bytes{text.c_str(), text.size()};
        ngrams::ArpaFile file;
        {
            const Unlocked unlocked;
            file = ngrams::read_arpa(bytes, longest);
        }
        return nb::make_tuple(std::move(file), "", 0, "");
    } catch (const ngrams::BadArpa& bad) {
        return told(bad);
    }
}

nb::tuple arpa_table(const ngrams::ArpaFile& file, const In<Symbol>& map, std::size_t predicted) {
    try {
        const std::span<const Symbol> numbers = viewed(map);
        Table table;
        {
            const Unlocked unlocked;
            table = ngrams::table_of(file, numbers, predicted);
        }
        return nb::make_tuple(std::move(table), "", 0, "");
    } catch (const ngrams::BadArpa& bad) {
        return told(bad);
    }
}

void bind_counts(nb::module_& m) {
    nb::class_<Counts>(m, "NgramCounts", "Counts of n-grams.")
        .def_static("of", &counts_from, "levels"_a, "Counts from the result of arrays().")
        .def("arrays", &arrays_of,
             nb::sig("def arrays(self) -> list[tuple[typing.Any, typing.Any, typing.Any]]"),
             "For every length (parents, last symbols, counts).")
        .def_prop_ro("symbols", &Counts::symbols)
        .def_prop_ro("order", [](const Counts& counts) { return counts.trie.order(); });
    m.def("count_ngrams", &counted, "codes"_a.noconvert(), "offsets"_a.noconvert(), "order"_a, "start"_a,
          "end"_a, "symbols"_a, "Counts of all n-grams up to order + 1 symbols (eq:ngram).");
    m.def("join_ngrams", &joined, "parts"_a, "map"_a.noconvert(), "symbols"_a,
          "Counts added up, with symbol s under the number map[s].");
}

void bind_table(nb::module_& m) {
    nb::enum_<ngrams::Kind>(m, "NgramSmoothing")
        .value("mle", ngrams::Kind::mle)
        .value("add_lambda", ngrams::Kind::add_lambda)
        .value("witten_bell", ngrams::Kind::witten_bell)
        .value("kneser_ney", ngrams::Kind::kneser_ney)
        .value("interpolated", ngrams::Kind::interpolated);
    nb::class_<Table>(m, "NgramTable", "Log-probabilities of n-grams, and back-off weights.")
        .def_static("of", &table_from, "levels"_a, "flat"_a, "A table from the result of arrays().")
        .def_ro("flat", &Table::flat)
        .def("arrays", &table_arrays,
             nb::sig("def arrays(self) -> list[tuple[typing.Any, typing.Any, typing.Any, typing.Any]]"),
             "For every length (parents, last symbols, log-probabilities, log back-off weights).")
        .def_ro("predicted", &Table::predicted)
        .def_prop_ro("order", &Table::order)
        .def("score", &score, "codes"_a.noconvert(), "offsets"_a.noconvert(), "end"_a, "threads"_a,
             "out"_a.noconvert(), "Log-probability of every symbol and every end (eq:backoff).")
        .def("next", &following, "history"_a.noconvert(), "start"_a, "out"_a.noconvert(),
             "Probability of every symbol after a history.")
        .def(
            "sample", &sampled, "n"_a, "end"_a, "most"_a, "seed"_a,
            nb::sig("def sample(self, n: int, end: int, most: int, seed: int) -> tuple[NDArray[numpy.int32], "
                    "NDArray[numpy.int64]]"),
            "(codes, offsets) of sentences that were drawn.")
        .def("arpa", &arpa, "names"_a, "The text of an ARPA file.");
    m.def("estimate_ngrams", &estimated, "counts"_a, "kind"_a, "add"_a, "discounts"_a.none(),
          nb::sig("def estimate_ngrams(counts: NgramCounts, kind: NgramSmoothing, add: float, discounts: "
                  "tuple[float, "
                  "float, float] | None) -> tuple[NgramTable, tuple[tuple[float, float, float], ...]]"),
          "(table, discounts of every length).");
}

}  // namespace

void bind_ngrams(nb::module_& m) {
    bind_counts(m);
    bind_table(m);
    nb::class_<ngrams::ArpaFile>(m, "ArpaFile", "An ARPA file as it was read.")
        .def_prop_ro("order", [](const ngrams::ArpaFile& file) { return file.sections.size() - 1; })
        .def_prop_ro(
            "words", [](ngrams::ArpaFile& file) -> StringPool& { return file.words; },
            nb::rv_policy::reference_internal)
        .def("table", &arpa_table, "map"_a.noconvert(), "predicted"_a,
             nb::sig("def table(self, map: NDArray[numpy.int32], predicted: int) -> tuple[NgramTable | None, "
                     "str, int, "
                     "str]"),
             "(table, \"\", 0, \"\"), or (None, error, line, text).");
    m.def("read_arpa", &read_arpa, "text"_a, "longest"_a,
          nb::sig("def read_arpa(text: bytes, longest: int) -> tuple[ArpaFile | None, str, int, str]"),
          "(file, \"\", 0, \"\"), or (None, error, line, text).");
}

}  // namespace seqlab::bind
