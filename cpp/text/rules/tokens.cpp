#include <string_view>

#include "base/parallel/poll.hpp"
#include "text/rules/patterns.hpp"
#include "text/rules/rules.hpp"

namespace seqlab::text {

namespace {

constexpr std::u32string_view groups = U"-*=~_#+^<>|/\\%&@$";  // of which several alike are one token
constexpr std::size_t longest_abbreviation = 24;

// Words that are written as one and count as two; the parts of the second begin at `at`.
struct Contraction {
    std::u32string_view word;
    std::size_t at;
};
constexpr Contraction contractions[] = {
    {U"cannot", 3}, {U"gonna", 3}, {U"gotta", 3}, {U"wanna", 3}, {U"lemme", 3}, {U"gimme", 3}, {U"dunno", 2},
};
// Words that begin with an apostrophe.
constexpr std::u32string_view shortened[] = {U"em",   U"cause", U"til",  U"n",  U"bout", U"tis",
                                             U"twas", U"round", U"nuff", U"im", U"er",   U"is"};

class Scanner {
public:
    Scanner(Text text, const Rules& rules) : text_(text), table_(class_table()), rules_(rules) {}

    Tokens all() {
        for (std::size_t i = 0; i < text_.size();) {
            if (is_blank(table_[text_[i]])) {
                ++i;
                continue;
            }
            std::size_t stop = i;
            bool at = false, link = false;
            for (; stop < text_.size() && !is_blank(table_[text_[stop]]); ++stop) {
                at |= text_[stop] == '@';
                link |= text_[stop] == '/' || text_[stop] == '.';
            }
            run_ = {text_, stop, table_};
            has_at_ = at;
            has_link_ = link;
            while (i < stop) i = token(i);
        }
        return std::move(out_);
    }

private:
    std::size_t add(std::size_t begin, std::size_t end, Role role = Role::plain, bool joined = false) {
        out_.begins.push_back(static_cast<std::int64_t>(begin));
        out_.ends.push_back(static_cast<std::int64_t>(end));
        out_.joined.push_back(joined);
        out_.roles.push_back(role);
        return end;
    }

    // Add the token at i, or the tokens of the word there, and return its end.
    std::size_t token(std::size_t i) {
        if ((++steps_ & 0xFFFF) == 0) poll();
        const Class c = run_.of(i);
        const bool fresh = i == 0 || !(run_.word(i - 1) && i > 0);
        if (fresh && (has_link_ || has_at_)) {
            if (has_link_)
                if (const std::size_t end = link(run_, i); end > i) return add(i, end);
            if (has_at_)
                if (const std::size_t end = address(run_, i); end > i) return add(i, end);
        }
        if (const std::size_t end = emoticon(run_, i); end > i) return add(i, end);
        switch (c) {
            case Class::upper:
            case Class::lower:
            case Class::letter:
            case Class::numeral:
                return word(i, i);
            case Class::connector:
                return run_.word(i + 1) && text_[i] != text_[i + 1] ? word(i, i) : mark(i);
            case Class::digit:
                if (const std::size_t end = keycap(run_, i); end > i) return add(i, end);
                return word(i, i);
            case Class::symbol:
            case Class::regional:
            case Class::tone:
                return add(i, picture(run_, i));
            case Class::apostrophe:
                return apostrophe(i);
            case Class::period:
                if (signs(i) && run_.of(i + 1) == Class::digit) return word(i, i + 1);
                return mark(i);
            case Class::hyphen:
            case Class::math:
                if (signs(i) && run_.of(i + 1) == Class::digit &&
                    (c == Class::hyphen || signed_math(text_[i])))
                    return word(i, i + 1);
                return mark(i);
            default:
                return mark(i);
        }
    }

    // True where a sign may belong to a number: at the beginning of a run, behind brackets and currencies.
    bool signs(std::size_t i) const {
        if (i == 0) return true;
        const Class before = table_[text_[i - 1]];
        return is_blank(before) || before == Class::opening || before == Class::currency;
    }
    static bool signed_math(char32_t c) { return c == '+' || c == 0x2212 || c == 0xB1; }

    // Letters, digits and marks from i on.
    std::size_t letters(std::size_t i) const {
        for (;; ++i) {
            const Class c = run_.of(i);
            if (c == Class::digit ? keycap(run_, i) > i : !(run_.word(i) || extends(c))) return i;
        }
    }

