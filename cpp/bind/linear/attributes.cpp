// Ready-made attributes to labels in one call: Python's objects are read, scored and decoded, and nothing is made in
// between. What ItemReader does not know, and what takes long, has the answer None: it is left to Python.

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "bind/corpus/items.hpp"
#include "bind/linear/arrays.hpp"
#include "bind/stl.hpp"
#include "linear/tagging/one_sequence.hpp"

namespace seqlab::bind {

namespace {

constexpr double largest_value = 1e18;  // LARGEST_VALUE of the encoder, which has the message

// The GIL is held while tokens are read, and no Python code runs then: calls from several threads read one after
// another.
class AttributeTagger {
public:
    AttributeTagger(const nb::dict& given, const nb::list& labels, BestLabels chain)
        : kept_(given),
          arrays_(given),
          decoder_(row_decoder(arrays_, std::move(chain))),
          pool_(arrays_.strings("attributes")),
          number_(arrays_.of<std::int32_t>("ids")),
          reader_(places_of_attributes(), Zeros::left_out),
          sequence_(decoder_) {
        for (const nb::handle label : labels) labels_.push_back(nb::borrow(label));
    }

    nb::object tag(nb::handle tokens) {
        const NoCollection pause;
        if (!ListView::is_list(tokens.ptr()) ||
            !sequence_.takes(static_cast<std::size_t>(ListView(tokens.ptr()).size())))
            return nb::none();
        reader_.clear();
        if (!reader_.read(tokens.ptr()) || !finish()) return nb::none();
        const auto& weights = reader_.weights();
        const std::span<const Label> path = sequence_.best(
            {reader_.indptr(), reader_.found().data(), weights.empty() ? nullptr : weights.data()});
        return path.empty() ? nb::none() : named(path.data(), path.size());
    }

    // Block by block, so that what was read is still in the cache when it is decoded.
    nb::object tag_all(const nb::list& given, std::size_t threads) {
        const nb::object sentences =
            nb::steal(PySequence_Tuple(given.ptr()));  // the list may change meanwhile
        const ListView all(sentences.ptr());
        nb::object list = nb::steal(PyList_New(all.size()));
        if (!list.is_valid()) throw nb::python_error();
        Block block;
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

private:
    struct Block {
        static constexpr std::size_t tokens = 4096;

        std::vector<std::int64_t> indptr, offsets;
        std::vector<std::uint64_t> places;
        std::vector<double> weights;
        std::vector<Label> ids;

        PlacedEntries rows() const {
            return {indptr, places.data(), weights.empty() ? nullptr : weights.data()};
        }
    };

    // Read sentences from `first` on until there are enough tokens; returns the first one that is left, or -1 for an
    // unusual shape.
    Py_ssize_t read(const ListView& all, Py_ssize_t first, std::size_t tokens, Block& block) {
        const NoCollection pause;
        reader_.clear();
        block.offsets.assign(1, 0);
        while (first < all.size() && reader_.indptr().size() <= tokens) {
            if (!reader_.read(all[first++])) return -1;
            block.offsets.push_back(static_cast<std::int64_t>(reader_.indptr().size()) - 1);
        }
        if (!finish()) return -1;
        // The reader belongs to other threads while this one decodes.
        block.indptr.swap(reader_.indptr());
        block.places.swap(reader_.found());
        block.weights.swap(reader_.weights());
        return first;
    }
    // False when a sentence has no legal labels.
    bool decode(Block& block, std::size_t threads) const {
        block.ids.resize(block.indptr.size() - 1);
        Unlocked unlocked;
        return decoder_(block.rows(), block.offsets.data(), block.offsets.size() - 1, block.ids.data(),
                        threads) < 0;
    }
    // Find the strings that wait; false for values that the decoder is not made for.
    bool finish() {
        if (!reader_.settle()) return false;
        for (const double weight : reader_.weights())
            if (!(std::abs(weight) <= largest_value)) return false;
        return true;
    }
    TextLookup<std::uint64_t>::Table places_of_attributes() const {
        return [this](std::span<const std::string_view> texts, std::uint64_t* found) {
            std::array<StringId, StringPool::together> ids;
            pool_.find(texts, ids.data());
            const std::span<const std::uint64_t> places = decoder_.places();
            for (std::size_t i = 0; i < texts.size(); ++i) {
                const auto known = static_cast<std::size_t>(ids[i]);
                ids[i] = known < number_.size() ? read_once(number_.data() + known) : StringPool::absent;
                if (static_cast<std::size_t>(ids[i]) < places.size()) __builtin_prefetch(&places[ids[i]]);
            }
            for (std::size_t i = 0; i < texts.size(); ++i) {
                const auto attribute = static_cast<std::size_t>(ids[i]);
                found[i] = attribute < places.size() ? places[attribute] : Place{}.bits();
            }
        };
    }
    nb::object named(const Label* ids, std::size_t size) const {
        nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(size)));
        if (!list.is_valid()) throw nb::python_error();
        for (std::size_t t = 0; t < size; ++t)
            set_item(list.ptr(), static_cast<Py_ssize_t>(t),
                     nb::object(labels_[static_cast<std::size_t>(ids[t])]).release().ptr());
        return list;
    }
    const nb::dict kept_;
    const NamedArrays arrays_;
    const RowDecoder decoder_;
    const StringPool pool_;
    const std::span<const std::int32_t> number_;
    std::vector<nb::object> labels_;

    ItemReader<std::uint64_t> reader_;
    OneSequence sequence_;  // memory of calls for one
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
               const nb::typed<nb::list, nb::any>& labels, const In<float>& edge, const In<float>& start,
               const In<float>& end) {
                new (self) AttributeTagger(arrays, labels, chain_of(edge, start, end));
            },
            "arrays"_a, "labels"_a, "edge"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert())
        .def("tag", &AttributeTagger::tag, "tokens"_a.none(),
             nb::sig("def tag(self, tokens: typing.Any) -> list[typing.Any] | None"),
             "The best labels of a short sequence.")
        .def("tag_all", &AttributeTagger::tag_all, "sentences"_a, "threads"_a,
             nb::sig("def tag_all(self, sentences: list[typing.Any], threads: int) -> list[list[typing.Any]] "
                     "| None"),
             "The best labels of sequences of any length.");
}

}  // namespace seqlab::bind
