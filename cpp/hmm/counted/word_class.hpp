// Classes of words by their form (capitals, digits, hyphens); the words of one class share a suffix tree.
#pragma once

#include <string_view>

namespace seqlab {

enum class WordClass { plain, capital, capitals, number, with_digit, with_dash, capital_with_dash, sign };
inline constexpr int word_classes = 8;

// Classify a word, which must be valid UTF-8. The empty word is in the class of words without letters.
WordClass class_of(std::string_view word);

}  // namespace seqlab
