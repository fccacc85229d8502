// A template, a corpus and weights out of the bytes of a fuzzer, and the tables that its decoder reads.
#pragma once

#include <memory>
#include <string>

#include "base/text/utf8.hpp"
#include "encode/bank.hpp"
#include "input.hpp"
#include "linear/tagging/best_labels.hpp"
#include "linear/tagging/build_tables.hpp"
#include "linear/tagging/scorer.hpp"
#include "linear/tagging/template/scorer.hpp"

namespace seqlab::fuzz {

// Kinds of values, as a template compiles them.
struct ValueKind {
    std::size_t column;
    std::vector<Call> calls;
    Outside before, after;

    Values values() const { return {column, calls, std::make_shared<StringPool>(), before, after}; }
};

struct Words {
    static constexpr std::size_t columns = 2;
    static constexpr const char* usual[] = {"the",    "The", "dog", "ran", "3.5", "\xc3\x89t\xc3\xa9",
                                            "e-mail", ""};

    // Sentences of some usual words and some of the input.
    explicit Words(Input& input) : offsets{0} {
        for (std::size_t left = 1 + input.below(6); left > 0; --left) {
            for (std::size_t length = input.below(7); length > 0; --length)
                for (std::size_t c = 0; c < columns; ++c) add(input, c);
            offsets.push_back(static_cast<std::int64_t>(codes[0].size()));
        }
    }
    void add(Input& input, std::size_t c) {
        const std::size_t which = input.below(std::size(usual) + 3);
        if (which < std::size(usual)) return codes[c].push_back(pools[c].intern(usual[which]));
        if (which == std::size(usual)) return codes[c].push_back(no_value);
        const std::string_view word = input.string();
        codes[c].push_back(pools[c].intern(first_bad_utf8(word) == word.size() ? word : "bad"));
    }
    TableView table() const {
        return {
            {{codes[0].data(), &pools[0]}, {codes[1].data(), &pools[1]}}, offsets.data(), offsets.size() - 1};
    }
    std::size_t tokens() const { return codes[0].size(); }

    StringPool pools[columns];
    std::vector<StringId> codes[columns];
    std::vector<std::int64_t> offsets;
};

struct TemplateModel {
    std::vector<ValueKind> kinds;
    std::vector<Feature> features;
    std::size_t L;
    std::vector<std::int64_t> begin{0};
    std::vector<std::int32_t> label;
    std::vector<double> weights;
    std::vector<float> edge, ends;
    std::unique_ptr<Bank> bank;

    explicit TemplateModel(Input& input) {
        template_of(input);
        const Words words(input);
        bank = std::make_unique<Bank>(values(), features, Words::columns, false);
        std::vector<std::int32_t> ids(words.tokens() * bank->stride());
        bank->learn(words.table(), ids.data(), 1);
        std::size_t K = 0;
        for (const std::size_t one : bank->group_sizes()) K += one;
        std::vector<std::int32_t> map(K);
        for (std::size_t i = 0; i < K; ++i) map[i] = static_cast<std::int32_t>(i);
        std::vector<std::int64_t> indptr(words.tokens() + 1);
        bank->number(map.data(), ids.data(), words.tokens(), indptr.data(), 1);
        L = 1 + input.below(20);
        for (std::size_t k = 0; k < K; ++k) {
            const std::uint8_t how = input.number<std::uint8_t>();
            for (std::size_t y = how % L, left = how >> 4; y < L && left > 0; y += 1 + (how & 1), --left) {
                label.push_back(static_cast<std::int32_t>(y));
                weights.push_back(
                    input.number<std::int8_t>());  // whole numbers: sums do not depend on their order
            }
            begin.push_back(static_cast<std::int64_t>(label.size()));
        }
        for (std::size_t i = 0; i < L * L; ++i) edge.push_back(input.number<std::int8_t>());
        ends.assign(L, 0.0F);
    }

