#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "bind/batch.hpp"
#include "learn/likelihood.hpp"
#include "score/scorer.hpp"

namespace seqlab::bind {

namespace {

template <class X>
std::span<const X> span_of(const In<X>& array) {
    return {array.data(), array.size()};
}

template <class X>
std::span<const X> span_of(const std::optional<In<X>>& array) {
    return array ? span_of(*array) : std::span<const X>{};
}

using Flags = std::optional<In<std::uint8_t>>;

// A likelihood and the arrays it looks into.
template <class F>
struct Kept {
    In<std::int64_t> begin, offset;
    In<std::int32_t> label, number, labels;
    Flags forbidden, no_start, no_end;
    std::optional<In<double>> weight;
    std::unique_ptr<Likelihood<F>> likelihood;
};

template <class F>
void bind_likelihood(nb::module_& m, const char* name) {
    using K = Kept<F>;
    nb::class_<K>(m, name, "Negative log-likelihood of a linear-chain CRF and its slope (eq:crf-likelihood).")
        .def(
            "__init__",
            [](K* self, const In<std::int64_t>& indptr, const In<std::int32_t>& ids,
               const std::optional<In<double>>& values, const In<std::int64_t>& begin,
               const In<std::int32_t>& label, const In<std::int32_t>& number, std::size_t L,
               const Flags& forbidden, const Flags& no_start, const Flags& no_end,
               const In<std::int64_t>& offset, const In<std::int32_t>& labels,
               const std::optional<In<double>>& weight) {
                new (self)
                    K{begin, offset, label, number, labels, forbidden, no_start, no_end, weight, nullptr};
                const Entries entries{span_of(indptr), ids.data(), values ? values->data() : nullptr};
                const Observed observed{span_of(begin), span_of(label)};
                const Moves moves{L, span_of(number), span_of(forbidden), span_of(no_start), span_of(no_end)};
                const Sequences sequences{span_of(offset), labels.data(), weight ? weight->data() : nullptr};
                nb::gil_scoped_release unlocked;
                self->likelihood = std::make_unique<Likelihood<F>>(entries, observed, moves, sequences);
            },
            "indptr"_a.noconvert(), "ids"_a.noconvert(), "values"_a.none().noconvert(), "begin"_a.noconvert(),
            "label"_a.noconvert(), "number"_a.noconvert(), "L"_a, "forbidden"_a.none().noconvert(),
            "no_start"_a.none().noconvert(), "no_end"_a.none().noconvert(), "offset"_a.noconvert(),
            "labels"_a.noconvert(), "weight"_a.none().noconvert())
        .def_prop_ro("size", [](const K& self) { return self.likelihood->size(); })
        .def(
            "__call__",
            [](K& self, const In<double>& theta, const Out<double>& gradient, std::size_t threads) {
                nb::gil_scoped_release unlocked;
                return (*self.likelihood)(theta.data(), gradient.data(), threads);
            },
            "theta"_a.noconvert(), "gradient"_a.noconvert(), "threads"_a);
}

template <class F>
struct KeptScorer {
    In<std::int64_t> begin;
    In<std::int32_t> label;
    std::unique_ptr<Scorer<F>> scorer;
};

template <class F>
void bind_scorer(nb::module_& m, const char* name) {
    using K = KeptScorer<F>;
    nb::class_<K>(m, name, "Node scores from attributes (eq:linear-score).")
        .def(
            "__init__",
            [](K* self, const In<std::int64_t>& begin, const In<std::int32_t>& label,
               const In<double>& weights, std::size_t L) {
                const Observed observed{span_of(begin), span_of(label)};
                new (self) K{begin, label, std::make_unique<Scorer<F>>(observed, weights.data(), L)};
            },
            "begin"_a.noconvert(), "label"_a.noconvert(), "weights"_a.noconvert(), "L"_a)
        .def(
            "__call__",
            [](const K& self, const In<std::int64_t>& indptr, const In<std::int32_t>& ids,
               const std::optional<In<double>>& values, const Out<F>& node, std::size_t threads) {
                const Entries entries{span_of(indptr), ids.data(), values ? values->data() : nullptr};
                nb::gil_scoped_release unlocked;
                (*self.scorer)(entries, node.data(), threads);
            },
            "indptr"_a.noconvert(), "ids"_a.noconvert(), "values"_a.none().noconvert(), "node"_a.noconvert(),
            "threads"_a);
}

}  // namespace

void bind_learn(nb::module_& m) {
    bind_scorer<float>(m, "Scorer32");
    bind_scorer<double>(m, "Scorer64");
    bind_likelihood<float>(m, "Likelihood32");
    bind_likelihood<double>(m, "Likelihood64");
}

}  // namespace seqlab::bind
