#include "corpus/column_reader.hpp"

#include <algorithm>
#include <utility>

namespace seqlab {

namespace {

constexpr std::string_view docstart = "-DOCSTART-";

// Upper limit: a string pool for each of 200,000 columns would fill 11 GB before any error is noticed.
constexpr std::size_t most_columns = 2000;

enum class Id { word, range, empty_node, bad };

std::size_t digits_at(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return end - begin;
}

// Classify a CoNLL-U id: 7 (word), 3-4 (range), 8.1 (empty node).
Id kind_of_id(std::string_view id) {
    const std::size_t first = digits_at(id, 0);
    if (first == 0) return Id::bad;
    if (first == id.size()) return Id::word;
    const std::size_t second = digits_at(id, first + 1);
    if (second == 0 || first + 1 + second != id.size()) return Id::bad;
    return id[first] == '-' ? Id::range : id[first] == '.' ? Id::empty_node : Id::bad;
}

bool is_number(std::string_view id, std::int64_t wanted) {
    std::int64_t value = 0;
    if (id.size() > 18) return false;
    for (const char c : id) value = value * 10 + (c - '0');
    return value == wanted;
}

}  // namespace

ColumnReader::ColumnReader(ColumnRules rules, std::size_t longest_line)
    : BlockReader(longest_line), rules_(std::move(rules)) {}

Finding ColumnReader::read_line(std::string_view line) {
    if (is_blank(line)) {
        blank_line(line);
        return {};
    }
    const char separator = separator_of(line);
    // Blanks before the first cell mean nothing, so they are written nowhere: what begins a line is that cell.
    if (separator == ' ')
        while (is_blank(line.front())) line.remove_prefix(1);
    if (is_extra(line)) {
        if (rules_.docstart && tokens() > 0 && line.starts_with(docstart)) finish();
        add_extra(line);
        return {};
    }
    rules_.separator = separator;
    split(line);
    if (!begun_ && rules_.width == 0 && rules_.picks.empty() && cells_.size() > most_columns)
        return {.kind = Trouble::too_wide, .number = static_cast<std::int64_t>(cells_.size())};
    if (!begun_ || table_.columns.empty()) begin_table();
    if (const Finding found = check()) return found;
    return rules_.numbered ? read_numbered(line) : add_token();
}

char ColumnReader::separator_of(std::string_view line) const {
    if (rules_.separator != '\0') return rules_.separator;
    return line.find('\t') < line.size() ? '\t' : ' ';
}

bool ColumnReader::is_extra(std::string_view line) const {
    if (!rules_.comment.empty() && line.starts_with(rules_.comment)) return true;
    return rules_.docstart && line.starts_with(docstart) &&
           (line.size() == docstart.size() || is_blank(line[docstart.size()]));
}

void ColumnReader::split(std::string_view line) {
    cells_.clear();
    const char* const end = line.data() + line.size();
    const char* begin = line.data();
    if (rules_.separator == ' ') {
        while (true) {
            while (begin < end && is_blank(*begin)) ++begin;
            if (begin == end) return;
            const char* stop = begin;
            while (stop < end && !is_blank(*stop)) ++stop;
            cells_.emplace_back(begin, static_cast<std::size_t>(stop - begin));
            begin = stop;
        }
    }
    const char separator = rules_.separator;
    for (const char* at = begin; at < end; ++at) {
        if (*at != separator) continue;
        cells_.emplace_back(begin, static_cast<std::size_t>(at - begin));
        begin = at + 1;
    }
    cells_.emplace_back(begin, static_cast<std::size_t>(end - begin));
}

// Determine separator, width and picks from the first token line, and make the columns.
void ColumnReader::begin_table() {
    if (!begun_) {
        begun_ = true;
        if (rules_.picks.empty()) {
            if (rules_.width == 0) rules_.width = cells_.size();
            for (std::size_t c = 0; c < rules_.width; ++c) rules_.picks.push_back(static_cast<int>(c));
        } else if (rules_.width == 0) {
            const auto [low, high] = std::minmax_element(rules_.picks.begin(), rules_.picks.end());
            least_ = static_cast<std::size_t>(std::max(*high + 1, 0) + std::max(-*low, 0));
        }
    }
    table_.columns.resize(rules_.picks.size());
}

Finding ColumnReader::check() const {
    const std::size_t found = cells_.size();
    if (rules_.width ? found != rules_.width : found < least_)
        return {.kind = Trouble::columns, .number = static_cast<std::int64_t>(found)};
    return {};
}

Finding ColumnReader::read_numbered(std::string_view line) {
    for (std::size_t c = 0; c < cells_.size(); ++c)
        if (cells_[c].empty()) return {.kind = Trouble::empty_cell, .number = static_cast<std::int64_t>(c)};
    switch (kind_of_id(cells_.front())) {
        case Id::range:
        case Id::empty_node:
            add_extra(line);
            return {};
        case Id::word:
            if (is_number(cells_.front(), tokens() + 1)) return add_token();
            [[fallthrough]];
        case Id::bad:
            break;
    }
    return {.kind = Trouble::bad_id, .number = tokens() + 1};
}

Finding ColumnReader::add_token() {
    const std::size_t size = rules_.picks.size();
    for (std::size_t c = 0; c < size; ++c) {
        const int pick = rules_.picks[c];
        const std::size_t i =
            pick < 0 ? cells_.size() - static_cast<std::size_t>(-pick) : static_cast<std::size_t>(pick);
        if (c == 0 && cells_[i].empty())
            return {.kind = Trouble::empty_cell, .number = static_cast<std::int64_t>(i)};
        table_.columns[c].add(cells_[i], readable());
    }
    token_added();
    return {};
}

}  // namespace seqlab
