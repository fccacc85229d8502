#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/parallel/spare.hpp"
#include "bind/features.hpp"
#include "bind/linear/arrays.hpp"
#include "bind/stl.hpp"
#include "bind/table.hpp"
#include "linear/tagging/build_tables.hpp"
#include "linear/tagging/template/scorer.hpp"

namespace seqlab::bind {

namespace {

std::string name(const char* what, std::size_t number, const char* part = "") {
    return what + ("." + std::to_string(number)) + part;
}

TemplateTables tables_of(const NamedArrays& arrays, const std::vector<ValuesSpec>& values,
                         const std::vector<FeatureSpec>& features, std::size_t columns) {
    TemplateTables tables{values_of(values), features_of(features), {}, {}, {}};
    for (std::size_t v = 0; v < tables.values.size(); ++v)
        if (leader(tables.values, v) == v) tables.values[v].restore(arrays.strings(name("values", v)));
    for (Values& own : tables.values) own.look_outside();
    const auto buckets = arrays.of<std::uint64_t>("buckets");
    tables.buckets = {reinterpret_cast<const PlaceBucket*>(buckets.data()), buckets.size() / 8};
    if (tables.buckets.empty()) throw std::invalid_argument("there is a first bucket");
    tables.groups = group_tables(
        tables.values, tables.features, arrays.of<std::uint64_t>("chains"), tables.buckets.size(),
        [&](std::size_t g) { return arrays.of<std::uint64_t>(name("places", g)); },
        [&](std::size_t pool) { return arrays.of<std::uint64_t>(name("owners", pool)); });
    for (std::size_t c = 0; c < columns; ++c)
        tables.words.push_back({arrays.strings(name("words", c)),
                                arrays.of<std::int32_t>(name("words", c, ".values")),
                                arrays.of<float>(name("words", c, ".rows"))});
    return tables;
}

// Decoder of a first-order model whose features are those of a template.
struct TemplateDecoder {
    TemplateDecoder(TemplateTables tables, const NamedArrays& arrays, BestLabels chain)
        : best(std::move(chain)),
          features(std::move(tables), PlacedWeights(arrays.model(), arrays.of<float>("rows"), best.L(),
                                                    best.set().f32.row_lanes(best.L()))) {}

    std::int64_t operator()(const TableView& table, Label* ids, std::size_t threads) const {
        const TemplateCorpus corpus(features, table);
        const auto make = [&] {
            auto sums = spare.get([&] { return std::make_unique<TemplateSums>(features); });
            auto reader = std::make_unique<TemplateReader>(corpus, *sums);
            return
                [sums = Returned{this, std::move(sums)}, reader = std::move(reader)](
                    std::size_t first, std::size_t last, float* node) { reader->score(first, last, node); };
        };
        return best(table.offset, table.sentences, features.weights().LP(), make, ids, threads);
    }

    struct Returned {
        Returned(const TemplateDecoder* to, std::unique_ptr<TemplateSums> kept)
            : owner(to), sums(std::move(kept)) {}
        Returned(Returned&&) = default;
        // After a failure the cache is not returned: rows that were being made may still be empty.
        ~Returned() {
            if (sums && std::uncaught_exceptions() == 0) owner->spare.put(std::move(sums));
        }
        const TemplateDecoder* owner;
        std::unique_ptr<TemplateSums> sums;
    };

    BestLabels best;
    TemplateScorer features;
    mutable Spare<TemplateSums> spare;
};

Observed observed_of(const In<std::int64_t>& begin, const In<std::int32_t>& label) {
    return {{begin.data(), begin.size()}, {label.data(), label.size()}};
}

void put_strings(nb::dict& arrays, const std::string& called, const StringPool& pool) {
    arrays[(called + ".bytes").c_str()] =
        as_array(std::vector<std::uint8_t>(pool.bytes().begin(), pool.bytes().end()));
    arrays[(called + ".begins").c_str()] =
        as_array(std::vector<std::int64_t>(pool.begins().begin(), pool.begins().end()));
    arrays[(called + ".slots").c_str()] =
        as_array(std::vector<std::uint64_t>(pool.slots().begin(), pool.slots().end()));
}

// Copy to cache-line aligned memory on huge pages, because rows are read in random order.
template <class X>
Vector<X> spread(const std::vector<X>& values) {
    auto* kept = new Buffer<X>;
    X* const data = kept->of(values.size() + 1);
    std::copy(values.begin(), values.end(), data);
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Buffer<X>*>(p); });
    return Vector<X>(data, {values.size()}, owner);
}

// Cache-line aligned, as the tables were built.
Vector<std::uint64_t> bucket_array(BuiltTables& built) {
    auto* kept = new Buffer<PlaceBucket>(std::move(built.room));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Buffer<PlaceBucket>*>(p); });
    return Vector<std::uint64_t>(built.buckets.data(), {built.buckets.size() * 8}, owner);
}

