#include "corpus/line_reader.hpp"

namespace seqlab {

namespace {

// Index of the last slash without a backslash before it; npos when there is none.
std::size_t last_slash(std::string_view token) {
    std::size_t at = token.rfind('/');
    while (at != std::string_view::npos && at > 0 && token[at - 1] == '\\') at = token.rfind('/', at - 1);
    return at;
}

}  // namespace

Finding LineReader::read_line(std::string_view line) {
    table_.columns.resize(tagged_ ? 2 : 1);
    std::size_t at = 0;
    while (true) {
        while (at < line.size() && is_blank(line[at])) ++at;
        if (at == line.size()) break;
        std::size_t end = at;
        while (end < line.size() && !is_blank(line[end])) ++end;
        const std::string_view token = line.substr(at, end - at);
        if (tagged_) {
            if (!add_tagged(token)) return {.kind = Trouble::no_tag, .number = tokens()};
        } else {
            table_.columns[0].add(token, readable());
        }
        token_added();
        at = end;
    }
    if (tokens() == 0)
        blank_line(line);
    else
        close_sentence();
    return {};
}

bool LineReader::add_tagged(std::string_view token) {
    const std::size_t slash = last_slash(token);
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == token.size()) return false;
    const std::string_view word = token.substr(0, slash);
    escaped_ = escaped_ || word.find("\\/") != std::string_view::npos;
    table_.columns[0].add(without_escapes(word));
    table_.columns[1].add(without_escapes(token.substr(slash + 1)));
    return true;
}

// \/ -> /
std::string_view LineReader::without_escapes(std::string_view text) {
    if (text.find("\\/") == std::string_view::npos) return text;
    buffer_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '/') ++i;
        buffer_.push_back(text[i]);
    }
    return buffer_;
}

}  // namespace seqlab
