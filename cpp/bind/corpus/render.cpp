// Write corpora as bytes.

#include "corpus/render.hpp"
#include "bind/batch.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/stl.hpp"

namespace seqlab::bind {

namespace {

// A sheet, with the Python objects that its views refer to kept alive.
struct KeptSheet {
    Sheet sheet;
    std::vector<nb::object> alive;

    CodedColumn column(const nb::object& codes, const nb::object& pool) {
        alive.push_back(codes);
        alive.push_back(pool);
        return {&nb::cast<const StringPool&>(pool), span_of(nb::cast<In<StringId>>(codes))};
    }
};

nb::bytes as_bytes(const std::string& text) {
    return nb::bytes(text.data(), text.size());
}

void make_sheet(KeptSheet* self, const std::vector<std::pair<nb::object, nb::object>>& columns,
                const In<std::int64_t>& offsets, const In<std::int64_t>& sentence,
                const In<std::int64_t>& position, const nb::object& text, const nb::object& pool,
                std::string newline) {
    new (self) KeptSheet;
    for (const auto& [codes, strings] : columns) self->sheet.columns.push_back(self->column(codes, strings));
    self->sheet.offsets = span_of(offsets);
    self->sheet.extras = {span_of(sentence), span_of(position), self->column(text, pool)};
    self->sheet.newline = std::move(newline);
    for (const In<std::int64_t>& array : {offsets, sentence, position})
        self->alive.push_back(nb::cast(array));
}

nb::bytes attributes(const KeptSheet& kept, const In<std::int64_t>& indptr, const In<StringId>& codes,
                     const std::optional<In<double>>& weights, const StringPool& pool, std::size_t begin,
                     std::size_t end) {
    const CodedBags bags{
        span_of(indptr), {&pool, span_of(codes)}, weights ? span_of(*weights) : std::span<const double>{}};
    return as_bytes(render_attributes(kept.sheet, bags, begin, end));
}

}  // namespace

void bind_render(nb::module_& m) {
    nb::class_<KeptSheet>(m, "Sheet", "Sentences to be written; begin and end count sentences.")
        .def("__init__", &make_sheet, "columns"_a, "offsets"_a.noconvert(), "sentence"_a.noconvert(),
             "position"_a.noconvert(), "text"_a, "pool"_a, "newline"_a)
        .def(
            "columns",
            [](const KeptSheet& kept, const std::string& separator, std::size_t begin, std::size_t end) {
                return as_bytes(render_columns(kept.sheet, separator, begin, end));
            },
            "separator"_a, "begin"_a, "end"_a)
        .def(
            "text",
            [](const KeptSheet& kept, bool escape_words, std::size_t begin, std::size_t end) {
                return as_bytes(render_text(kept.sheet, escape_words, begin, end));
            },
            "escape_words"_a, "begin"_a, "end"_a)
        .def("attributes", &attributes, "indptr"_a.noconvert(), "codes"_a.noconvert(),
             "weights"_a.noconvert().none(), "pool"_a, "begin"_a, "end"_a);
    m.def(
        "first_unwritable",
        [](const In<StringId>& codes, const StringPool& pool, std::string bytes, bool empty, bool backslash) {
            return first_unwritable({&pool, span_of(codes)}, {std::move(bytes), empty, backslash});
        },
        "codes"_a.noconvert(), "pool"_a, "bytes"_a, "empty"_a, "backslash"_a,
        "The first token whose string breaks a rule, or the number of tokens.");
}

}  // namespace seqlab::bind
