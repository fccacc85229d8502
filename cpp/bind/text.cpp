// Tokenisers: a text of Python to arrays of places.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text/utf8.hpp"
#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "text/rules/rules.hpp"

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
}

}  // namespace seqlab::bind
