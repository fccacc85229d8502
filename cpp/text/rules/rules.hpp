// A tokeniser and sentence splitter by rules, which needs no model. Linear in the length of the text, whatever it holds.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "text/characters.hpp"
#include "text/segmentation.hpp"

namespace seqlab::text {

using Words = std::unordered_set<std::u32string>;

struct Rules {
    bool clitics = true;         // don't -> do n't, Anna's -> Anna 's
    bool split_hyphens = false;  // well-known -> well - known
    bool lines = false;          // every line ends a sentence
    Words titles;         // abbreviations that never end a sentence, in lower case without the last period
    Words abbreviations;  // others
    Words starters;       // words that begin a sentence after an abbreviation, in lower case
};

// Part of a token in sentence splitting.
enum class Role : std::uint8_t {
    plain,
    period,
    ellipsis,
    terminal,
    stop,
    abbreviation,
    title,
    closing,
    opening,
    quote
};

struct Tokens {
    std::vector<std::int64_t> begins, ends;
    std::vector<std::uint8_t> joined;
    std::vector<Role> roles;
};

Tokens tokens_of(Text text, const Rules& rules);

// (N + 1): the sentences of these tokens.
std::vector<std::int64_t> sentences_of(Text text, const Tokens& tokens, const Rules& rules);

Segmentation segmented(Text text, const Rules& rules);

// Number of lines that end between begin and end; a carriage return and its line feed are one.
std::size_t lines_between(Text text, std::size_t begin, std::size_t end);
// True for an empty line, or a separator of paragraphs.
bool paragraph_between(Text text, std::size_t begin, std::size_t end);

}  // namespace seqlab::text
