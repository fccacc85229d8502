#include "linear/tagging/build_tables.hpp"

#include <algorithm>
#include <map>

#include "linear/tagging/template/scorer.hpp"

namespace seqlab {

namespace {

class Builder {
public:
    Builder(const Bank& bank, const Observed& observed, const double* weights, std::size_t L)
        : bank_(bank), observed_(observed), weights_(weights), L_(L), laid_(lay_out(observed, weights, L)) {
        for (const Feature& feature : bank.features()) {
            if (feature.group >= example_.size()) example_.resize(feature.group + 1);
            example_[feature.group] = &feature;
        }
    }

    BuiltTables built() {
        built_.of_value.resize(example_.size());
        place_values();
        count_pairs();
        number_chains();
        place_regions();
        put_pairs();
        put_chains();
        built_.rows = std::move(laid_.rows);
        make_words();
        return std::move(built_);
    }

private:
    std::size_t atoms(std::size_t group) const { return example_[group]->atoms.size(); }
    std::uint64_t place(AttributeId attribute) const {
        return laid_.places[static_cast<std::size_t>(attribute)];
    }

    void place_values() {
        for (std::size_t g = 0; g < example_.size(); ++g) {
            if (atoms(g) > 1) continue;
            std::vector<std::uint64_t>& of_value = built_.of_value[g];
            bank_.group(g).each([&](AttributeId attribute, const std::vector<ValueId>& values) {
                const std::size_t value = values.empty() ? 0 : static_cast<std::size_t>(values[0]);
                if (value >= of_value.size()) of_value.resize(value + 1 + value / 2);
                of_value[value] = place(attribute);
            });
            while (!of_value.empty() && of_value.back() == 0) of_value.pop_back();
        }
    }

    // Call f(attribute, region of the owner, key) for every pair of two values that has weights.
    template <class F>
    void each_pair(F f) {
        for (std::size_t g = 0; g < example_.size(); ++g) {
            if (atoms(g) != 2) continue;
            const bool left = owner_is_left(bank_.values(), *example_[g]);
            const std::size_t pool = leader(bank_.values(), example_[g]->atoms[left ? 0 : 1].values);
            std::vector<std::uint64_t>& regions = built_.of_owner[pool];
            regions.resize(bank_.values()[pool].pool().size());
            bank_.group(g).link(0).each([&](Pair key, AttributeId attribute) {
                if (attribute == no_value || place(attribute) == 0) return;
                f(static_cast<std::size_t>(attribute),
                  regions[static_cast<std::size_t>(left ? key.first : key.second)],
                  place_key(static_cast<std::int32_t>(g), left ? key.second : key.first));
            });
        }
    }
    void count_pairs() {
        each_pair([](std::size_t, std::uint64_t& keys, std::uint64_t) { ++keys; });
    }
    // Longer combinations, in the order of their attributes: pairs, triples, ... are numbered in order of appearance.
    void number_chains() {
        chains_.resize(example_.size());
        for (std::size_t g = 0; g < example_.size(); ++g) {
            if (atoms(g) <= 2) continue;
            std::map<AttributeId, std::vector<ValueId>> ordered;
            bank_.group(g).each([&](AttributeId attribute, const std::vector<ValueId>& values) {
                if (place(attribute) != 0) ordered.emplace(attribute, values);
            });
            chains_[g].resize(atoms(g) - 1);
            for (const auto& [attribute, values] : ordered) {
                ValueId left = values[0];
                for (std::size_t a = 1; a + 1 < values.size(); ++a)
                    left = chains_[g][a - 1].intern({left, values[a]});
                chains_[g].back().set({left, values.back()}, attribute);
            }
        }
    }
    std::uint64_t new_region(std::size_t keys) {
        const PlaceRegion region{static_cast<std::uint32_t>(size_),
                                 static_cast<std::uint32_t>(PlaceRegion::buckets_for(keys))};
        size_ += region.size;
        return region.bits();
    }
    void place_regions() {
        for (auto& [pool, regions] : built_.of_owner)
            for (std::uint64_t& region : regions)
                region = region == 0 ? PlaceRegion{}.bits() : new_region(region);
        for (const std::vector<PairTable>& links : chains_)
            for (const PairTable& link : links) built_.chains.push_back(new_region(link.size()));
        PlaceBucket* const first = built_.room.of(size_);
        std::fill_n(first, size_, PlaceBucket{});
        built_.buckets = {first, size_};
    }
    void put(std::uint64_t region, std::uint64_t key, std::uint64_t place) {
        PlaceRegion::of(region, size_).put(built_.buckets, key, place);
    }
    // In the order of attributes, so that a model has the same tables whether it was trained or loaded.
    void put_pairs() {
        std::vector<std::uint64_t> key_of(laid_.places.size()), region_of(laid_.places.size());
        each_pair([&](std::size_t attribute, std::uint64_t region, std::uint64_t key) {
            key_of[attribute] = key;
            region_of[attribute] = region;
        });
        for (std::size_t a = 0; a < key_of.size(); ++a)
            if (region_of[a] != 0) put(region_of[a], key_of[a], laid_.places[a]);
    }
    void put_chains() {
        std::size_t next = 0;
        for (const std::vector<PairTable>& links : chains_)
            for (std::size_t link = 0; link < links.size(); ++link, ++next) {
                std::map<std::int32_t, Pair> ordered;
                links[link].each([&](Pair key, std::int32_t number) { ordered.emplace(number, key); });
                for (const auto& [number, key] : ordered)
                    put(built_.chains[next], place_key(key.first, key.second),
                        link + 1 == links.size() ? place(number) : static_cast<std::uint64_t>(number) + 1);
            }
    }

