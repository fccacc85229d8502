#include "hmm/counted/word_class.hpp"

#include "base/text/unicode.hpp"
#include "base/text/utf8.hpp"

namespace seqlab {

WordClass class_of(std::string_view word) {
    bool begins_upper = false, lower = false, upper = false, digit = false, letter = false, dash = false;
    std::size_t length = 0;
    for (std::size_t at = 0; at < word.size(); ++length) {
        const Kind& kind = kind_of(next_code_point(word, at));
        const bool high = is_upper(kind) || is_title(kind);
        if (length == 0) begins_upper = high;
        upper = upper || high;
        lower = lower || is_lower(kind);
        letter = letter || is_alpha(kind);
        digit = digit || is_digit(kind);
        dash = dash || is_dash(kind);
    }
    if (digit) return letter ? WordClass::with_digit : WordClass::number;
    if (!letter) return WordClass::sign;
    if (dash) return begins_upper ? WordClass::capital_with_dash : WordClass::with_dash;
    if (begins_upper) return upper && !lower && length > 1 ? WordClass::capitals : WordClass::capital;
    return WordClass::plain;
}

}  // namespace seqlab