    // Add the word that begins at `begin`; what is before `from` belongs to it.
    std::size_t word(std::size_t begin, std::size_t from) {
        std::size_t end = run_.of(from) == Class::digit ? number(run_, from) : from;
        std::size_t part = from;  // after the last period
        bool dotted = false;
        for (;;) {
            end = letters(end);
            const Class c = run_.of(end);
            if (c == Class::apostrophe && is_letter(run_.of(end + 1)) && end > begin) {
                ++end;
            } else if (c == Class::hyphen && !rules_.split_hyphens && run_.word(end + 1) && !range(end)) {
                part = ++end;
                if (run_.of(end) == Class::digit) end = number(run_, end);
            } else if (c == Class::period && inner_period(part, end)) {
                part = ++end;
                dotted = true;
            } else if (run_.at(end) == '&' && run_.of(end - 1) == Class::upper &&
                       run_.of(end + 1) == Class::upper && entity(run_, end) == end) {
                ++end;
            } else {
                break;
            }
        }
        if (end == begin + 1 && run_.of(begin) == Class::upper) {  // C++, C#
            if (run_.at(end) == '+' && run_.at(end + 1) == '+' && !run_.word(end + 2))
                return add(begin, end + 2);
            if (run_.at(end) == '#' && !run_.word(end + 1)) return add(begin, end + 1);
        }
        if (run_.at(end) == '.' && run_.at(end + 1) != '.') {
            const Role role = abbreviated(begin, end, dotted);
            if (role != Role::plain) return add(begin, end + 1, role);
        }
        return rules_.clitics ? split(begin, end) : add(begin, end);
    }

    // A hyphen between numbers alone is a range: 1990-1995.
    bool range(std::size_t hyphen) const {
        return run_.of(hyphen - 1) == Class::digit && run_.of(hyphen + 1) == Class::digit;
    }

    // True if the period at `dot` is inside a word (example.org, U.S, e.g) and not between two sentences.
    bool inner_period(std::size_t part, std::size_t dot) const {
        const Class next = run_.of(dot + 1);
        if (next == Class::lower || next == Class::digit) return true;
        if (next != Class::upper) return false;
        const std::size_t length = dot - part;
        const bool single = !run_.word(dot + 2);
        return single && length <= 2 && run_.of(part) == Class::upper;
    }

    Role abbreviated(std::size_t begin, std::size_t end, bool dotted) const {
        const bool last = end + 1 == run_.stop || !run_.word(end + 1);
        if (!last || end - begin > longest_abbreviation) return Role::plain;
        std::u32string word;
        for (std::size_t i = begin; i < end; ++i) word.push_back(lowered(text_[i]));
        if (rules_.titles.contains(word)) return Role::title;
        if (rules_.abbreviations.contains(word)) return Role::abbreviation;
        if (dotted && acronym(begin, end)) return Role::abbreviation;
        const bool initial = end == begin + 1 && run_.of(begin) == Class::upper && text_[begin] != 'I';
        return initial ? Role::abbreviation : Role::plain;
    }

    // Single letters with periods between them.
    bool acronym(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i)
            if ((i - begin) % 2 == 0 ? !is_letter(run_.of(i)) : run_.of(i) != Class::period) return false;
        return true;
    }

    // Add a word, its clitics apart.
    std::size_t split(std::size_t begin, std::size_t end) {
        std::size_t cuts[4], count = 0, last = end;
        while (count < 4) {
            const std::size_t cut = clitic(begin, last);
            if (cut == last) break;
            cuts[count++] = last = cut;
        }
        std::size_t at = begin;
        for (std::size_t k = count; k-- > 0; at = cuts[k]) add(at, cuts[k], Role::plain, at > begin);
        return add(at, end, Role::plain, at > begin);
    }

    // The beginning of the last clitic of a word, or `end`.
    std::size_t clitic(std::size_t begin, std::size_t end) const {
        const std::size_t size = end - begin;
        const auto at = [&](std::size_t back) { return lowered(text_[end - back]); };
        const auto apostrophe = [&](std::size_t back) { return run_.of(end - back) == Class::apostrophe; };
        if (size > 3 && apostrophe(2) && at(1) == 't' && at(3) == 'n') return end - 3;
        if (size > 2 && apostrophe(2) && (at(1) == 's' || at(1) == 'm' || at(1) == 'd')) return end - 2;
        if (size > 3 && apostrophe(3)) {
            const char32_t a = at(2), b = at(1);
            if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l')) return end - 3;
        }
        if (size < 5 || size > 6) return end;
        for (const Contraction& one : contractions)
            if (equals(begin, end, one.word)) return begin + one.at;
        return end;
    }

