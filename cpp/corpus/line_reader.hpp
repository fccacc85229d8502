// One sentence per line, blanks between tokens: plain text, or word/TAG.
#pragma once

#include <string>
#include <string_view>

#include "corpus/block_reader.hpp"

namespace seqlab {

class LineReader final : public BlockReader {
public:
    LineReader(bool tagged, std::size_t longest_line) : BlockReader(longest_line), tagged_(tagged) {}

    // True if a slash in some word was escaped.
    bool escaped() const { return escaped_; }

private:
    Finding read_line(std::string_view line) override;
    bool add_tagged(std::string_view token);
    std::string_view without_escapes(std::string_view text);

    bool tagged_;
    bool escaped_ = false;
    std::string buffer_;
};

}  // namespace seqlab
