#include "base/parallel/poll_steps.hpp"
#include "base/text/number.hpp"
#include "base/text/utf8.hpp"
#include "ngrams/arpa.hpp"

namespace seqlab::ngrams {

namespace {

class Reader {
public:
    Reader(std::string_view text, std::size_t longest) : text_(text), longest_(longest) {}

    ArpaFile run() {
        do {
            if (!next()) refuse(BadArpa::no_data);
        } while (line_ != "\\data\\");
        while (next() && line_.substr(0, 5) == "ngram") count_line();
        if (counts_.empty()) refuse(BadArpa::no_counts);
        for (std::size_t k = 0; k < counts_.size(); ++k) section(k);
        if (line_ != "\\end\\") refuse(ended_ ? BadArpa::no_end : BadArpa::header);
        return std::move(file_);
    }

private:
    // Advance to the next line that is not blank, stripped of white space.
    bool next() {
        while (at_ < text_.size()) {
            steps_();
            const std::size_t stop = std::min(text_.find('\n', at_), text_.size());
            line_ = text_.substr(at_, stop - at_);
            at_ = stop + 1;
            ++number_;
            while (!line_.empty() && blank(line_.back())) line_.remove_suffix(1);
            while (!line_.empty() && blank(line_.front())) line_.remove_prefix(1);
            if (!line_.empty()) return true;
        }
        line_ = {};
        ended_ = true;
        return false;
    }

    static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    [[noreturn]] void refuse(BadArpa::What what, std::string_view text) const {
        const bool sound = first_bad_utf8(text) == text.size();
        throw BadArpa{what, number_, sound ? std::string(text.substr(0, cut(text))) : std::string()};
    }
    [[noreturn]] void refuse(BadArpa::What what) const { refuse(what, line_); }

    // Length of the beginning of a long line that a message shows, without splitting a character.
    static std::size_t cut(std::string_view text) {
        std::size_t end = std::min<std::size_t>(text.size(), 80);
        while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
        return end;
    }

    void count_line() {
        const std::size_t equals = line_.find('=');
        double k = 0, count = 0;
        if (equals == std::string_view::npos || !whole(line_.substr(5, equals - 5), k) ||
            !whole(line_.substr(equals + 1), count) || k != static_cast<double>(counts_.size() + 1))
            refuse(BadArpa::count_line);
        if (counts_.size() == longest_) refuse(BadArpa::too_long);
        counts_.push_back(count);
    }

    static bool whole(std::string_view text, double& value) {
        while (!text.empty() && blank(text.front())) text.remove_prefix(1);
        while (!text.empty() && blank(text.back())) text.remove_suffix(1);
        // Fewer digits than a double can hold: the number is exact.
        return !text.empty() && text.size() < 16 &&
               text.find_first_not_of("0123456789") == std::string_view::npos && parse_number(text, value);
    }

    void section(std::size_t k) {
        if (ended_) refuse(BadArpa::no_end);
        std::string wanted = "\\";
        wanted += std::to_string(k + 1);
        wanted += "-grams:";
        if (line_ != wanted) refuse(BadArpa::header);
        file_.sections.emplace_back();
        while (next() && !heading()) entry(k);
        if (static_cast<double>(file_.sections[k].size()) != counts_[k])
            refuse(BadArpa::how_many, std::to_string(k + 1) +
                                          "-grams: " + std::to_string(file_.sections[k].size()) + " of " +
                                          std::to_string(static_cast<std::int64_t>(counts_[k])));
    }

    // A line of n-grams begins with a number, so a backslash begins a heading.
    bool heading() const { return line_.front() == '\\'; }

    void entry(std::size_t k) {
        std::string_view field[History::longest + 4];
        const std::size_t count = split(field, k + 3);
        if (count < k + 2 || count > k + 3) refuse(BadArpa::fields, std::to_string(k + 1));
        ArpaSection& section = file_.sections[k];
        const double log_prob = value(field[0]);
        if (log_prob > 0) refuse(BadArpa::positive, field[0]);
        for (std::size_t j = 1; j <= k + 1; ++j) section.symbols.push_back(word(k, field[j]));
        section.log_prob.push_back(log_prob);
        section.log_backoff.push_back(count == k + 3 ? value(field[k + 2]) : 0.0);
        section.line.push_back(number_);
    }

    // Split into at most most + 1 fields.
    std::size_t split(std::string_view* field, std::size_t most) const {
        std::size_t count = 0, at = 0;
        while (at < line_.size() && count <= most) {
            while (at < line_.size() && blank(line_[at])) ++at;
            std::size_t end = at;
            while (end < line_.size() && !blank(line_[end])) ++end;
            if (end > at) field[count++] = line_.substr(at, end - at);
            at = end;
        }
        return count;
    }

