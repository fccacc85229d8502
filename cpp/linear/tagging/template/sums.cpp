#include "linear/tagging/template/sums.hpp"

#include <algorithm>

#include "linear/tagging/piece_sums.hpp"
#include "linear/tagging/segments.hpp"

namespace seqlab {

namespace {

// Memory for the cached rows of one thread; when it is full, the cache is cleared. Twice as much saves no measurable
// time on texts of any length. Fuzzers fill a small one.
#ifdef SEQLAB_SMALL_CACHES
constexpr std::size_t cache_bytes = std::size_t{1} << 12;
#else
constexpr std::size_t cache_bytes = std::size_t{16} << 20;
#endif
// Unknown strings of a column that one thread remembers.
constexpr std::size_t most_unknown = 1 << 16;

}  // namespace

// A piece may make a block for each of its tokens, for neighbours of its first and last sentence, and for positions
// outside; and a row for each combination.
std::size_t TemplateSums::Kept::most_new(const TemplateScorer& scorer) {
    const std::vector<Values>& values = scorer.tables().values;
    std::size_t rows = scorer.plan().windows.size() * piece_tokens;
    for (const CellFamily& family : scorer.plan().families)
        rows += family.cells.size() *
                (piece_tokens + static_cast<std::size_t>(2 * (family.most - family.least) +
                                                         most_before(values) + most_after(values)));
    return rows;
}

TemplateSums::Kept::Kept(const TemplateScorer& scorer)
    : unknown(scorer.tables().words.size()),
      lasting(1 + static_cast<std::size_t>(most_before(scorer.tables().values) +
                                           most_after(scorer.tables().values))),
      blocks(scorer.plan().families.size(), std::vector<std::int32_t>(lasting, -1)),
      most_new_rows(most_new(scorer)),
      windows(scorer.plan().windows.size()),
      sums(scorer.weights().L(), std::max(most_new_rows, cache_bytes / sizeof(float) / scorer.weights().L()),
           PlacedWeights::behind_rows) {}

void TemplateSums::Kept::start_corpus() {
    const auto crowded = [](const StringPool& pool) { return pool.size() > most_unknown; };
    if (std::none_of(unknown.begin(), unknown.end(), crowded)) return;
    clear();
    std::fill(unknown.begin(), unknown.end(), StringPool());
    for (std::vector<std::int32_t>& of_family : blocks) of_family.resize(lasting);
}

void TemplateSums::Kept::clear() {
    sums.clear();
    for (std::vector<std::int32_t>& of_family : blocks) std::fill(of_family.begin(), of_family.end(), -1);
    for (KeyTable& window : windows) window.clear();
}

TemplateSums::TemplateSums(const TemplateScorer& scorer) : kept_(std::make_unique<Kept>(scorer)) {}
TemplateSums::~TemplateSums() = default;

}  // namespace seqlab