nb::dict template_tables(const Bank& bank, const In<std::int64_t>& begin, const In<std::int32_t>& label,
                         const In<double>& weights, std::size_t L) {
    std::optional<BuiltTables> built;
    {
        Unlocked unlocked;
        built = build_tables(bank, observed_of(begin, label), weights.data(), L);
    }
    nb::dict arrays;
    for (std::size_t v = 0; v < bank.values().size(); ++v)
        if (leader(bank.values(), v) == v) put_strings(arrays, name("values", v), bank.values()[v].pool());
    for (std::size_t g = 0; g < built->of_value.size(); ++g)
        if (bank.group(g).atoms() <= 1) arrays[name("places", g).c_str()] = spread(built->of_value[g]);
    for (auto& [pool, regions] : built->of_owner) arrays[name("owners", pool).c_str()] = spread(regions);
    for (std::size_t c = 0; c < built->words.size(); ++c) {
        put_strings(arrays, name("words", c), built->words[c].strings);
        arrays[name("words", c, ".values").c_str()] = as_array(std::move(built->words[c].values));
        arrays[name("words", c, ".rows").c_str()] = spread(built->words[c].rows);
    }
    arrays["chains"] = as_array(std::move(built->chains));
    arrays["buckets"] = bucket_array(*built);
    arrays["rows"] = spread(built->rows);
    return arrays;
}

nb::dict row_tables(const In<std::int64_t>& begin, const In<std::int32_t>& label, const In<double>& weights,
                    std::size_t L) {
    LaidWeights laid = lay_out(observed_of(begin, label), weights.data(), L);
    nb::dict arrays;
    arrays["places"] = spread(laid.places);
    arrays["rows"] = spread(laid.rows);
    return arrays;
}

using KeptTemplateDecoder = Kept<TemplateDecoder>;

}  // namespace

void bind_decode(nb::module_& m) {
    m.def(
        "template_tables", &template_tables, "bank"_a, "begin"_a.noconvert(), "label"_a.noconvert(),
        "weights"_a.noconvert(), "L"_a,
        nb::sig(
            "def template_tables(bank: Bank, begin: NDArray[numpy.int64], "
            "label: NDArray[numpy.int32], weights: NDArray[numpy.float64], L: int) -> dict[str, typing.Any]"),
        "The arrays that a TemplateDecoder looks at, by name; label and weights come beside them.");
    m.def("row_tables", &row_tables, "begin"_a.noconvert(), "label"_a.noconvert(), "weights"_a.noconvert(),
          "L"_a,
          nb::sig("def row_tables(begin: NDArray[numpy.int64], label: NDArray[numpy.int32], weights: "
                  "NDArray[numpy.float64], L: int) -> dict[str, typing.Any]"),
          "The same for a RowDecoder.");
    nb::class_<KeptTemplateDecoder>(m, "TemplateDecoder",
                                    "Best labels straight from columns (eq:linear-score, eq:viterbi).")
        .def(
            "__init__",
            [](KeptTemplateDecoder* self, const nb::typed<nb::dict, nb::str, nb::any>& arrays,
               const std::vector<ValuesSpec>& values, const std::vector<FeatureSpec>& features,
               std::size_t columns, const In<float>& edge, const In<float>& start, const In<float>& end) {
                const NamedArrays all(arrays);
                new (self)
                    KeptTemplateDecoder{arrays, TemplateDecoder(tables_of(all, values, features, columns),
                                                                all, chain_of(edge, start, end))};
            },
            "arrays"_a, "values"_a, "features"_a, "columns"_a, "edge"_a.noconvert(), "start"_a.noconvert(),
            "end"_a.noconvert())
        .def(
            "__call__",
            [](const KeptTemplateDecoder& self, const std::vector<ColumnSpec>& columns,
               const In<std::int64_t>& offsets, const Out<Label>& ids, std::size_t threads) {
                const TableView table = table_of(columns, offsets);
                Unlocked unlocked;
                return self.decoder(table, ids.data(), threads);
            },
            "columns"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "threads"_a,
            "Writes ids; the first sentence without a legal path, or -1.");
    nb::class_<KeptRowDecoder>(m, "RowDecoder",
                               "Best labels from rows of attributes (eq:linear-score, eq:viterbi).")
        .def(
            "__init__",
            [](KeptRowDecoder* self, const nb::typed<nb::dict, nb::str, nb::any>& arrays,
               const In<float>& edge, const In<float>& start, const In<float>& end) {
                new (self)
                    KeptRowDecoder{arrays, row_decoder(NamedArrays(arrays), chain_of(edge, start, end))};
            },
            "arrays"_a, "edge"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert())
        .def(
            "__call__",
            [](const KeptRowDecoder& self, const In<std::int64_t>& indptr, const In<std::int32_t>& ids,
               const std::optional<In<double>>& values, const In<std::int64_t>& offsets,
               const Out<Label>& labels, std::size_t threads) {
                const Entries rows{
                    {indptr.data(), indptr.size()}, ids.data(), values ? values->data() : nullptr};
                Unlocked unlocked;
                return self.decoder(rows, offsets.data(), offsets.size() - 1, labels.data(), threads);
            },
            "indptr"_a.noconvert(), "ids"_a.noconvert(), "values"_a.noconvert().none(),
            "offsets"_a.noconvert(), "labels"_a.noconvert(), "threads"_a,
            "Writes labels; the first sentence without a legal path, or -1.");
}

}  // namespace seqlab::bind
