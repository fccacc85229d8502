// Sentences as columns: for every column one string number per token and a pool of distinct strings; the offset of each
// sentence; and the lines of the file that are not tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text/string_pool.hpp"
#include "corpus/recent_strings.hpp"

namespace seqlab {

struct Column {
    StringPool pool;
    std::vector<StringId> codes;
    RecentStrings recent;

    // Add a cell; `readable` is the end of the memory around it that may be read.
    void add(std::string_view cell, const char* readable) {
        codes.push_back(recent.intern(pool, cell, readable));
    }
    void add(std::string_view cell) { codes.push_back(pool.intern(cell)); }
};

// Lines that are not tokens, each before token `position` of `sentence`. Position T is after the last token; T + 1 is
// the line that ends the sentence, if that is not blank: its text, or `absent` at the end of the file. A text of n
// newlines stands for n + 1 empty lines.
struct Extras {
    static constexpr StringId absent = StringPool::absent;

    std::vector<std::int64_t> sentence;
    std::vector<std::int64_t> position;
    std::vector<StringId> text;
    StringPool pool;

    void add(std::int64_t s, std::int64_t t, std::string_view line) { add(s, t, pool.intern(line)); }
    void add(std::int64_t s, std::int64_t t, StringId id) {
        sentence.push_back(s);
        position.push_back(t);
        text.push_back(id);
    }
};

struct Table {
    std::vector<Column> columns;
    std::vector<std::int64_t> offsets{0};  // N + 1
    std::vector<std::int64_t> lines;       // of each sentence's first token, counted from 1
    Extras extras;

    std::int64_t sentences() const { return static_cast<std::int64_t>(lines.size()); }
};

}  // namespace seqlab
