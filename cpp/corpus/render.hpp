// Sentences back to text, one function per kind of file. What is written was checked before: no cell holds what the
// format cannot hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/string_pool.hpp"

namespace seqlab {

struct CodedColumn {
    const StringPool* pool;
    std::span<const StringId> codes;

    std::string_view at(std::size_t token) const { return pool->at(codes[token]); }
};

// As in struct Extras of corpus/table.hpp.
struct ExtraLines {
    std::span<const std::int64_t> sentence;
    std::span<const std::int64_t> position;
    CodedColumn text;
};

struct CodedBags {
    std::span<const std::int64_t> indptr;
    CodedColumn attributes;
    std::span<const double> weights;  // empty: all of them are 1
};

struct Sheet {
    std::vector<CodedColumn> columns;
    std::span<const std::int64_t> offsets;  // N + 1
    ExtraLines extras;
    std::string newline = "\n";

    std::size_t sentences() const { return offsets.size() - 1; }
};

// Sentences begin .. end; with the last sentence also the lines behind it.
std::string render_columns(const Sheet& sheet, std::string_view separator, std::size_t begin,
                           std::size_t end);
std::string render_text(const Sheet& sheet, bool escape_words, std::size_t begin, std::size_t end);
std::string render_attributes(const Sheet& sheet, const CodedBags& bags, std::size_t begin, std::size_t end);

// Which strings a format cannot hold.
struct Unwritable {
    std::string bytes;       // none of these
    bool empty = false;      // not the empty string, nor one of blanks only
    bool backslash = false;  // no backslash before a slash or at the end
};
// The first token whose string cannot be written; codes.size() when there is none.
std::size_t first_unwritable(const CodedColumn& column, const Unwritable& rules);

}  // namespace seqlab
