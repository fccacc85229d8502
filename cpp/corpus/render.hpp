// Write sentences as text, one function per file format. Python has checked that every cell can be represented in the
// format.
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

// See struct Extras of corpus/table.hpp.
struct ExtraLines {
    std::span<const std::int64_t> sentence;
    std::span<const std::int64_t> position;
    CodedColumn text;
};

struct CodedBags {
    std::span<const std::int64_t> indptr;
    CodedColumn attributes;
    std::span<const double> weights;  // empty: all are 1
};

struct Sheet {
    std::vector<CodedColumn> columns;
    std::span<const std::int64_t> offsets;  // N + 1
    ExtraLines extras;
    std::string newline = "\n";

    std::size_t sentences() const { return offsets.size() - 1; }
};

// Write sentences begin .. end; the last sentence of the corpus is followed by the extra lines after it.
std::string render_columns(const Sheet& sheet, std::string_view separator, std::size_t begin,
                           std::size_t end);
std::string render_text(const Sheet& sheet, bool escape_words, std::size_t begin, std::size_t end);
std::string render_attributes(const Sheet& sheet, const CodedBags& bags, std::size_t begin, std::size_t end);

// Rules for strings that a format cannot represent.
struct Unwritable {
    std::string bytes;       // forbidden bytes
    bool empty = false;      // forbid the empty string and strings of blanks
    bool backslash = false;  // forbid a backslash before a slash or at the end
};
// Index of the first token whose string cannot be written; codes.size() when there is none.
std::size_t first_unwritable(const CodedColumn& column, const Unwritable& rules);

}  // namespace seqlab