    bool equals(std::size_t begin, std::size_t end, std::u32string_view word) const {
        if (end - begin != word.size()) return false;
        for (std::size_t i = begin; i < end; ++i)
            if (lowered(text_[i]) != word[i - begin]) return false;
        return true;
    }

    // 'em, '90s; or a mark of quotation.
    std::size_t apostrophe(std::size_t i) {
        const std::size_t end = letters(i + 1);
        if (signs(i) && run_.of(i + 1) == Class::digit && end >= i + 3 && end <= i + 4) return add(i, end);
        const bool after_word = i > 0 && run_.word(i - 1);
        if (!after_word && end > i + 1 && run_.of(end) != Class::apostrophe)
            for (const std::u32string_view one : shortened)
                if (equals(i + 1, end, one)) return add(i, end);
        if (text_[i] == '\'' && run_.at(i + 1) == '\'') return add(i, i + 2, Role::quote);
        const bool opens = !after_word && run_.word(i + 1);
        return add(i, run_.extended(i + 1), opens ? Role::opening : Role::quote);
    }

    // Add a mark of punctuation, with those of its kind that follow.
    std::size_t mark(std::size_t i) {
        const char32_t c = text_[i];
        const Class k = run_.of(i);
        std::size_t end = i + 1;
        if ((c == '#' || c == '@') && run_.word(end) && (i == 0 || !run_.word(i - 1) || !in_run(i - 1))) {
            if (c == '#' && keycap(run_, i) > i) return add(i, keycap(run_, i));
            return add(i, letters(end));
        }
        if (const std::size_t key = keycap(run_, i); key > i) return add(i, key);
        if (c == '&')
            if (const std::size_t known = entity(run_, i); known > i) return add(i, known);
        if (k == Class::period) {
            while (run_.at(end) == '.') ++end;
            return add(i, run_.extended(end), end > i + 1 ? Role::ellipsis : Role::period);
        }
        if (k == Class::terminal) {
            while (run_.of(end) == Class::terminal) ++end;
            return add(i, run_.extended(end), Role::terminal);
        }
        if (k == Class::stop) {
            while (run_.of(end) == Class::stop) ++end;
            return add(i, run_.extended(end), Role::stop);
        }
        if (k == Class::ellipsis) {
            while (run_.of(end) == Class::ellipsis) ++end;
            return add(i, run_.extended(end), Role::ellipsis);
        }
        if (groups.find(c) != std::u32string_view::npos) {
            const bool arrow = (c == '-' || c == '=') && run_.at(end) == '>';
            const bool comparison = (c == '<' || c == '>') && (run_.at(end) == '=' || run_.at(end) == '-');
            if (arrow || comparison) return add(i, end + 1);
            while (run_.at(end) == c) ++end;
        } else if (c == '`' && run_.at(end) == '`') {
            ++end;
        }
        const Role role = k == Class::closing   ? Role::closing
                          : k == Class::opening ? Role::opening
                          : k == Class::quote   ? Role::quote
                                                : Role::plain;
        return add(i, run_.extended(end), role);
    }

    // True if i belongs to this run of characters.
    bool in_run(std::size_t i) const { return !is_blank(table_[text_[i]]); }

    Text text_;
    const Class* table_;
    const Rules& rules_;
    Run run_{};
    bool has_at_ = false, has_link_ = false;
    std::size_t steps_ = 0;
    Tokens out_;
};

}  // namespace

Tokens tokens_of(Text text, const Rules& rules) {
    return Scanner(text, rules).all();
}

Segmentation segmented(Text text, const Rules& rules) {
    Tokens tokens = tokens_of(text, rules);
    std::vector<std::int64_t> offsets = sentences_of(text, tokens, rules);
    return {std::move(tokens.begins), std::move(tokens.ends), std::move(tokens.joined), std::move(offsets)};
}

}  // namespace seqlab::text
