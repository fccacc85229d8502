// One token per line, in columns: the CoNLL layouts, and CoNLL-U with its numbered tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpus/block_reader.hpp"

namespace seqlab {

struct ColumnRules {
    char separator =
        '\0';  // '\t' or another byte; ' ' means runs of blanks; '\0' means the first token line decides
    std::size_t width = 0;   // cells per line; 0: as many as the first token line has
    std::vector<int> picks;  // cells to keep, negative ones counted from the right; empty: all cells
    std::string comment;     // prefix of comment lines; empty: there are no comments
    bool docstart = false;   // lines whose first cell is -DOCSTART- are not tokens
    bool numbered = false;   // CoNLL-U: ids count from 1; ranges 3-4 and empty nodes 8.1 are not tokens
};

class ColumnReader final : public BlockReader {
public:
    ColumnReader(ColumnRules rules, std::size_t longest_line);

    char separator() const { return rules_.separator; }
    std::size_t width() const { return rules_.width; }

private:
    Finding read_line(std::string_view line) override;
    // Return the separator of cells; the first token line decides where the rules do not.
    char separator_of(std::string_view line) const;
    bool is_extra(std::string_view line) const;
    void split(std::string_view line);
    void begin_table();
    Finding check() const;
    Finding read_numbered(std::string_view line);
    Finding add_token();

    ColumnRules rules_;
    std::size_t least_ = 0;  // fewest cells a line must have when only some are picked
    bool begun_ = false;     // separator, width and picks are known
    std::vector<std::string_view> cells_;
};

}  // namespace seqlab