    std::vector<Values> values() const {
        std::vector<Values> made;
        for (const ValueKind& kind : kinds) made.push_back(kind.values());
        return made;
    }
    Observed observed() const { return {begin, label}; }
    BestLabels chain() const { return {L, edge.data(), ends.data(), ends.data()}; }

private:
    void template_of(Input& input) {
        constexpr const char* names[] = {"lower",  "shape",    "suffix", "prefix",
                                         "length", "is_digit", "squeeze"};
        for (std::size_t left = 1 + input.below(4); left > 0; --left) {
            ValueKind kind{input.below(Words::columns), {}, {}, {}};
            for (std::size_t calls = input.below(3); calls > 0; --calls)
                kind.calls.push_back({function_named(names[input.below(std::size(names))]),
                                      1 + static_cast<int>(input.below(4))});
            for (Outside* side : {&kind.before, &kind.after})
                for (std::size_t symbols = 1 + input.below(2); symbols > 0; --symbols)
                    side->push_back(input.yes() ? std::optional<std::string>("<out>") : std::nullopt);
            kinds.push_back(std::move(kind));
        }
        for (std::size_t group = 0, count = 1 + input.below(6); group < count; ++group) {
            Feature feature{{}, group};
            for (std::size_t atoms = input.below(5); atoms > 0; --atoms)
                feature.atoms.push_back({input.below(kinds.size()),
                                         static_cast<std::int64_t>(input.below(9)) - 4, input.below(6) == 0});
            features.push_back(std::move(feature));
        }
    }
};

// The arrays of a decoder, each in memory of its own.
struct Arrays {
    struct Strings {
        std::vector<char> bytes;
        std::vector<std::int64_t> begins;
        std::vector<std::uint64_t> slots;

        explicit Strings(const StringPool& pool)
            : bytes(pool.bytes().begin(), pool.bytes().end()),
              begins(pool.begins().begin(), pool.begins().end()),
              slots(pool.slots().begin(), pool.slots().end()) {}
        StringPool pool() const { return {bytes, begins, slots, nullptr}; }
    };
    std::vector<Strings> values, words;
    std::vector<std::vector<std::uint64_t>> places, owners;  // by group, by kind of values
    std::vector<std::uint64_t> chains, buckets;
    std::vector<float> rows;
    std::vector<std::vector<std::int32_t>> word_values;
    std::vector<std::vector<float>> word_rows;
    std::vector<std::int32_t> label;
    std::vector<double> weights;

    explicit Arrays(const TemplateModel& model) : label(model.label), weights(model.weights) {
        BuiltTables built = build_tables(*model.bank, model.observed(), model.weights.data(), model.L);
        for (const Values& own : model.bank->values()) values.emplace_back(own.pool());
        places = std::move(built.of_value);
        owners.resize(values.size());
        for (auto& [pool, regions] : built.of_owner) owners[pool] = std::move(regions);
        chains = std::move(built.chains);
        for (const PlaceBucket& bucket : built.buckets) {
            buckets.insert(buckets.end(), std::begin(bucket.key), std::end(bucket.key));
            buckets.insert(buckets.end(), std::begin(bucket.place), std::end(bucket.place));
        }
        rows = std::move(built.rows);
        for (BuiltTables::Words& own : built.words) {
            words.emplace_back(own.strings);
            word_values.push_back(std::move(own.values));
            word_rows.push_back(std::move(own.rows));
        }
    }

    // As bind/linear/decode.cpp puts them together.
    TemplateTables tables(const TemplateModel& model) const {
        TemplateTables tables{model.values(), model.features, {}, {}, {}};
        for (std::size_t v = 0; v < values.size(); ++v) tables.values[v].restore(values[v].pool());
        for (Values& own : tables.values) own.look_outside();
        tables.buckets = {reinterpret_cast<const PlaceBucket*>(buckets.data()), buckets.size() / 8};
        tables.groups = group_tables(
            tables.values, tables.features, chains, tables.buckets.size(),
            [&](std::size_t g) { return std::span<const std::uint64_t>(places[g]); },
            [&](std::size_t pool) { return std::span<const std::uint64_t>(owners[pool]); });
        for (std::size_t c = 0; c < words.size(); ++c)
            tables.words.push_back({words[c].pool(), word_values[c], word_rows[c]});
        return tables;
    }
};

// The labels of a corpus by these tables; `node` gets its scores.
inline std::vector<Label> decoded(const TemplateModel& model, const Arrays& arrays, const Words& words,
                                  std::vector<float>& node) {
    const BestLabels best = model.chain();
    const TemplateScorer scorer(arrays.tables(model),
                                PlacedWeights({arrays.label, arrays.weights, {}}, arrays.rows, model.L,
                                              best.set().f32.row_lanes(model.L)));
    const TableView table = words.table();
    const TemplateCorpus corpus(scorer, table);
    TemplateSums sums(scorer);
    TemplateReader reader(corpus, sums);
    const std::size_t LP = scorer.weights().LP();
    node.assign(words.tokens() * model.L + LP, 0.0F);
    reader.score(0, table.sentences, node.data());
    node.resize(words.tokens() * model.L);
    std::vector<Label> ids(words.tokens(), -1);
    const auto make = [&] {
        return [&](std::size_t first, std::size_t last, float* out) { reader.score(first, last, out); };
    };
    best(table.offset, table.sentences, LP, make, ids.data(), 1);
    for (const Label y : ids)
        law(y >= 0 && static_cast<std::size_t>(y) < model.L, "labels are numbers of labels");
    return ids;
}

}  // namespace seqlab::fuzz
