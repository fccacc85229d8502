// Per-string data of a scorer: precomputed words, values, sums of the features on one cell.
#include <algorithm>

#include "linear/tagging/template/scorer.hpp"

namespace seqlab {

TemplateScorer::TemplateScorer(TemplateTables tables, PlacedWeights weights)
    : tables_(std::move(tables)), weights_(std::move(weights)), plan_(tables_.values, tables_.features) {
    cells_.resize(tables_.words.size());
    for (const CellFamily& family : plan_.families) {
        first_cell_.push_back(cells_[family.column]);
        cells_[family.column] += family.cells.size();
    }
    for (std::size_t c = 0; c < tables_.words.size(); ++c) {
        at_tokens_.push_back(plan_.values_at_tokens(tables_.values, c));
        // Tables that are too small for their words are not used, so that a word's number is always a valid index.
        WordTables& words = tables_.words[c];
        const std::size_t count = words.strings.size();
        const std::size_t wanted = count * cells_[c] * weights_.L() + PlacedWeights::behind_rows;
        if (count * at_tokens_[c].size() > words.values.size() || wanted > words.rows.size())
            words.strings = StringPool();
    }
}

CellSums::CellSums(const TemplateScorer& scorer)
    : scorer_(scorer), values_(scorer.tables().values.size()), room_(piece_tokens) {}

void CellSums::read(const CellFamily& family, std::span<const std::string_view> texts) {
    std::vector<Stem> stems(texts.begin(), texts.end());
    for (const std::size_t v : family.values)
        scorer_.tables().values[v].of_texts(stems, room_, values_[v].data());
}

void CellSums::fill(const CellFamily& family, std::size_t n, float* const* blocks) {
    const TemplateTables& tables = scorer_.tables();
    const PlacedWeights& weights = scorer_.weights();
    std::vector<const ValueId*> views;
    Places places;
    PlaceSearch search;
    for (std::size_t k = 0; k < family.cells.size(); ++k)
        for (const std::size_t f : scorer_.plan().cells[family.cells[k]].features) {
            const Feature& feature = tables.features[f];
            views.clear();
            for (const Atom& atom : feature.atoms) views.push_back(values_[atom.values].data());
            tables.ask(feature.group, views.data(), n, search);
            tables.answer(feature.group, search, n, places);
            for (std::size_t i = 0; i < n; ++i) weights.prefetch(places[i]);
            for (std::size_t i = 0; i < n; ++i) weights.add(places[i], blocks[i] + k * weights.L());
        }
}

TemplateCorpus::TemplateCorpus(const TemplateScorer& scorer, const TableView& table)
    : scorer_(scorer), table_(table), known_(table.columns.size()), of_code_(scorer.tables().values.size()) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        look_up_words(c);
        look_up_values(c);
    }
}

void TemplateCorpus::look_up_words(std::size_t column) {
    const ColumnView& of = table_.columns[column];
    const StringPool& words = scorer_.tables().words[column].strings;
    std::vector<StringId>& known = known_[column];
    known.assign(of.pool->size(), Words::unused);
    for (std::size_t i = 0; i < table_.tokens(); ++i)
        if (of.codes[i] != no_value) known[static_cast<std::size_t>(of.codes[i])] = Words::new_word;
    if (words.size() == 0) return;
    std::array<std::string_view, StringPool::together> texts;
    std::array<std::size_t, StringPool::together> codes;
    std::array<StringId, StringPool::together> found;
    std::size_t count = 0;
    const auto settle = [&] {
        words.find(std::span(texts).first(count), found.data());
        for (std::size_t i = 0; i < count; ++i) known[codes[i]] = found[i];
        count = 0;
    };
    for (std::size_t code = 0; code < known.size(); ++code) {
        if (known[code] == Words::unused) continue;
        texts[count] = of.pool->at(static_cast<StringId>(code));
        codes[count++] = code;
        if (count == texts.size()) settle();
    }
    settle();
}

void TemplateCorpus::look_up_values(std::size_t column) {
    const std::vector<std::size_t>& wanted = scorer_.values_at_tokens(column);
    if (wanted.empty()) return;
    const WordTables& words = scorer_.tables().words[column];
    const std::vector<StringId>& known = known_[column];
    for (const std::size_t v : wanted) of_code_[v].resize(known.size(), no_value);
    std::vector<Stem> stems;
    std::vector<std::size_t> codes;
    std::vector<std::string> room(StringPool::together);
    std::array<ValueId, StringPool::together> values;
    const auto settle = [&] {
        for (const std::size_t v : wanted) {
            scorer_.tables().values[v].of_texts(stems, room, values.data());
            for (std::size_t i = 0; i < codes.size(); ++i) of_code_[v][codes[i]] = values[i];
        }
        stems.clear();
        codes.clear();
    };
    for (std::size_t code = 0; code < known.size(); ++code) {
        if (known[code] == Words::unused) continue;
        if (known[code] >= 0) {
            for (std::size_t w = 0; w < wanted.size(); ++w)
                of_code_[wanted[w]][code] =
                    words.values[w * words.strings.size() + static_cast<std::size_t>(known[code])];
            continue;
        }
        stems.emplace_back(table_.columns[column].pool->at(static_cast<StringId>(code)));
        codes.push_back(code);
        if (codes.size() == StringPool::together) settle();
    }
    settle();
}

}  // namespace seqlab
