// ARPA files: what is read scores, draws and is written again.
#include <cmath>
#include <string>

#include "input.hpp"
#include "ngrams/arpa.hpp"

using namespace seqlab;
using namespace seqlab::ngrams;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<char> copy(data, data + size);
    try {
        const ArpaFile file = read_arpa({copy.data(), copy.size()}, History::longest + 1);
        // As the door numbers them: the start symbol last.
        const StringId start = file.words.find("<s>");
        std::vector<Symbol> map(file.words.size());
        std::vector<std::string_view> names;
        for (std::size_t i = 0; i < map.size(); ++i) {
            if (static_cast<StringId>(i) == start) continue;
            map[i] = static_cast<Symbol>(names.size());
            names.push_back(file.words.at(static_cast<StringId>(i)));
        }
        const std::size_t predicted = names.size();
        if (start != StringPool::absent)
            map[static_cast<std::size_t>(start)] = static_cast<Symbol>(predicted);
        names.emplace_back("<s>");
        if (predicted == 0) return 0;
        const Table table = table_of(file, map, predicted);
        fuzz::law(table.trie.sound(predicted + 1), "the n-grams are in their order");
        std::vector<Symbol> codes;
        for (std::size_t i = 0; i < std::min<std::size_t>(predicted, 20); ++i)
            codes.push_back(static_cast<Symbol>(i));
        const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(codes.size() / 2),
                                                static_cast<std::int64_t>(codes.size())};
        std::vector<double> scores(codes.size() + 2);
        ngrams::score(table, {codes, offsets}, 0, 1, scores);
        for (const double one : scores) fuzz::law(!(one > 0 && one < 1e-9), "a score is a number");
        for (std::uint64_t n = 0; n < 3; ++n)
            for (const Symbol drawn : sample(table, 0, 20, 1, n))
                fuzz::law(drawn >= 0 && static_cast<std::size_t>(drawn) < predicted,
                          "what is drawn can follow");
        arpa_text(table, names);
    } catch (const BadArpa& bad) {
        fuzz::law(bad.line > 0 || bad.what == BadArpa::no_data || bad.what == BadArpa::no_end ||
                      bad.what == BadArpa::no_counts,
                  "an error has a line");
    }
    return 0;
}
