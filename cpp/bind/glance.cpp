// A model file looked at before anything is built of it: buffers in, lists out, so that NumPy is not needed.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>
#include <utility>

#include "bind/batch.hpp"
#include "bind/strings.hpp"
#include "linear/tagging/glance.hpp"

namespace seqlab::bind {

namespace {

using Numbers = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;                      // float64 or float32
using Text = std::pair<In<std::uint8_t>, In<std::int64_t>>;                              // bytes, begins
using Group = std::tuple<In<std::int32_t>, In<std::int32_t>, std::vector<std::size_t>>;  // ids, values, pools
using Rules = std::tuple<In<bool>, In<bool>, In<bool>>;

template <class X>
std::span<const X> span_of(const In<X>& array) {
    return {array.data(), array.size()};
}

// As bytes, because a file may have others than 0 and 1 in the place of a bool.
std::span<const std::uint8_t> span_of(const In<bool>& array) {
    return {reinterpret_cast<const std::uint8_t*>(array.data()), array.size()};
}

LaidNumbers numbers_of(const Numbers& array) {
    LaidNumbers numbers{.size = array.size()};
    if (array.dtype() == nb::dtype<double>())
        numbers.wide = static_cast<const double*>(array.data());
    else if (array.dtype() == nb::dtype<float>())
        numbers.narrow = static_cast<const float*>(array.data());
    else
        throw nb::type_error("float64 or float32 is wanted");
    return numbers;
}

// A Glance, and the arrays that it looks at.
class HeldGlance {
public:
    HeldGlance(std::vector<Text> texts, std::vector<Group> groups, std::size_t L, In<std::int64_t> begin,
               In<Label> label, Numbers weights, Numbers moves, Rules rules)
        : texts_(std::move(texts)),
          groups_(std::move(groups)),
          begin_(std::move(begin)),
          label_(std::move(label)),
          weights_(std::move(weights)),
          moves_(std::move(moves)),
          rules_(std::move(rules)),
          glance_(strings(), attributes(), chain(L)) {}

    // Readings are (token, group, texts); None when the usual way should answer.
    nb::object labels(const nb::list& readings, const std::vector<std::size_t>& lengths) {
        std::size_t tokens = 0;
        for (const std::size_t length : lengths) tokens += length;
        std::vector<Reading> read;
        for (const nb::handle item : readings) {
            const nb::tuple reading = nb::cast<nb::tuple>(item);
            read.push_back({nb::cast<std::size_t>(reading[0]), nb::cast<std::size_t>(reading[1]), {}});
            for (const nb::handle text : nb::cast<nb::list>(reading[2])) {
                const Utf8 utf8 = utf8_of(text.ptr());
                if (!utf8.ok) return nb::none();
                read.back().values.push_back(utf8.text);
            }
            const Reading& last = read.back();
            if (last.token >= tokens || last.group >= groups_.size() ||
                last.values.size() != std::get<2>(groups_[last.group]).size())
                throw std::invalid_argument("seqlab._core: a reading outside of tokens or groups");
        }
        const auto found = glance_.labels(read, lengths);
        return found ? nb::cast(*found) : nb::none();
    }

private:
    std::vector<LaidStrings> strings() const {
        std::vector<LaidStrings> made;
        for (const auto& [bytes, begins] : texts_) made.push_back({span_of(bytes), span_of(begins)});
        return made;
    }
    std::vector<LaidAttributes> attributes() const {
        std::vector<LaidAttributes> made;
        for (const auto& [ids, values, pools] : groups_) {
            for (const std::size_t pool : pools)
                if (pool >= texts_.size()) throw std::invalid_argument("seqlab._core: there is no such pool");
            made.push_back({pools, span_of(ids), span_of(values)});
        }
        return made;
    }
    LaidChain chain(std::size_t L) const {
        const auto& [forbidden, no_start, no_end] = rules_;
        return {.L = L,
                .begin = span_of(begin_),
                .label = span_of(label_),
                .weights = numbers_of(weights_),
                .moves = numbers_of(moves_),
                .forbidden = span_of(forbidden),
                .no_start = span_of(no_start),
                .no_end = span_of(no_end)};
    }

    std::vector<Text> texts_;
    std::vector<Group> groups_;
    In<std::int64_t> begin_;
    In<Label> label_;
    Numbers weights_, moves_;
    Rules rules_;
    Glance glance_;
};

}  // namespace

void bind_glance(nb::module_& m) {
    nb::class_<HeldGlance>(m, "Glance",
                           "Looks up a few tokens in the arrays of a model file, which nobody has checked.")
        .def(
            nb::init<std::vector<Text>, std::vector<Group>, std::size_t, In<std::int64_t>, In<Label>, Numbers,
                     Numbers, Rules>(),
            "texts"_a.noconvert(), "groups"_a.noconvert(), "L"_a, "begin"_a.noconvert(),
            "label"_a.noconvert(), "weights"_a.noconvert(), "moves"_a.noconvert(), "rules"_a.noconvert(),
            nb::sig("def __init__(self, texts: list[tuple[typing.Any, typing.Any]], groups: "
                    "list[tuple[typing.Any, typing.Any, list[int]]], L: int, begin: typing.Any, label: "
                    "typing.Any, "
                    "weights: typing.Any, moves: typing.Any, rules: tuple[typing.Any, typing.Any, "
                    "typing.Any]) -> "
                    "None"),
            "Buffers of any kind: texts (bytes, begins), groups (ids, values, places among the texts), rules "
            "(forbidden, no_start, no_end).")
        .def("labels", &HeldGlance::labels, "readings"_a, "lengths"_a,
             nb::sig("def labels(self, readings: list[tuple[int, int, list[str]]], lengths: list[int]) -> "
                     "list[int] "
                     "| None"),
             "Label numbers of all tokens; readings are (token, group, values). None when anything is odd or "
             "close.");
}

}  // namespace seqlab::bind
