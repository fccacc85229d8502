#include "corpus/block_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/text/utf8.hpp"

namespace seqlab {

bool is_blank(std::string_view line) {
    return std::all_of(line.begin(), line.end(), [](char c) { return is_blank(c); });
}

std::size_t last_sentence_end(std::string_view block, bool line_is_sentence) {
    std::size_t end = block.rfind('\n');
    if (end == std::string_view::npos) return 0;
    if (line_is_sentence) return end + 1;
    while (end > 0) {
        const std::size_t before = block.rfind('\n', end - 1);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        if (is_blank(block.substr(begin, end - begin))) return end + 1;
        if (begin == 0) return 0;
        end = before;
    }
    return 1;  // the block begins with an empty line
}

namespace {

// Index of the first byte that is NUL or not UTF-8.
std::size_t first_unsound(std::string_view block) {
    return std::min(std::min(block.find('\0'), block.size()), first_bad_utf8(block));
}

}  // namespace

Finding BlockReader::feed(std::string_view block) {
    readable_ = block.data() + block.size();
    const std::size_t sound = first_unsound(block);
    std::size_t end = block.size();
    if (sound < block.size()) {
        const std::size_t newline = sound == 0 ? std::string_view::npos : block.rfind('\n', sound - 1);
        end = newline == std::string_view::npos ? 0 : newline + 1;
    }
    if (const Finding found = read_lines(block, end)) return found;
    return sound < block.size() ? unsound(block, sound) : Finding{};
}

Finding BlockReader::read_lines(std::string_view block, std::size_t end) {
    const char* const data = block.data();
    std::size_t begin = 0;
    while (begin < end) {
        const void* newline = std::memchr(data + begin, '\n', end - begin);
        ends_in_newline_ = newline != nullptr;
        const auto stop = newline ? static_cast<std::size_t>(static_cast<const char*>(newline) - data) : end;
        std::string_view line = block.substr(begin, stop - begin);
        ++line_;
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
            if (++crlf_lines_ == 1) first_crlf_ = line_;
        }
        Finding found =
            line.size() > longest_line_
                ? Finding{.kind = Trouble::long_line, .number = static_cast<std::int64_t>(line.size())}
                : read_line(line);
        if (found) {
            found.line = line_;
            found.begin = static_cast<std::int64_t>(begin);
            found.end = found.begin + static_cast<std::int64_t>(line.size());
            return found;
        }
        begin = stop + 1;
    }
    return {};
}

// Describe the fault at byte `at`; the lines before it have been read.
Finding BlockReader::unsound(std::string_view block, std::size_t at) const {
    const std::size_t newline = at == 0 ? std::string_view::npos : block.rfind('\n', at - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    return {.kind = block[at] == '\0' ? Trouble::nul : Trouble::utf8,
            .line = line_ + 1,
            .begin = static_cast<std::int64_t>(begin),
            .end = static_cast<std::int64_t>(std::min(block.find('\n', at), block.size())),
            .number = static_cast<std::int64_t>(at - begin)};
}

void BlockReader::token_added() {
    if (tokens_ == 0) {
        add_blank_lines();
        first_line_ = line_;
    }
    ++tokens_;
}

void BlockReader::add_blank_lines() {
    if (empty_lines_ == 0) return;
    const std::string between(static_cast<std::size_t>(empty_lines_ - 1), '\n');
    table_.extras.add(table_.sentences(), 0, between);
    empty_lines_ = 0;
}

void BlockReader::close_sentence() {
    table_.offsets.push_back(table_.offsets.back() + tokens_);
    table_.lines.push_back(first_line_);
    tokens_ = 0;
}

void BlockReader::blank_line(std::string_view line) {
    if (tokens_ == 0) {
        if (line.empty())
            add_empty_line();
        else
            add_extra(line);
        return;
    }
    if (!line.empty()) table_.extras.add(table_.sentences(), tokens_ + 1, line);
    close_sentence();
}

void BlockReader::finish() {
    if (tokens_ == 0) return;
    table_.extras.add(table_.sentences(), tokens_ + 1, Extras::absent);
    close_sentence();
}

}  // namespace seqlab
