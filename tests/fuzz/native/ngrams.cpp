// Back-off tables of model files: any parents, symbols and probabilities; those that are sound score and draw.
#include "input.hpp"
#include "ngrams/table.hpp"

using namespace seqlab;
using namespace seqlab::ngrams;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    Table table;
    table.flat = input.yes();
    const std::size_t symbols = 2 + input.below(6), levels = 2 + input.below(History::longest - 1);
    for (std::size_t k = 0; k < levels; ++k) {
        Level level;
        const bool rising = input.yes();  // mostly in order, so that most tables are sound
        Node parent = 0;
        Symbol symbol = -1;
        for (std::size_t left = k == 0 ? symbols : input.below(12); left > 0; --left) {
            if (k == 0 || !rising) {
                parent = k == 0 ? 0 : input.number<std::int8_t>();
                symbol = k == 0 ? static_cast<Symbol>(level.size()) : input.number<std::int8_t>();
            } else if (const std::uint8_t step = input.number<std::uint8_t>();
                       step & 1 || symbol + 1 >= static_cast<Symbol>(symbols)) {
                parent += 1 + (step >> 1 & 1);
                symbol = step >> 4 & 3;
            } else {
                ++symbol;
            }
            level.parent.push_back(parent);
            level.symbol.push_back(symbol);
        }
        const auto given = fuzz::array_of<std::int16_t>(input.text(4 * level.size()));
        const auto log = [&](std::size_t i) {
            return i < given.size() ? -std::abs(double{given[i] / 64.0}) : minus_infinity;
        };
        std::vector<double> log_prob, log_backoff;
        for (std::size_t i = 0; i < level.size(); ++i) {
            log_prob.push_back(log(2 * i));
            log_backoff.push_back(log(2 * i + 1));
        }
        table.trie.levels.push_back(std::move(level));
        table.log_prob.push_back(std::move(log_prob));
        table.log_backoff.push_back(std::move(log_backoff));
    }
    table.log_backoff.pop_back();
    if (!table.trie.sound(symbols)) return 0;
    table.trie.link();
    table.predicted = symbols - 1;
    std::vector<Symbol> codes;
    while (!input.empty() && codes.size() < 32)
        codes.push_back(static_cast<Symbol>(input.below(symbols - 1)));
    const std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(codes.size())};
    std::vector<double> scores(codes.size() + 1), room(table.predicted);
    ngrams::score(table, {codes, offsets}, 0, 1, scores);
    History history(table, true);
    for (const Symbol code : codes) {
        history.probabilities(room);
        history.step(code);
    }
    for (const Symbol drawn : sample(table, 0, 16, 7, 0))
        fuzz::law(drawn >= 0 && static_cast<std::size_t>(drawn) < table.predicted,
                  "what is drawn can follow");
    return 0;
}
