// Files read in one block and in several, as the door of Python cuts them, give the same table and the same error.
#pragma once

#include <algorithm>

#include "corpus/block_reader.hpp"
#include "input.hpp"

namespace seqlab::fuzz {

struct Outcome {
    Finding error;
    Table table;
};

// Feed blocks of about `block` bytes that end with a sentence.
inline Outcome read_in_blocks(BlockReader& reader, std::string_view text, std::size_t block,
                              bool line_is_sentence) {
    Outcome outcome;
    std::size_t size = block;
    while (!text.empty() && !outcome.error) {
        const bool last = size >= text.size();
        const std::string_view some = text.substr(0, size);
        const std::size_t end = last ? some.size() : last_sentence_end(some, line_is_sentence);
        law(end <= some.size(), "a block ends within itself");
        if (end == 0) {
            size *= 2;
            continue;
        }
        // A copy, so that a sanitizer sees what is read beyond its end.
        const std::vector<char> copy(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(end));
        outcome.error = reader.feed({copy.data(), copy.size()});
        if (outcome.error)
            law(outcome.error.begin >= 0 && outcome.error.begin <= outcome.error.end &&
                    static_cast<std::size_t>(outcome.error.end) <= copy.size(),
                "the line of an error lies in its block");
        text.remove_prefix(end);
        size = block;
    }
    if (!outcome.error) reader.finish();
    outcome.table = reader.take();
    return outcome;
}

inline void check_pool(const StringPool& pool, const std::vector<StringId>& codes, StringId least) {
    for (const StringId code : codes)
        law(code >= least && code < static_cast<StringId>(pool.size()), "codes are numbers of strings");
}

inline void check(const Table& table) {
    law(table.offsets.size() == table.lines.size() + 1, "every sentence has an end");
    law(std::is_sorted(table.offsets.begin(), table.offsets.end()), "sentences rise");
    for (const Column& column : table.columns) {
        check_pool(column.pool, column.codes, 0);
        law(table.offsets.back() <= static_cast<std::int64_t>(column.codes.size()), "every token has a cell");
    }
    check_pool(table.extras.pool, table.extras.text, Extras::absent);
}

inline void check_same(const Outcome& one, const Outcome& other) {
    law(one.error.kind == other.error.kind && one.error.line == other.error.line &&
            one.error.number == other.error.number,
        "blocks do not change the error");
    if (one.error) return;
    law(one.table.offsets == other.table.offsets && one.table.lines == other.table.lines,
        "blocks do not change the sentences");
    law(one.table.columns.size() == other.table.columns.size(), "blocks do not change the columns");
    for (std::size_t c = 0; c < one.table.columns.size(); ++c)
        law(one.table.columns[c].codes == other.table.columns[c].codes, "blocks do not change the cells");
    law(one.table.extras.position == other.table.extras.position &&
            one.table.extras.text == other.table.extras.text,
        "blocks do not change the other lines");
}

}  // namespace seqlab::fuzz
