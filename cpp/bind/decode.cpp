#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <memory>
#include <optional>

#include "base/parallel/spare.hpp"
#include "bind/table.hpp"
#include "linear/tagging/best_labels.hpp"
#include "linear/tagging/row_scorer.hpp"
#include "linear/tagging/scorer.hpp"
#include "linear/tagging/template_scorer.hpp"

namespace seqlab::bind {

namespace {

// A model of order 1 whose features are those of a bank.
struct TemplateDecoder {
    TemplateDecoder(const Bank& bank, const Observed& observed, const double* values, BestLabels chain)
        : best(std::move(chain)),
          weights(observed, values, best.L(), best.set().f32.row_lanes(best.L())),
          features(bank, weights) {}

    std::int64_t operator()(const Table& table, Label* ids, std::size_t threads) const {
        const TemplateCorpus corpus(features, table);
        const auto make = [&] {
            auto sums = spare.get([&] { return std::make_unique<TemplateSums>(features); });
            auto reader = std::make_unique<TemplateReader>(corpus, *sums);
            return
                [sums = Returned{this, std::move(sums)}, reader = std::move(reader)](
                    std::size_t first, std::size_t last, float* node) { reader->score(first, last, node); };
        };
        return best(table.offset, table.sentences, weights.LP(), make, ids, threads);
    }

    struct Returned {
        Returned(const TemplateDecoder* to, std::unique_ptr<TemplateSums> kept)
            : owner(to), sums(std::move(kept)) {}
        Returned(Returned&&) = default;
        // Not after a failure: rows that were being made may still be empty.
        ~Returned() {
            if (sums && std::uncaught_exceptions() == 0) owner->spare.put(std::move(sums));
        }
        const TemplateDecoder* owner;
        std::unique_ptr<TemplateSums> sums;
    };

    BestLabels best;
    AttributeWeights weights;
    TemplateScorer features;
    mutable Spare<TemplateSums> spare;
};

// A model of order 1 whose attributes come as rows of numbers.
struct RowDecoder {
    RowDecoder(const Observed& observed, const double* values, BestLabels chain)
        : best(std::move(chain)),
          weights(observed, values, best.L(), best.set().f32.row_lanes(best.L())),
          scorer(observed, values, best.L()) {}

    std::int64_t operator()(const Entries& rows, const std::int64_t* offset, std::size_t sentences,
                            Label* ids, std::size_t threads) const {
        const RowScorer plain(weights, rows);
        const auto score = [&](std::size_t first, std::size_t last, float* node) {
            const auto from = static_cast<std::size_t>(offset[first]);
            const auto to = static_cast<std::size_t>(offset[last]);
            if (rows.values)
                scorer({rows.indptr.subspan(from, to - from + 1), rows.ids, rows.values}, node, 1);
            else
                plain(from, to, node);
        };
        return best(offset, sentences, weights.LP(), [&] { return score; }, ids, threads);
    }

    BestLabels best;
    AttributeWeights weights;
    Scorer<float> scorer;  // for attributes that count more or less than 1
};

Observed observed_of(const In<std::int64_t>& begin, const In<std::int32_t>& label) {
    return {{begin.data(), begin.size()}, {label.data(), label.size()}};
}

BestLabels chain_of(const In<float>& edge, const In<float>& start, const In<float>& end) {
    return {start.size(), edge.data(), start.data(), end.data()};
}

struct KeptRowDecoder {
    In<std::int64_t> begin;
    In<std::int32_t> label;
    RowDecoder decoder;
};

}  // namespace

void bind_decode(nb::module_& m) {
    nb::class_<TemplateDecoder>(m, "TemplateDecoder",
                                "Best labels straight from columns (eq:linear-score, eq:viterbi).")
        .def(
            "__init__",
            [](TemplateDecoder* self, const Bank& bank, const In<std::int64_t>& begin,
               const In<std::int32_t>& label, const In<double>& weights, const In<float>& edge,
               const In<float>& start, const In<float>& end) {
                new (self) TemplateDecoder(bank, observed_of(begin, label), weights.data(),
                                           chain_of(edge, start, end));
            },
            "bank"_a, "begin"_a.noconvert(), "label"_a.noconvert(), "weights"_a.noconvert(),
            "edge"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(), nb::keep_alive<1, 2>())
        .def(
            "__call__",
            [](const TemplateDecoder& self, const std::vector<ColumnSpec>& columns,
               const In<std::int64_t>& offsets, const Out<Label>& ids, std::size_t threads) {
                const Table table = table_of(columns, offsets);
                Unlocked unlocked;
                return self(table, ids.data(), threads);
            },
            "columns"_a, "offsets"_a.noconvert(), "ids"_a.noconvert(), "threads"_a,
            "Writes ids; the first sentence without a legal path, or -1.");
    nb::class_<KeptRowDecoder>(m, "RowDecoder",
                               "Best labels from rows of attributes (eq:linear-score, eq:viterbi).")
        .def(
            "__init__",
            [](KeptRowDecoder* self, const In<std::int64_t>& begin, const In<std::int32_t>& label,
               const In<double>& weights, const In<float>& edge, const In<float>& start,
               const In<float>& end) {
                new (self) KeptRowDecoder{
                    begin, label,
                    RowDecoder(observed_of(begin, label), weights.data(), chain_of(edge, start, end))};
            },
            "begin"_a.noconvert(), "label"_a.noconvert(), "weights"_a.noconvert(), "edge"_a.noconvert(),
            "start"_a.noconvert(), "end"_a.noconvert())
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
            "indptr"_a.noconvert(), "ids"_a.noconvert(), "values"_a.none().noconvert(),
            "offsets"_a.noconvert(), "labels"_a.noconvert(), "threads"_a,
            "Writes labels; the first sentence without a legal path, or -1.");
}

}  // namespace seqlab::bind
