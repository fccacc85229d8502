// Tokenisers: a text of Python to arrays of places.

#include <memory>
#include <string>
#include <vector>

#include "base/text/utf8.hpp"
#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"
#include "text/rules/rules.hpp"
#include "text/trained/tokeniser.hpp"

namespace seqlab::bind {

namespace {

// The code points of a string; halves of surrogate pairs are kept.
class CodePoints {
public:
    explicit CodePoints(const nb::str& text) : points_(PyUnicode_AsUCS4Copy(text.ptr())) {
        if (!points_) throw nb::python_error();
        size_ = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
    }
    ~CodePoints() { PyMem_Free(points_); }
    CodePoints(const CodePoints&) = delete;
    CodePoints& operator=(const CodePoints&) = delete;

    text::Text view() const { return {reinterpret_cast<const char32_t*>(points_), size_}; }

private:
    Py_UCS4* points_;
    std::size_t size_ = 0;
};

nb::tuple packed(text::Segmentation&& found) {
    return nb::make_tuple(as_array(std::move(found.begins)), as_array(std::move(found.ends)),
                          as_array(std::move(found.offsets)), as_array(std::move(found.joined)));
}

text::Words words_of(const std::vector<std::string>& some) {
    text::Words words;
    for (const std::string& one : some) {
        std::u32string word;
        for (std::size_t at = 0; at < one.size();) word.push_back(next_code_point(one, at));
        words.insert(std::move(word));
    }
    return words;
}

// Knowledge and weights of a trained tokeniser, and the arrays that they look into.
struct Learned {
    text::Knowledge known;
    text::Weights weights;
    std::vector<std::uint8_t> pairs, word_kinds;

    Learned(const text::Rules& rules, const In<std::uint8_t>& pairs_in, const In<std::uint64_t>& cuts,
            const In<std::uint64_t>& words, const In<std::uint8_t>& kinds)
        : pairs(pairs_in.data(), pairs_in.data() + pairs_in.size()),
          word_kinds(kinds.data(), kinds.data() + kinds.size()) {
        known.rules = rules;
        known.pairs = pairs;
        known.cuts = text::KeyTable(span_of(cuts));
        known.words = text::KeyTable(span_of(words));
        known.word_kinds = word_kinds;
    }
    Learned(const Learned&) = delete;
    Learned& operator=(const Learned&) = delete;

    void set_weights(const In<std::uint64_t>& keys, const In<float>& given, const In<float>& moves) {
        weights = text::Weights(span_of(keys), span_of(given), span_of(moves));
    }
};

}  // namespace

void bind_text(nb::module_& m) {
    nb::class_<text::Rules>(m, "TokenRules", "Rules of a tokeniser that needs no model.")
        .def(
            "__init__",
            [](text::Rules* self, bool clitics, bool split_hyphens, bool lines,
               const std::vector<std::string>& titles, const std::vector<std::string>& abbreviations,
               const std::vector<std::string>& starters) {
                new (self) text::Rules{clitics,          split_hyphens,           lines,
                                       words_of(titles), words_of(abbreviations), words_of(starters)};
            },
            "clitics"_a, "split_hyphens"_a, "lines"_a, "titles"_a, "abbreviations"_a, "starters"_a)
        .def(
            "segmented",
            [](const text::Rules& self, const nb::str& given) {
                const CodePoints points(given);
                text::Segmentation found;
                {
                    const Unlocked unlocked;
                    found = text::segmented(points.view(), self);
                }
                return packed(std::move(found));
            },
            "text"_a,
            nb::sig("def segmented(self, text: str) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, "
                    "numpy.ndarray]"),
            "(begins, ends, sentence offsets, joined) of the tokens of a text.");

    m.def(
        "class_codes",
        [](const nb::str& given) {
            const CodePoints points(given);
            std::vector<std::uint8_t> classes;
            for (const char32_t c : points.view())
                classes.push_back(static_cast<std::uint8_t>(text::class_table()[c]));
            return as_array(std::move(classes));
        },
        "text"_a, nb::sig("def class_codes(text: str) -> numpy.ndarray"),
        "Class of each character, as tokenisers see it.");
    m.attr("class_count") = text::class_count;
    m.def(
        "cut_keys",
        [](const nb::str& given, const In<std::int64_t>& places) {
            const CodePoints points(given);
            std::vector<std::uint64_t> keys;
            for (std::size_t i = 0; i < places.size(); ++i)
                keys.push_back(text::cut_key(points.view(), static_cast<std::size_t>(places.data()[i])));
            return as_array(std::move(keys));
        },
        "text"_a, "places"_a.noconvert(),
        nb::sig("def cut_keys(text: str, places: numpy.ndarray) -> numpy.ndarray"),
        "Contexts of places in a text, as keys.");
    m.def(
        "word_keys",
        [](const nb::str& given, const In<std::int64_t>& begins, const In<std::int64_t>& ends) {
            const CodePoints points(given);
            std::vector<std::uint64_t> keys;
            for (std::size_t i = 0; i < begins.size(); ++i)
                keys.push_back(text::word_key(points.view(), static_cast<std::size_t>(begins.data()[i]),
                                              static_cast<std::size_t>(ends.data()[i])));
            return as_array(std::move(keys));
        },
        "text"_a, "begins"_a.noconvert(), "ends"_a.noconvert(),
        nb::sig("def word_keys(text: str, begins: numpy.ndarray, ends: numpy.ndarray) -> numpy.ndarray"),
        "Words of a text in lower case, as keys.");
    nb::class_<Learned>(m, "LearnedTokens", "A trained tokeniser.")
        .def(nb::init<const text::Rules&, const In<std::uint8_t>&, const In<std::uint64_t>&,
                      const In<std::uint64_t>&, const In<std::uint8_t>&>(),
             "rules"_a, "pairs"_a.noconvert(), "cuts"_a.noconvert(), "words"_a.noconvert(),
             "word_kinds"_a.noconvert())
        .def("set_weights", &Learned::set_weights, "keys"_a.noconvert(), "weights"_a.noconvert(),
             "moves"_a.noconvert())
        .def(
            "examples",
            [](const Learned& self, const nb::str& given) {
                const CodePoints points(given);
                text::Examples found;
                {
                    const Unlocked unlocked;
                    found = text::examples_of(points.view(), self.known);
                }
                return nb::make_tuple(as_array(std::move(found.at)), as_array(std::move(found.gap)),
                                      as_array(std::move(found.offsets)), as_array(std::move(found.indptr)),
                                      as_array(std::move(found.keys)));
            },
            "text"_a, nb::sig("def examples(self, text: str) -> tuple[typing.Any, ...]"),
            "(places, gap, offsets of paragraphs, indptr, keys of features) of a text, for training.")
        .def(
            "segmented",
            [](const Learned& self, const nb::str& given) {
                const CodePoints points(given);
                text::Segmentation found;
                {
                    const Unlocked unlocked;
                    found = text::segmented(points.view(), self.known, self.weights);
                }
                return packed(std::move(found));
            },
            "text"_a,
            nb::sig("def segmented(self, text: str) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, "
                    "numpy.ndarray]"),
            "(begins, ends, sentence offsets, joined) of the tokens of a text.");
}

}  // namespace seqlab::bind