    // Parse a log to base 10 and convert it to a natural log.
    double value(std::string_view text) const {
        double found = 0;
        if (text == "-inf" || text == "-Inf" || text == "-infinity") return minus_infinity;
        if (!parse_number(text, found)) refuse(BadArpa::number, text);
        return found <= impossible ? minus_infinity : found * log_of_ten;
    }

    Symbol word(std::size_t k, std::string_view text) {
        if (k > 0) {
            const Symbol found = file_.words.find(text);
            if (found == StringPool::absent) refuse(BadArpa::stranger, text);
            return found;
        }
        if (first_bad_utf8(text) != text.size()) refuse(BadArpa::utf8, text);
        const std::size_t before = file_.words.size();
        const Symbol found = file_.words.intern(text);
        if (file_.words.size() == before) refuse(BadArpa::twice, text);
        return found;
    }

    std::string_view text_, line_;
    std::size_t longest_, at_ = 0, number_ = 0;
    bool ended_ = false;
    PollSteps steps_;
    std::vector<double> counts_;
    ArpaFile file_;
};

struct Entry {
    Node parent;
    Symbol symbol;
    std::size_t place;

    bool operator<(const Entry& other) const {
        return parent != other.parent ? parent < other.parent : symbol < other.symbol;
    }
};

// Entries of a section, sorted as its level requires; the levels above are complete.
std::vector<Entry> ordered(const Trie& trie, const ArpaSection& section, std::size_t k,
                           std::span<const Symbol> map) {
    std::vector<Entry> entries(section.size());
    PollSteps steps;
    for (std::size_t i = 0; i < entries.size(); ++i, steps()) {
        const Symbol* symbol = section.symbols.data() + i * (k + 1);
        const auto number = [&](std::size_t j) { return map[static_cast<std::size_t>(symbol[j])]; };
        Node parent = number(0);
        for (std::size_t j = 1; j < k && parent != absent; ++j) parent = trie.child(j - 1, parent, number(j));
        if (parent == absent) throw BadArpa{BadArpa::prefix, section.line[i], std::to_string(k)};
        entries[i] = {parent, number(k), i};
    }
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
        steps();
        return a < b;
    });
    for (std::size_t i = 1; i < entries.size(); ++i)
        if (!(entries[i - 1] < entries[i])) throw BadArpa{BadArpa::twice, section.line[entries[i].place], ""};
    return entries;
}

}  // namespace

ArpaFile read_arpa(std::string_view text, std::size_t longest) {
    return Reader(text, longest).run();
}

Table table_of(const ArpaFile& file, std::span<const Symbol> map, std::size_t predicted) {
    Table table;
    table.predicted = predicted;
    Level first;
    for (std::size_t i = 0; i <= predicted; ++i) first.symbol.push_back(static_cast<Symbol>(i));
    first.parent.assign(first.size(), 0);
    table.log_prob.emplace_back(first.size(), minus_infinity);
    table.log_backoff.emplace_back(first.size(), 0.0);
    for (std::size_t i = 0; i < file.sections[0].size(); ++i) {
        const auto symbol =
            static_cast<std::size_t>(map[static_cast<std::size_t>(file.sections[0].symbols[i])]);
        table.log_prob[0][symbol] = file.sections[0].log_prob[i];
        table.log_backoff[0][symbol] = file.sections[0].log_backoff[i];
    }
    table.trie.levels.push_back(std::move(first));
    // A file of unigrams becomes a bigram table with empty histories.
    for (std::size_t k = 1; k < std::max<std::size_t>(file.sections.size(), 2); ++k) {
        const ArpaSection none, &section = k < file.sections.size() ? file.sections[k] : none;
        Level level;
        std::vector<double> log_prob, log_backoff;
        for (const Entry& entry : ordered(table.trie, section, k, map)) {
            level.parent.push_back(entry.parent);
            level.symbol.push_back(entry.symbol);
            log_prob.push_back(section.log_prob[entry.place]);
            log_backoff.push_back(section.log_backoff[entry.place]);
        }
        table.trie.levels.push_back(std::move(level));
        table.log_prob.push_back(std::move(log_prob));
        table.log_backoff.push_back(std::move(log_backoff));
        table.trie.link();
    }
    table.log_backoff.pop_back();
    return table;
}

}  // namespace seqlab::ngrams
