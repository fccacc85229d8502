// Base of all native readers: a block of whole lines is checked for NUL and invalid UTF-8, split into lines, and each
// line passed to the format. The sentences of all blocks end up in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "corpus/finding.hpp"
#include "corpus/table.hpp"

namespace seqlab {

// True for spaces, tabs and carriage returns.
inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
bool is_blank(std::string_view line);

// Length of the part of `block` up to and including the last blank line, or the last line when every line is a
// sentence; 0 when there is none.
std::size_t last_sentence_end(std::string_view block, bool line_is_sentence);

class BlockReader {
public:
    explicit BlockReader(std::size_t longest_line) : longest_line_(longest_line) {}
    virtual ~BlockReader() = default;
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;

    // Read a block; stops at the first error in the order of the file.
    Finding feed(std::string_view block);
    // End of the file: closes a sentence that no blank line ended.
    void finish();

    std::int64_t lines() const { return line_; }
    std::int64_t crlf_lines() const { return crlf_lines_; }
    std::int64_t first_crlf() const { return first_crlf_; }
    bool ends_in_newline() const { return ends_in_newline_; }

    Table take() {
        add_blank_lines();
        return std::exchange(table_, Table{});
    }

protected:
    // Read one line without its line end. The format fills in kind and number of an error.
    virtual Finding read_line(std::string_view line) = 0;

    std::int64_t tokens() const { return tokens_; }
    void token_added();
    void close_sentence();
    void add_extra(std::string_view line) {
        add_blank_lines();
        table_.extras.add(table_.sentences(), tokens_, line);
    }
    // Note an empty line between sentences; several in a row share one entry.
    void add_empty_line() { ++empty_lines_; }
    // Handle a blank line: the end of a sentence, or one of several blank lines.
    void blank_line(std::string_view line);

    // The end of the block that is being read.
    const char* readable() const { return readable_; }

    Table table_;

private:
    void add_blank_lines();
    Finding read_lines(std::string_view block, std::size_t end);
    Finding unsound(std::string_view block, std::size_t at) const;

    std::size_t longest_line_;
    const char* readable_ = nullptr;
    std::int64_t line_ = 0;
    std::int64_t first_line_ = 0;   // of the open sentence
    std::int64_t tokens_ = 0;       // of the open sentence
    std::int64_t empty_lines_ = 0;  // since the last entry, not yet in the table
    std::int64_t crlf_lines_ = 0;
    std::int64_t first_crlf_ = 0;
    bool ends_in_newline_ = true;
};

}  // namespace seqlab
