// What the look of a word says of its label, whatever its letters are: words of one class share a suffix tree.
#pragma once

#include <string_view>

namespace seqlab {

enum class WordClass { plain, capital, capitals, number, with_digit, with_dash, capital_with_dash, sign };
inline constexpr int word_classes = 8;

// The text must be sound UTF-8. The empty word is a sign: it has no letter.
WordClass class_of(std::string_view word);

}  // namespace seqlab
