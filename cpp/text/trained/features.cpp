#include "text/trained/features.hpp"

#include <algorithm>

#include "text/rules/rules.hpp"

namespace seqlab::text {

namespace {

constexpr std::size_t longest = 24;    // characters of a word that are looked at
constexpr std::size_t most_runs = 40;  // characters whose classes are the shape of a chunk

std::uint64_t number(Class c) {
    return static_cast<std::uint64_t>(c);
}

bool wordlike(Class c) {
    return is_letter(c) || c == Class::digit || c == Class::numeral || c == Class::ideograph || extends(c);
}

}  // namespace

std::uint64_t cut_key(Text text, std::size_t at) {
    const Class* table = class_table();
    std::uint64_t state = 7;
    const std::size_t begin = at > 0 ? at - 1 : 0;
    bool blank = false;
    for (std::size_t i = begin; i < begin + 4; ++i) {
        blank = blank || i >= text.size() || is_blank(table[text[i]]);
        state = mixed(state, blank ? 1 : is_letter(table[text[i]]) && i == begin ? 2 : lowered(text[i]));
    }
    return state;
}

std::uint64_t word_key(Text text, std::size_t begin, std::size_t end) {
    std::uint64_t state = 11;
    for (std::size_t i = begin; i < std::min(end, begin + longest); ++i)
        state = mixed(state, lowered(text[i]));
    return state;
}

Places::Places(Text text, const Knowledge& known)
    : text_(text), known_(known), table_(class_table()), hints_(text.size()) {
    const Segmentation found = segmented(text, known.rules);
    for (std::size_t t = 0; t < found.begins.size(); ++t)
        hints_[static_cast<std::size_t>(found.begins[t])] = found.joined[t] ? 1 : 2;
    for (std::size_t s = 0; s + 1 < found.offsets.size(); ++s)
        hints_[static_cast<std::size_t>(found.begins[static_cast<std::size_t>(found.offsets[s])])] = 3;
}

// Number of runs of one class between two places, of the last characters at least.
std::uint64_t Places::runs(std::size_t begin, std::size_t end) const {
    std::uint64_t count = 0;
    for (std::size_t i = end > begin + most_runs ? end - most_runs : begin + 1; i <= end; ++i)
        count += i < text_.size() && table_[text_[i]] != table_[text_[i - 1]];
    return count;
}

bool Places::decided(std::size_t i) const {
    const Class left = of(i - 1), right = of(i);
    if (extends(right)) return false;
    if (known_.pairs[static_cast<std::size_t>(left) * class_count + static_cast<std::size_t>(right)])
        return true;
    return known_.cuts.find(cut_key(text_, i)) != KeyTable::absent;
}

bool Places::next() {
    std::size_t i = first_ ? 0 : at_ + 1;
    first_ = false;
    for (; i < text_.size(); ++i) {
        const Class c = table_[text_[i]];
        if (is_blank(c)) continue;
        if (i >= chunk_.end || i == 0) {
            std::size_t gap = i;
            while (gap > 0 && is_blank(table_[text_[gap - 1]])) --gap;
            starts_ = gap == 0 || paragraph_between(text_, gap, i);
            gap_ = gap < i;
            if (starts_) {
                paragraph_ = i;
                second_ = before_ = chunk_ = {i, i};
                brackets_ = quotes_ = 0;
            }
            enter(i);
            at_ = i;
            return true;
        }
        if (decided(i)) {
            gap_ = starts_ = false;
            at_ = i;
            return true;
        }
    }
    at_ = text_.size();
    return false;
}

// Begin a new chunk.
void Places::enter(std::size_t begin) {
    for (std::size_t i = chunk_.begin; i < chunk_.end; ++i) {
        const char32_t c = text_[i];
        brackets_ += c == '(' ? 1 : c == ')' ? -1 : 0;
        quotes_ ^= c == '"';
    }
    second_ = before_;
    before_ = chunk_;
    chunk_.begin = begin;
    std::uint64_t classes = 0;
    std::size_t i = begin;
    link_ = text_.size();
    for (; i < text_.size() && !is_blank(table_[text_[i]]); ++i) {
        classes |= std::uint64_t{1} << number(table_[text_[i]]);
        const auto at = [&](std::size_t k) { return i + k < text_.size() ? text_[i + k] : 0; };
        const bool www = at(0) == 'w' && at(1) == 'w' && at(2) == 'w' && at(3) == '.';
        if (link_ > i && (www || at(0) == '@' || (at(0) == ':' && at(1) == '/' && at(2) == '/'))) {
            link_ = i;
            mail_ = at(0) == '@';
        }
    }
    chunk_.end = i;
    chunk_shape_ = 5;
    std::size_t run = 0;
    for (std::size_t k = begin; k < std::min(chunk_.end, begin + most_runs); ++k) {
        run = k > begin && table_[text_[k]] == table_[text_[k - 1]] ? run + 1 : 0;
        if (run < 3) chunk_shape_ = mixed(chunk_shape_, number(table_[text_[k]]));
    }
    chunk_facts_ = classes | (link_ < chunk_.end ? std::uint64_t{1} << 40 : 0);
}

std::size_t Places::piece_end(std::size_t i) const {
    const std::size_t most = std::min(text_.size(), i + longest);
    std::size_t end = i;
    while (end < most && wordlike(table_[text_[end]])) ++end;
    return end > i ? end : std::min(i + 1, text_.size());
}

std::size_t Places::piece_begin(std::size_t i, std::size_t floor) const {
    std::size_t begin = i;
    while (begin > floor && begin + longest > i && wordlike(table_[text_[begin - 1]])) --begin;
    return begin < i ? begin : i > floor ? i - 1 : i;
}

// A capital letter, and how often training has seen the word with one.
std::uint64_t Places::kind_of_word(std::size_t begin, std::size_t end, std::uint64_t key) const {
    if (begin >= end) return 0;
    const Class first = table_[text_[begin]];
    if (!is_letter(first)) return 1 + number(first);
    const std::uint32_t known = known_.words.find(key);
    const std::uint64_t kind = known == KeyTable::absent ? 0 : known_.word_kinds[known];
    const bool all_caps = end - begin > 1 && table_[text_[end - 1]] == Class::upper;
    return 64 + kind * 8 + (first == Class::upper ? 2 : 0) + (all_caps ? 1 : 0);
}

void Places::features(Features& out) const {
    out.count = 0;
    const std::size_t i = at_;
    // The last characters before the gap, and those after the place.
    const Chunk& left = gap_ ? before_ : chunk_;
    const std::size_t last = gap_ ? before_.end : i;         // one behind the last character on the left
    const auto back = [&](std::size_t k) -> std::uint64_t {  // k = 1 is the last one
        return last >= left.begin + k ? lowered(text_[last - k]) : 0;
    };
    const auto back_class = [&](std::size_t k) -> std::uint64_t {
        return last >= left.begin + k ? number(table_[text_[last - k]]) : 31;
    };
    const auto on = [&](std::size_t k) -> std::uint64_t {
        return i + k < chunk_.end ? lowered(text_[i + k]) : 0;
    };
    const auto on_class = [&](std::size_t k) -> std::uint64_t {
        return i + k < chunk_.end ? number(table_[text_[i + k]]) : 31;
    };
    std::uint64_t name = gap_ ? 100 : 0;
    const auto add = [&](std::uint64_t a, std::uint64_t b = 0) { out.add(mixed(mixed(++name, a), b)); };
    const std::uint64_t l1 = back(1), l2 = back(2), l3 = back(3), r0 = on(0), r1 = on(1), r2 = on(2);
    const std::uint64_t near_classes = back_class(1) | on_class(0) << 5;
    const std::uint64_t five = near_classes | back_class(2) << 10 | on_class(1) << 15;
    const std::uint64_t seven = five | back_class(3) << 20 | on_class(2) << 25;

    // The words on both sides, by letters and digits alone, and all that stands between blanks.
    const std::size_t next_end = std::min(piece_end(i), std::max(chunk_.end, i));
    const std::size_t last_begin = piece_begin(last, left.begin);
    const std::uint64_t next_word = word_key(text_, i, next_end),
                        last_word = word_key(text_, last_begin, last);
    const std::uint64_t next_kind = kind_of_word(i, next_end, next_word);
    const std::uint64_t last_kind = kind_of_word(last_begin, last, last_word);
    const std::uint64_t left_chunk = word_key(text_, left.begin, last),
                        right_chunk = word_key(text_, i, chunk_.end);
    const std::size_t last_size = std::min<std::size_t>(last - last_begin, 6);

    add(near_classes);
    add(five);
    add(seven);
    add(l1, on_class(0));
    add(r0, back_class(1));
    add(l1, r0);
    add(l1 | l2 << 21, on_class(0));
    add(r0 | r1 << 21, back_class(1));
    add(l1 | l2 << 21, r0);
    add(l1 | l2 << 21 | l3 << 42);
    add(l1 | r0 << 21 | r1 << 42);
    add(r0 | r1 << 21 | r2 << 42);
    add(l1 | l2 << 21, r0 | r1 << 21);
    add(next_word);
    add(last_word);
    add(next_word, l1);
    add(last_word, r0);
    add(next_kind, back_class(1));
    add(last_word, next_kind);
    add(left_chunk);
    add(right_chunk);
    const std::uint64_t hint = hints_[i];
    add(hint, near_classes);
    add(hint, l1 | r0 << 21);
    if (gap_) {
        // A sentence, or only a token? What ends before, and what follows.
        const bool inside = brackets_ > 0;
        std::size_t stem_end = last;  // the word before punctuation
        while (stem_end > left.begin && !wordlike(table_[text_[stem_end - 1]])) --stem_end;
        const std::size_t stem_begin = piece_begin(stem_end, left.begin);
        const std::uint64_t stem = word_key(text_, stem_begin, stem_end);
        const std::uint64_t stem_kind = stem_end > stem_begin ? kind_of_word(stem_begin, stem_end, stem) : 0;
        const std::uint64_t marks = word_key(text_, stem_end, last);
        const std::size_t second_word = piece_end(std::min(next_end, chunk_.end));
        const bool alone = next_end == chunk_.end;
        // The chunk after this one.
        std::size_t then = chunk_.end;
        while (then < text_.size() && then < chunk_.end + 2 && is_blank(table_[text_[then]])) ++then;
        const bool follows = then < text_.size() && !is_blank(table_[text_[then]]);
        const std::size_t then_end = follows ? piece_end(then) : then;
        const std::uint64_t then_word = follows ? word_key(text_, then, then_end) : 3;
        const std::uint64_t then_kind = follows ? kind_of_word(then, then_end, then_word) : 3;
        const std::size_t so_far = last - paragraph_;
        const std::uint64_t length = so_far < 12    ? 0
                                     : so_far < 30  ? 1
                                     : so_far < 60  ? 2
                                     : so_far < 120 ? 3
                                                    : 4;
        add(hint, mixed(marks, next_kind));
        add(hint, mixed(stem_kind, mixed(marks, next_kind)));
        add(hint, mixed(stem, marks));
        add(marks, next_kind);
        add(marks, next_word);
        add(stem, marks);
        add(mixed(stem, marks), next_kind);
        add(stem_kind, mixed(marks, next_kind));
        add(stem_kind | last_size << 10, mixed(marks, next_kind));
        add(marks, mixed(next_kind, then_kind));
        add(next_word, mixed(marks, then_kind));
        add(marks, mixed(inside ? 1 : 0, next_kind));
        add(marks, mixed(static_cast<std::uint64_t>(quotes_), next_kind));
        add(stem_kind | next_kind << 10 | then_kind << 20 | length << 30, marks);
        add(length, mixed(marks, on_class(0)));
        add(left_chunk, right_chunk);
        add(stem, next_word);
        add(next_word, then_word);
        add(marks, mixed(before_.begin == paragraph_ ? 1 : second_.begin == paragraph_ ? 2 : 3, next_kind));
        add(word_key(text_, second_.begin, second_.end), left_chunk);
        add(marks, mixed(alone ? 1 : on_class(second_word > i ? second_word - i : 1), next_kind));
    } else {
        const std::size_t from = i - chunk_.begin, size = chunk_.end - chunk_.begin, rest = chunk_.end - i;
        const std::uint64_t whole = word_key(text_, chunk_.begin, chunk_.end);
        const std::uint64_t facts = chunk_facts_;
        const std::size_t word_begin = piece_begin(i, chunk_.begin);
        const bool inner = wordlike(of(i - 1)) && wordlike(of(i));
        const std::size_t word_end = inner ? piece_end(i) : i;
        const std::uint64_t run = runs(chunk_.begin, i);
        add(chunk_shape_, run);
        add(mixed(chunk_shape_, run), hint);
        add(hint, five);
        add(hint, mixed(last_kind, next_kind));
        add(whole, from);
        add(facts, near_classes);
        add(facts, five);
        add(std::min<std::size_t>(from, 6) | std::min<std::size_t>(rest, 6) << 4, near_classes);
        add(std::min<std::size_t>(from, 6) | std::min<std::size_t>(rest, 6) << 4, l1 | r0 << 21);
        add(word_key(text_, i, std::min(chunk_.end, i + 6)), back_class(1));
        add(word_key(text_, i > chunk_.begin + 6 ? i - 6 : chunk_.begin, i), on_class(0));
        add(word_key(text_, word_begin, std::max(word_end, i)), i - word_begin);
        add(last_kind, next_kind);
        add(last_word, next_word);
        add(mixed(last_kind, next_kind), l1 | r0 << 21);
        add(mixed(l1, r0), mixed(rest == 1 ? 1 : 0, facts >> 40));
        add(size < 12 ? size : 12, mixed(l1, r0));
        add(seven, back_class(4) | on_class(3) << 5);
        const bool ends = last_begin == chunk_.begin, last_part = next_end == chunk_.end;
        add(mixed(last_kind, next_kind), (ends ? 1 : 0) | (last_part ? 2 : 0) | l1 << 2 | r0 << 25);
        // The words around, for its and it 's.
        std::size_t then = chunk_.end;
        while (then < text_.size() && then < chunk_.end + 2 && is_blank(table_[text_[then]])) ++then;
        const bool follows = then < text_.size() && !is_blank(table_[text_[then]]);
        const std::uint64_t then_word = follows ? word_key(text_, then, piece_end(then)) : 3;
        const std::uint64_t place = mixed(whole, from);
        add(place, then_word);
        add(place, word_key(text_, before_.begin, before_.end));
        add(l1 | r0 << 21, mixed(then_word, rest));
        const std::uint64_t link = link_ >= chunk_.end ? 0 : (i > link_ ? 1 : 2) + (mail_ ? 2 : 0);
        add(link, near_classes);
        add(link, l1 | r0 << 21);
        const std::uint64_t before_mark = last_begin > chunk_.begin ? text_[last_begin - 1] : 0;
        const std::uint64_t after_mark = next_end < chunk_.end ? text_[next_end] : 0;
        add(before_mark | after_mark << 21, mixed(l1, r0));
        add(before_mark | after_mark << 21, five);
    }
}

}  // namespace seqlab::text
