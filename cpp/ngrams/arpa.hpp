// Back-off tables as ARPA files: logs to base 10, -99 for an impossible symbol.
#pragma once

#include <numbers>
#include <string>
#include <string_view>

#include "base/text/string_pool.hpp"
#include "ngrams/table.hpp"

namespace seqlab::ngrams {

inline constexpr double impossible = -99, log_of_ten = std::numbers::ln10;

// Write the table as text. `names` are those of every symbol, the start symbol last. For a flat table the file gives
// all symbols equal probability after shorter histories, so that backing off from a full history ends at the same
// number.
std::string arpa_text(const Table& table, std::span<const std::string_view> names);

// An error in a file: the line number, counted from 1, and the text there.
struct BadArpa {
    enum What {
        no_data,
        count_line,
        no_counts,
        too_long,
        header,
        how_many,
        fields,
        number,
        positive,
        stranger,
        prefix,
        twice,
        no_end,
        utf8
    };
    What what;
    std::size_t line;
    std::string text;
};

struct ArpaSection {
    std::vector<Symbol> symbols;  // one n-gram after another
    std::vector<double> log_prob, log_backoff;
    std::vector<std::size_t> line;

    std::size_t size() const { return log_prob.size(); }
};

struct ArpaFile {
    StringPool words;
    std::vector<ArpaSection> sections;
};

// Parse an ARPA file; throws BadArpa. `longest` is the length of the longest n-grams that are accepted.
ArpaFile read_arpa(std::string_view text, std::size_t longest);

// Build the table, with word i of the file under the number map[i]; the start symbol has the last number, `predicted`.
// Throws BadArpa for a repeated n-gram or one whose history is missing.
Table table_of(const ArpaFile& file, std::span<const Symbol> map, std::size_t predicted);

}  // namespace seqlab::ngrams
