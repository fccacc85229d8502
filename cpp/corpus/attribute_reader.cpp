#include "corpus/attribute_reader.hpp"

#include <algorithm>

#include "base/text/number.hpp"

namespace seqlab {

namespace {

// Index of the first colon that is not escaped, or the size of the cell.
std::size_t colon_of(std::string_view cell) {
    for (std::size_t i = 0; i < cell.size(); ++i) {
        if (cell[i] == ':') return i;
        if (cell[i] == '\\') ++i;
    }
    return cell.size();
}

// Parse a finite number that fills the text; empty text counts as 1.
bool weight_of(std::string_view text, double& weight) {
    weight = 1.0;
    return text.empty() || parse_number(text, weight);
}

}  // namespace

void Bag::add(std::string_view attribute, double weight) {
    if (weight != 1.0 && weights.empty()) weights.assign(codes.size(), 1.0);
    codes.push_back(pool.intern(attribute));
    if (weight != 1.0 || !weights.empty()) weights.push_back(weight);
}

Finding AttributeReader::read_line(std::string_view line) {
    if (is_blank(line)) {
        blank_line(line);
        return {};
    }
    if (line.front() == '@') return declaration(line);
    table_.columns.resize(1);
    bool labelled = false;
    std::int64_t cell = 0;
    for (std::size_t begin = 0; begin <= line.size(); ++cell) {
        const std::size_t end = std::min(line.find('\t', begin), line.size());
        const std::string_view text = line.substr(begin, end - begin);
        begin = end + 1;
        if (text.empty()) continue;
        if (!labelled) {
            table_.columns[0].add(without_escapes(text));
            labelled = true;
        } else if (!add_attribute(text)) {
            return {.kind = Trouble::bad_weight, .number = cell};
        }
    }
    bag_.indptr.push_back(static_cast<std::int64_t>(bag_.codes.size()));
    token_added();
    return {};
}

Finding AttributeReader::declaration(std::string_view line) {
    constexpr std::string_view weight_is = "@weight:";
    double weight;
    if (!line.starts_with(weight_is) || !weight_of(line.substr(weight_is.size()), weight))
        return {.kind = Trouble::declaration};
    add_extra(line);
    return {};
}

bool AttributeReader::add_attribute(std::string_view cell) {
    const std::size_t colon = colon_of(cell);
    double weight = 1.0;
    if (colon < cell.size() && !weight_of(cell.substr(colon + 1), weight)) return false;
    bag_.add(without_escapes(cell.substr(0, colon)), weight);
    return true;
}

// \: -> :   \\ -> backslash
std::string_view AttributeReader::without_escapes(std::string_view text) {
    if (text.find('\\') == std::string_view::npos) return text;
    buffer_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ':' || text[i + 1] == '\\')) ++i;
        buffer_.push_back(text[i]);
    }
    return buffer_;
}

}  // namespace seqlab
