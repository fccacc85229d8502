// Ready-made attributes to labels in one call: Python's objects are read, scored and decoded, and nothing is made in
// between. What ItemReader does not know, and what takes long, has the answer None: it is left to Python.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>
#include <vector>

#include "bind/corpus/items.hpp"
#include "bind/linear/arrays.hpp"
#include "linear/tagging/one_sequence.hpp"

namespace seqlab::bind {

namespace {

constexpr double largest_value = 1e18;  // LARGEST_VALUE of the encoder, which has the message

// The GIL is held throughout, and no Python code runs: calls from several threads come one after another.
class AttributeTagger {
public:
    AttributeTagger(const nb::dict& given, const nb::list& labels, TransitionScores chain)
        : kept_(given),
          arrays_(given),
          decoder_(row_decoder(arrays_, std::move(chain))),
          pool_(arrays_.strings("attributes")),
          number_(arrays_.of<std::int32_t>("ids")),
          reader_(ItemReader::found_in(pool_), ItemReader::Zeros::left_out),
          sequence_(decoder_, arrays_.of<std::int64_t>("begin")) {
        for (std::size_t i = 0; i < nb::len(labels); ++i) {
            labels_.push_back(nb::borrow(labels[i]));
            numbers_[labels[i]] = i;
        }
    }

    bool takes(std::size_t length) const { return sequence_.takes(length); }
    bool set(nb::handle tokens) {
        const NoCollection pause;
        if (!ListView::is_list(tokens.ptr()) ||
            !takes(static_cast<std::size_t>(ListView(tokens.ptr()).size())))
            return false;
        reader_.clear();
        if (!reader_.read(tokens.ptr()) || !finish(reader_)) return false;
        const auto& weights = reader_.weights();
        sequence_.set(reader_.indptr(), reader_.codes(), weights.empty() ? nullptr : weights.data());
        return true;
    }
    std::size_t size() const { return sequence_.T(); }
    // (T, L) in float64, what is forbidden at the ends included.
    nb::object scores() {
        std::vector<double> node = sequence_.scores();
        auto* kept = new std::vector<double>(std::move(node));
        nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
        return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>(
            kept->data(), {sequence_.T(), sequence_.L()}, owner));
    }
    nb::object best() {
        const NoCollection pause;
        const std::span<const Label> path = sequence_.best();
        if (path.empty()) return nb::none();
        return named(path.data(), path.size());
    }
    nb::object tag(nb::handle tokens) { return set(tokens) ? best() : nb::none(); }

    // Block by block, so that what was read is still in the cache when it is decoded.
    nb::object tag_all(const nb::list& given, std::size_t threads) {
        const nb::object sentences =
            nb::steal(PySequence_Tuple(given.ptr()));  // the list may change meanwhile
        const ListView all(sentences.ptr());
        nb::object list = nb::steal(PyList_New(all.size()));
        if (!list.is_valid()) throw nb::python_error();
        Block block(pool_);
        for (Py_ssize_t first = 0; first < all.size();) {
            const Py_ssize_t last = read(all, first, threads * Block::tokens, block);
            if (last < 0 || !decode(block, threads)) return nb::none();
            const NoCollection pause;
            for (Py_ssize_t s = first; s < last; ++s) {
                const auto begin =
                    static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(s - first)]);
                const auto end =
                    static_cast<std::size_t>(block.offsets[static_cast<std::size_t>(s - first) + 1]);
                set_item(list.ptr(), s, named(block.ids.data() + begin, end - begin).release().ptr());
            }
            first = last;
        }
        return list;
    }

    nb::object marginal(nb::handle label, nb::handle position) {
        if (!PyLong_CheckExact(position.ptr())) return nb::none();
        const Py_ssize_t t = PyLong_AsSsize_t(position.ptr());
        if (t == -1 && PyErr_Occurred()) PyErr_Clear();
        const std::optional<Label> y = number(label);
        if (!y || t < 0 || static_cast<std::size_t>(t) >= sequence_.T() || !sequence_.sum())
            return nb::none();
        return nb::float_(sequence_.marginal(static_cast<std::size_t>(t), static_cast<std::size_t>(*y)));
    }
    nb::object probability(nb::handle labels) {
        if (!PyList_CheckExact(labels.ptr()) && !PyTuple_CheckExact(labels.ptr())) return nb::none();
        const ListView all(labels.ptr());
        if (sequence_.T() == 0 || static_cast<std::size_t>(all.size()) != sequence_.T()) return nb::none();
        path_.clear();
        for (Py_ssize_t t = 0; t < all.size(); ++t) {
            const std::optional<Label> y = number(all[t]);
            if (!y) return nb::none();
            path_.push_back(*y);
        }
        if (!sequence_.sum()) return nb::none();
        return nb::float_(std::exp(sequence_.log_probability(path_)));
    }
    nb::object marginals() {
        if (sequence_.T() == 0 || !sequence_.sum()) return nb::none();
        const NoCollection pause;
        nb::list all;
        for (std::size_t t = 0; t < sequence_.T(); ++t) {
            nb::dict one;
            for (std::size_t y = 0; y < labels_.size(); ++y) one[labels_[y]] = sequence_.marginal(t, y);
            all.append(one);
        }
        return all;
    }

