#include "text/rules/rules.hpp"

namespace seqlab::text {

namespace {

class Splitter {
public:
    Splitter(Text text, const Tokens& tokens, const Rules& rules)
        : text_(text), tokens_(tokens), rules_(rules), table_(class_table()) {}

    std::vector<std::int64_t> all() {
        const std::size_t size = tokens_.begins.size();
        std::vector<std::int64_t> offsets{0};
        for (std::size_t t = 0; t + 1 < size; ++t) {
            std::size_t last = t;
            bool ends = gap_ends(t);
            if (!ends && may_end(tokens_.roles[t])) {
                while (last + 1 < size && closes(last + 1) && !gap_ends(last)) ++last;
                ends = last + 1 < size && (gap_ends(last) || boundary(first_, t, last));
            }
            if (!ends) continue;
            t = last;
            first_ = last + 1;
            offsets.push_back(static_cast<std::int64_t>(first_));
        }
        if (size > 0) offsets.push_back(static_cast<std::int64_t>(size));
        return offsets;
    }

private:
    std::size_t begin(std::size_t t) const { return static_cast<std::size_t>(tokens_.begins[t]); }
    std::size_t end(std::size_t t) const { return static_cast<std::size_t>(tokens_.ends[t]); }

    // True if a paragraph, or with `lines` a line, ends behind token t.
    bool gap_ends(std::size_t t) const {
        const std::size_t from = end(t), to = begin(t + 1);
        if (to == from) return false;
        return rules_.lines ? lines_between(text_, from, to) > 0 : paragraph_between(text_, from, to);
    }

    static bool may_end(Role role) {
        return role == Role::period || role == Role::ellipsis || role == Role::terminal ||
               role == Role::stop || role == Role::abbreviation;
    }

    // True for brackets and quotes that close right behind the token before.
    bool closes(std::size_t t) const {
        const Role role = tokens_.roles[t];
        if (begin(t) > end(t - 1)) return false;
        return role == Role::closing || role == Role::quote;
    }

    // True if the sentence from `first` ends with token t and the closing marks up to `last`.
    bool boundary(std::size_t first, std::size_t t, std::size_t last) const {
        const std::size_t next = last + 1, size = tokens_.begins.size();
        const Role role = tokens_.roles[t];
        if (role == Role::stop) return true;
        std::size_t word = next;  // behind opening marks
        while (word + 1 < size && word < next + 3 && marks(word)) ++word;
        const Class start = table_[text_[begin(word)]];
        const bool apart = begin(next) > end(last);
        if (!apart)
            return start == Class::upper && (role == Role::period || role == Role::terminal) && word == next;
        if (start == Class::lower) return false;
        if (role == Role::abbreviation) return start == Class::upper && rules_.starters.contains(lower(word));
        if (role == Role::ellipsis)
            return start == Class::upper || start == Class::ideograph || start == Class::letter;
        if (role == Role::period && t == first + 1 && numbers(first)) return false;  // 1. an item of a list
        const Role after = tokens_.roles[next];
        return after != Role::period && after != Role::closing && after != Role::terminal;
    }

    bool marks(std::size_t t) const {
        const Role role = tokens_.roles[t];
        return role == Role::opening || role == Role::quote;
    }
    bool numbers(std::size_t t) const {
        for (std::size_t i = begin(t); i < end(t); ++i)
            if (table_[text_[i]] != Class::digit) return false;
        return true;
    }
    std::u32string lower(std::size_t t) const {
        std::u32string word;
        for (std::size_t i = begin(t); i < end(t) && word.size() < 24; ++i) word.push_back(lowered(text_[i]));
        return word;
    }

    Text text_;
    const Tokens& tokens_;
    const Rules& rules_;
    const Class* table_;
    std::size_t first_ = 0;  // token of the sentence
};

}  // namespace

std::size_t lines_between(Text text, std::size_t begin, std::size_t end) {
    const Class* table = class_table();
    std::size_t lines = 0;
    for (std::size_t i = begin; i < end; ++i)
        if (table[text[i]] == Class::line && !(text[i] == '\n' && i > begin && text[i - 1] == '\r')) ++lines;
    return lines;
}

bool paragraph_between(Text text, std::size_t begin, std::size_t end) {
    constexpr char32_t paragraph = 0x2029, page = '\f';
    if (end - begin == 1) return text[begin] == paragraph || text[begin] == page;
    for (std::size_t i = begin; i < end; ++i)
        if (text[i] == paragraph || text[i] == page) return true;
    return lines_between(text, begin, end) > 1;
}

std::vector<std::int64_t> sentences_of(Text text, const Tokens& tokens, const Rules& rules) {
    return Splitter(text, tokens, rules).all();
}

}  // namespace seqlab::text