    // View of the tables built so far.
    TemplateTables view() const {
        TemplateTables tables{bank_.values(), bank_.features(), {}, built_.buckets, {}};
        tables.groups = group_tables(
            tables.values, tables.features, built_.chains, size_,
            [&](std::size_t g) { return std::span<const std::uint64_t>(built_.of_value[g]); },
            [&](std::size_t pool) { return std::span<const std::uint64_t>(built_.of_owner.at(pool)); });
        tables.words.resize(bank_.columns());
        return tables;
    }

    // The strings of a column in order of first appearance in training. A bank that was not trained here gives the
    // strings of its own pools.
    const StringPool* strings_of(std::size_t column) const {
        if (bank_.words(column).pool().size() > 0) return &bank_.words(column).pool();
        for (const Values& values : bank_.values())
            if (values.column() == column && values.calls().empty()) return &values.pool();
        return nullptr;
    }

    void make_words() {
        const ModelWeights model{observed_.label, {weights_, observed_.weights()}, {}};
        const TemplateScorer scorer(view(), PlacedWeights(model, built_.rows, L_, L_));
        for (std::size_t c = 0; c < bank_.columns(); ++c)
            built_.words.push_back(words_of(scorer, c, strings_of(c)));
    }

    // Precomputed words may take an eighth of the size of the weights in a file: in a large model these are all the
    // words, in a small one the frequent ones, which come first.
    BuiltTables::Words words_of(const TemplateScorer& scorer, std::size_t column, const StringPool* strings) {
        const std::vector<std::size_t>& at_tokens = scorer.values_at_tokens(column);
        std::vector<const CellFamily*> families;
        std::size_t cells = 0;
        for (const CellFamily& family : scorer.plan().families) {
            if (family.column != column) continue;
            families.push_back(&family);
            cells += family.cells.size();
        }
        const std::size_t each = (cells * L_ + at_tokens.size()) * sizeof(float);
        const std::size_t most = each == 0 ? 0 : observed_.weights() * 12 / 8 / each;
        const std::size_t count = strings ? std::min(strings->size(), most) : 0;
        BuiltTables::Words words;
        words.values.resize(count * at_tokens.size());
        words.rows.resize(count * cells * L_ + PlacedWeights::behind_rows, 0.0F);
        CellSums sums(scorer);
        std::vector<std::string> room(piece_tokens);
        std::array<std::string_view, piece_tokens> texts;
        std::array<float*, piece_tokens> blocks;
        Piece values;
        for (std::size_t from = 0; from < count; from += piece_tokens) {
            const std::size_t n = std::min(piece_tokens, count - from);
            for (std::size_t i = 0; i < n; ++i) {
                texts[i] = strings->at(static_cast<StringId>(from + i));
                words.strings.intern(texts[i]);
                blocks[i] = words.rows.data() + (from + i) * cells * L_;
            }
            for (const CellFamily* family : families) {
                sums.read(*family, std::span<const std::string_view>(texts).first(n));
                sums.fill(*family, n, blocks.data());
                for (std::size_t i = 0; i < n; ++i) blocks[i] += family->cells.size() * L_;
            }
            std::vector<Stem> stems(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(n));
            for (std::size_t w = 0; w < at_tokens.size(); ++w) {
                bank_.values()[at_tokens[w]].of_texts(stems, room, values.data());
                std::copy_n(values.begin(), n,
                            words.values.begin() + static_cast<std::ptrdiff_t>(w * count + from));
            }
        }
        return words;
    }

    const Bank& bank_;
    const Observed observed_;
    const double* weights_;
    const std::size_t L_;
    LaidWeights laid_;
    std::vector<const Feature*> example_;         // one feature of each group
    std::vector<std::vector<PairTable>> chains_;  // of each group of more than two atoms
    std::size_t size_ = 1;  // buckets; the first is the region of values that own no pair
    BuiltTables built_;
};

}  // namespace

BuiltTables build_tables(const Bank& bank, const Observed& observed, const double* weights, std::size_t L) {
    return Builder(bank, observed, weights, L).built();
}

}  // namespace seqlab
