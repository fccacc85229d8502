#include "linear/tagging/template_sums.hpp"

#include <algorithm>

#include "linear/tagging/piece_sums.hpp"
#include "linear/tagging/segments.hpp"

namespace seqlab {

namespace {

// Rows of sums that one thread keeps; when they are full, it begins anew.
constexpr std::size_t cache_bytes = std::size_t{32} << 20;
// Strings of a column that one thread remembers though training did not meet them.
constexpr std::size_t most_strangers = 1 << 16;

}  // namespace

// A piece may make a block for each of its tokens, for those that are seen from its first and last sentence, and for places
// outside; and a row for each combination.
std::size_t TemplateSums::Kept::most_new(const TemplateScorer& scorer) {
    const Bank& bank = scorer.bank();
    std::size_t rows = scorer.plan().windows.size() * piece_tokens;
    for (const CellFamily& family : scorer.plan().families)
        rows += family.cells.size() *
                (piece_tokens + static_cast<std::size_t>(2 * (family.most - family.least) +
                                                         most_before(bank) + most_after(bank)));
    return rows;
}

TemplateSums::Kept::Kept(const TemplateScorer& scorer)
    : most_new_rows(most_new(scorer)),
      windows(scorer.plan().windows.size()),
      sums(scorer.weights().LP(),
           std::max(most_new_rows, cache_bytes / sizeof(float) / scorer.weights().LP())) {
    const Bank& bank = scorer.bank();
    for (const CellFamily& family : scorer.plan().families) {
        lasting.push_back(bank.words(family.column).pool().size() + 1 +
                          static_cast<std::size_t>(most_before(bank) + most_after(bank)));
        blocks.emplace_back(lasting.back(), -1);
        if (family.column >= strangers.size()) strangers.resize(family.column + 1);
    }
}

void TemplateSums::Kept::meet_new_corpus() {
    const auto crowded = [](const StringPool& pool) { return pool.size() > most_strangers; };
    if (std::none_of(strangers.begin(), strangers.end(), crowded)) return;
    clear();
    std::fill(strangers.begin(), strangers.end(), StringPool());
    for (std::size_t f = 0; f < blocks.size(); ++f) blocks[f].resize(lasting[f]);
}

void TemplateSums::Kept::clear() {
    sums.clear();
    for (std::vector<std::int32_t>& of_family : blocks) std::fill(of_family.begin(), of_family.end(), -1);
    for (KeyTable& window : windows) window.clear();
}

TemplateSums::TemplateSums(const TemplateScorer& scorer) : kept_(std::make_unique<Kept>(scorer)) {}
TemplateSums::~TemplateSums() = default;

}  // namespace seqlab
