// Tokenisers by rules and trained ones, whose tables hold any numbers, on any text.
#include <cmath>
#include <string>

#include "base/text/utf8.hpp"
#include "input.hpp"
#include "text/rules/rules.hpp"
#include "text/trained/tokeniser.hpp"

using namespace seqlab;
using namespace seqlab::text;

namespace {

// Bytes as code points: sound UTF-8 as such; otherwise pairs of bytes, which give halves of surrogate pairs too.
std::u32string points_of(std::string_view bytes) {
    std::u32string points;
    if (first_bad_utf8(bytes) == bytes.size()) {
        for (std::size_t at = 0; at < bytes.size();) points.push_back(next_code_point(bytes, at));
        return points;
    }
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
        points.push_back(static_cast<char32_t>(static_cast<unsigned char>(bytes[i]) |
                                               static_cast<unsigned char>(bytes[i + 1]) << 8));
    return points;
}

void check(Text text, const Segmentation& found) {
    const std::size_t size = found.begins.size();
    fuzz::law(found.ends.size() == size && found.joined.size() == size, "every token has an end");
    std::int64_t end = 0;
    for (std::size_t t = 0; t < size; ++t) {
        fuzz::law(found.begins[t] >= end && found.ends[t] > found.begins[t], "tokens rise and are not empty");
        end = found.ends[t];
    }
    fuzz::law(end <= static_cast<std::int64_t>(text.size()), "tokens lie in the text");
    fuzz::law(!found.offsets.empty() && found.offsets.front() == 0, "sentences begin at the first token");
    fuzz::law(std::is_sorted(found.offsets.begin(), found.offsets.end()), "sentences rise");
    fuzz::law(found.offsets.back() == static_cast<std::int64_t>(size), "sentences have all tokens");
}

Knowledge knowledge(fuzz::Input& input, const Rules& rules, std::vector<std::uint8_t>& pairs,
                    std::vector<std::uint8_t>& kinds) {
    Knowledge known;
    known.rules = rules;
    pairs.resize(class_count * class_count, input.number<std::uint8_t>() & 1);
    for (std::size_t left = input.below(8); left > 0; --left) pairs[input.below(pairs.size())] ^= 1;
    known.pairs = pairs;
    const auto cuts = fuzz::array_of<std::uint64_t>(input.text(8 * input.below(4)));
    const auto words = fuzz::array_of<std::uint64_t>(input.text(8 * input.below(4)));
    known.cuts = text::KeyTable(cuts);
    known.words = text::KeyTable(words);
    for (std::size_t i = 0; i < words.size(); ++i)
        kinds.push_back(static_cast<std::uint8_t>(1 + input.below(3)));
    known.word_kinds = kinds;
    return known;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::uint8_t flags = input.number<std::uint8_t>();
    const Rules rules{(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0,
                      {U"dr", U"mr"},   {U"etc", U"p.m"}, {U"the"}};
    if (flags & 8) {
        const std::u32string points = points_of(input.rest());
        check(points, segmented(Text(points), rules));
        return 0;
    }
    std::vector<std::uint8_t> pairs, kinds;
    const Knowledge known = knowledge(input, rules, pairs, kinds);
    const auto moves = fuzz::array_of<float>(input.text(4 * boundaries * boundaries));
    std::vector<float> sound(boundaries * boundaries);  // finite, as the door has seen to
    for (std::size_t i = 0; i < moves.size(); ++i) sound[i] = std::isfinite(moves[i]) ? moves[i] : 0;
    // Weights of some features that the text has, so that they are found: their keys come from a first walk.
    std::vector<float> rows;
    const auto given = fuzz::array_of<std::int8_t>(input.text(input.below(64)));
    const float scale = input.yes() ? 1.0F : 1e-7F;
    const std::u32string points = points_of(input.rest());
    const Examples examples = examples_of(points, known);
    fuzz::law(examples.indptr.back() == static_cast<std::int64_t>(examples.keys.size()), "features rise");
    const auto keys = std::span(examples.keys).first(std::min<std::size_t>(examples.keys.size(), 500));
    for (std::size_t i = 0; i < keys.size() * boundaries; ++i)
        rows.push_back(given.empty() ? 0 : static_cast<float>(given[i % given.size()]) * scale);
    check(points, segmented(Text(points), known, Weights(keys, rows, sound)));
    return 0;
}