private:
    struct Block {
        static constexpr std::size_t tokens = 4096;

        explicit Block(const StringPool& pool)
            : reader(ItemReader::found_in(pool), ItemReader::Zeros::left_out) {}
        ItemReader reader;
        std::vector<std::int64_t> offsets;
        std::vector<Label> ids;
    };

    // Read sentences from `first` on until there are enough tokens; returns the first one that is left, or -1 for an
    // unusual shape.
    Py_ssize_t read(const ListView& all, Py_ssize_t first, std::size_t tokens, Block& block) const {
        const NoCollection pause;
        block.reader.clear();
        block.offsets.assign(1, 0);
        while (first < all.size() && block.reader.indptr().size() <= tokens) {
            if (!block.reader.read(all[first++])) return -1;
            block.offsets.push_back(static_cast<std::int64_t>(block.reader.indptr().size()) - 1);
        }
        return finish(block.reader) ? first : -1;
    }
    // False when a sentence has no legal labels.
    bool decode(Block& block, std::size_t threads) const {
        block.ids.resize(block.reader.indptr().size() - 1);
        const auto& weights = block.reader.weights();
        const Entries rows{block.reader.indptr(), block.reader.codes().data(),
                           weights.empty() ? nullptr : weights.data()};
        Unlocked unlocked;
        return decoder_(rows, block.offsets.data(), block.offsets.size() - 1, block.ids.data(), threads) < 0;
    }
    // From strings to attributes; false for values that the decoder is not made for.
    bool finish(ItemReader& reader) const {
        reader.settle();
        for (const double weight : reader.weights())
            if (!(std::abs(weight) <= largest_value)) return false;
        reader.renumber(number_);
        return true;
    }
    nb::object named(const Label* ids, std::size_t size) const {
        nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(size)));
        if (!list.is_valid()) throw nb::python_error();
        for (std::size_t t = 0; t < size; ++t)
            set_item(list.ptr(), static_cast<Py_ssize_t>(t),
                     nb::object(labels_[static_cast<std::size_t>(ids[t])]).release().ptr());
        return list;
    }
    // Of a label that is a string of no other class: hashing and comparing it runs no Python code.
    std::optional<Label> number(nb::handle label) const {
        if (!PyUnicode_CheckExact(label.ptr())) return std::nullopt;
        PyObject* const found = PyDict_GetItemWithError(numbers_.ptr(), label.ptr());
        if (!found) return std::nullopt;
        return static_cast<Label>(PyLong_AsLong(found));
    }

    const nb::dict kept_;
    const NamedArrays arrays_;
    const RowDecoder decoder_;
    const StringPool pool_;
    const std::span<const std::int32_t> number_;
    std::vector<nb::object> labels_;
    nb::dict numbers_;

    // The sequence that was set, and memory of the calls about it.
    ItemReader reader_;
    OneSequence sequence_;
    std::vector<Label> path_;
};

}  // namespace

void bind_attributes(nb::module_& m) {
    nb::class_<AttributeTagger>(
        m, "AttributeTagger",
        "Labels of tokens that are ready-made attributes, by first-order models "
        "(eq:linear-score, eq:viterbi). None is the answer to what is left to Python.")
        .def(
            "__init__",
            [](AttributeTagger* self, const nb::typed<nb::dict, nb::str, nb::any>& arrays,
               const nb::typed<nb::list, nb::any>& labels, const In<double>& edge, const In<float>& start,
               const In<float>& end) {
                new (self) AttributeTagger(arrays, labels, chain_of(edge, start, end));
            },
            "arrays"_a, "labels"_a, "edge"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert())
        .def("tag", &AttributeTagger::tag, "tokens"_a.none(),
             nb::sig("def tag(self, tokens: typing.Any) -> list[typing.Any] | None"),
             "Set a short sequence, and find its best labels.")
        .def("tag_all", &AttributeTagger::tag_all, "sentences"_a, "threads"_a,
             nb::sig("def tag_all(self, sentences: list[typing.Any], threads: int) -> list[list[typing.Any]] "
                     "| None"),
             "The best labels of sequences of any length; the one that was set stays.")
        .def("takes", &AttributeTagger::takes, "length"_a,
             "True if a sequence of this length is a short one.")
        .def("set", &AttributeTagger::set, "tokens"_a.none(),
             "Set a short sequence; False where it is left to Python.")
        .def("__len__", &AttributeTagger::size, "Tokens of the sequence that was set.")
        .def("scores", &AttributeTagger::scores, nb::sig("def scores(self) -> NDArray[numpy.float64]"),
             "Its scores (T, L): eq:linear-score.")
        .def("best", &AttributeTagger::best, nb::sig("def best(self) -> list[typing.Any] | None"),
             "The best labels of the sequence that was set.")
        .def("marginal", &AttributeTagger::marginal, "label"_a.none(), "position"_a.none(),
             nb::sig("def marginal(self, label: typing.Any, position: typing.Any) -> float | None"),
             "Its posterior (eq:node-marginal).")
        .def("probability", &AttributeTagger::probability, "labels"_a.none(),
             nb::sig("def probability(self, labels: typing.Any) -> float | None"))
        .def("marginals", &AttributeTagger::marginals,
             nb::sig("def marginals(self) -> list[dict[typing.Any, float]] | None"));
}

}  // namespace seqlab::bind
