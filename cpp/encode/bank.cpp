#include "encode/bank.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "base/parallel/parallel.hpp"
#include "encode/numbering.hpp"

namespace seqlab {

namespace {

// Tokens per block: the keys of a block are made, their slots prefetched, then looked up.
constexpr std::size_t block_tokens = 512;

constexpr std::size_t block_sentences = 64;

using Block = std::array<ValueId, block_tokens>;

// A span of one sentence that fits a block.
struct TokenSpan {
    std::int64_t begin, end;  // the sentence
    std::int64_t from, to;    // the tokens of the span
};

template <class F>
void for_each_span(const TableView& table, std::size_t first, std::size_t last, F f) {
    for (std::size_t s = first; s < last; ++s) {
        const std::int64_t begin = table.offset[s], end = table.offset[s + 1];
        for (std::int64_t from = begin; from < end; from += block_tokens) {
            poll();
            f(TokenSpan{begin, end, from, std::min<std::int64_t>(end, from + block_tokens)});
        }
    }
}

}  // namespace

// Reads an atom's value at every token of a span.
struct Reader {
    const StringId* codes;
    const ValueId* of_code;
    const std::vector<ValueId>* before;
    const std::vector<ValueId>* after;

    ValueId at(const TokenSpan& s, std::int64_t i) const {
        if (i < s.begin) return outside(*before, s.begin - i);
        if (i >= s.end) return outside(*after, i - s.end + 1);
        return codes[i] == no_value ? no_value : of_code[codes[i]];
    }

    void read(const TokenSpan& s, const Atom& atom, ValueId* out) const {
        if (atom.absolute) {
            const ValueId value = at(s, atom.offset < 0 ? s.end + atom.offset : s.begin + atom.offset);
            std::fill_n(out, s.to - s.from, value);
            return;
        }
        for (std::int64_t t = s.from; t < s.to; ++t) out[t - s.from] = at(s, t + atom.offset);
    }
};

namespace {

struct Interning {
    static AttributeId value(Attributes& attributes, ValueId v) { return attributes.intern_value(v); }
    static std::int32_t pair(PairTable& table, Pair key) { return table.intern(key); }
};

struct Finding {
    static AttributeId value(const Attributes& attributes, ValueId v) { return attributes.find_value(v); }
    static std::int32_t pair(const PairTable& table, Pair key) { return table.find(key); }
};

// Replace left[i] by the number of the pair (left[i], right[i]).
template <class Policy, class Link>
void fold_pairs(Link& table, ValueId* left, const ValueId* right, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) table.prefetch({left[i], right[i]});
    for (std::size_t i = 0; i < n; ++i)
        left[i] =
            left[i] == no_value || right[i] == no_value ? no_value : Policy::pair(table, {left[i], right[i]});
}

// Compute the attribute of one feature at every token of a span, into left.
template <class Policy, class Group>
void attributes_of(const Feature& feature, const std::vector<Reader>& readers, Group& group,
                   const TokenSpan& s, bool on_moves, Block& left, Block& right) {
    const auto n = static_cast<std::size_t>(s.to - s.from);
    if (feature.atoms.empty())
        left.fill(0);
    else
        readers[feature.atoms[0].values].read(s, feature.atoms[0], left.data());
    if (on_moves && s.from == s.begin) left[0] = no_value;
    if (feature.atoms.size() <= 1) {
        for (std::size_t i = 0; i < n; ++i)
            if (left[i] != no_value) left[i] = Policy::value(group, left[i]);
        return;
    }
    for (std::size_t a = 1; a < feature.atoms.size(); ++a) {
        readers[feature.atoms[a].values].read(s, feature.atoms[a], right.data());
        fold_pairs<Policy>(group.link(a - 1), left.data(), right.data(), n);
    }
}

void put(const Block& column, const TokenSpan& s, std::int32_t* ids, std::size_t stride) {
    for (std::int64_t t = s.from; t < s.to; ++t)
        ids[static_cast<std::size_t>(t) * stride] = column[static_cast<std::size_t>(t - s.from)];
}

}  // namespace

Bank::Bank(std::vector<Values> values, std::vector<Feature> features, std::size_t columns, bool on_moves)
    : values_(std::move(values)), features_(std::move(features)), words_(columns), on_moves_(on_moves) {
    std::size_t count = 0;
    for (const Feature& feature : features_) count = std::max(count, feature.group + 1);
    std::vector<std::size_t> atoms(count);
    for (const Feature& feature : features_) atoms[feature.group] = feature.atoms.size();
    for (const std::size_t n : atoms) groups_.emplace_back(n);
}

std::vector<Reader> Bank::readers(const TableView& table,
                                  const std::vector<std::vector<ValueId>>& of_code) const {
    std::vector<Reader> readers;
    for (std::size_t v = 0; v < values_.size(); ++v)
        readers.push_back({table.columns[values_[v].column()].codes, of_code[v].data(), &values_[v].before(),
                           &values_[v].after()});
    return readers;
}

void Bank::learn(const TableView& table, std::int32_t* ids, std::size_t threads) {
    std::vector<std::vector<StringId>> known(words_.size());
    for (std::size_t c = 0; c < words_.size(); ++c)
        known[c] = words_[c].learn(table.columns[c], table.tokens());
    std::vector<std::vector<ValueId>> of_code(values_.size());
    const std::vector<std::vector<std::size_t>> shared = by_pool();
    parallel_for(shared.size(), threads, [&](std::size_t pool) {
        for (const std::size_t v : shared[pool]) {
            const std::size_t c = values_[v].column();
            values_[v].learn(words_[c]);
            of_code[v] = values_[v].of_codes(*table.columns[c].pool, known[c]);
        }
    });
    const std::vector<Reader> sources = readers(table, of_code);
    const std::vector<std::size_t> order = by_work();
    parallel_for(order.size(), threads, [&](std::size_t i) { learn_group(order[i], table, sources, ids); });
}

void Bank::learn_words(const TableView& strings) {
    for (std::size_t c = 0; c < words_.size(); ++c)
        words_[c].learn(strings.columns[c], strings.columns[c].pool->size());
    for (const std::vector<std::size_t>& shared : by_pool())
        for (const std::size_t v : shared) values_[v].learn(words_[values_[v].column()]);
}

void Bank::add_to(Tally& tally, const std::int32_t* ids, std::size_t tokens, std::size_t begin) const {
    constexpr int token_bits = 44;
    tally.counts.resize(groups_.size());
    tally.first.resize(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        tally.counts[g].resize(groups_[g].size());
        tally.first[g].resize(groups_[g].size());
    }
    std::vector<std::int64_t> rank(stride());  // of a feature within its group
    std::vector<std::int64_t> features(groups_.size());
    for (std::size_t f = 0; f < stride(); ++f) rank[f] = features[features_[f].group]++;
    for (std::size_t n = 0; n < tokens; ++n) {
        const std::int32_t* const row = ids + n * stride();
        for (std::size_t f = 0; f < stride(); ++f) {
            if (row[f] == no_value) continue;
            const std::size_t g = features_[f].group, a = static_cast<std::size_t>(row[f]);
            const std::int64_t when = (rank[f] << token_bits) + static_cast<std::int64_t>(begin + n);
            std::int64_t& first = tally.first[g][a];
            first = tally.counts[g][a]++ == 0 ? when : std::min(first, when);
        }
    }
}

void Bank::forget() {
    for (Attributes& group : groups_) group = Attributes(group.atoms());
}

// Largest groups first, so that no large group starts when all others are done.
std::vector<std::size_t> Bank::by_work() const {
    std::vector<std::size_t> work(groups_.size()), order(groups_.size());
    for (const Feature& feature : features_) work[feature.group] += 1 + 2 * feature.atoms.size();
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t g) { return work[g]; });
    return order;
}

// Values grouped by pool. Those that share a pool are processed in order, so that its numbering is always the same.
std::vector<std::vector<std::size_t>> Bank::by_pool() const {
    std::map<const StringPool*, std::size_t> place;
    std::vector<std::vector<std::size_t>> shared;
    for (std::size_t v = 0; v < values_.size(); ++v) {
        const std::size_t at = place.try_emplace(&values_[v].pool(), shared.size()).first->second;
        if (at == shared.size()) shared.emplace_back();
        shared[at].push_back(v);
    }
    return shared;
}

void Bank::learn_group(std::size_t group, const TableView& table, const std::vector<Reader>& sources,
                       std::int32_t* ids) {
    Block left, right;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        if (features_[f].group != group) continue;
        for_each_span(table, 0, table.sentences, [&](const TokenSpan& s) {
            attributes_of<Interning>(features_[f], sources, groups_[group], s, on_moves_, left, right);
            put(left, s, ids + f, stride());
        });
    }
}

std::vector<std::int64_t> Bank::counts(const std::int32_t* ids, std::size_t tokens,
                                       std::size_t threads) const {
    std::vector<std::size_t> first{0};
    for (const Attributes& group : groups_) first.push_back(first.back() + group.size());
    std::vector<std::int64_t> counts(first.back());
    std::mutex adding;
    parallel_ranges(tokens, threads, [&](std::size_t from, std::size_t to) {
        std::vector<std::int64_t> own(counts.size());
        std::vector<std::int64_t*> of_feature;
        for (const Feature& feature : features_) of_feature.push_back(own.data() + first[feature.group]);
        for (std::size_t n = from; n < to; ++n) {
            const std::int32_t* row = ids + n * stride();
            for (std::size_t f = 0; f < stride(); ++f)
                if (row[f] != no_value) ++of_feature[f][row[f]];
        }
        const std::lock_guard<std::mutex> lock(adding);
        for (std::size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
    });
    return counts;
}

std::vector<std::size_t> Bank::group_sizes() const {
    std::vector<std::size_t> sizes;
    for (const Attributes& group : groups_) sizes.push_back(group.size());
    return sizes;
}

std::size_t Bank::number(const std::int32_t* map, std::int32_t* ids, std::size_t tokens, std::int64_t* indptr,
                         std::size_t threads) {
    std::vector<const std::int32_t*> of_group(groups_.size());
    const std::int32_t* next = map;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        of_group[g] = next;
        next += groups_[g].size();
    }
    parallel_for(groups_.size(), threads, [&](std::size_t g) { groups_[g].renumber(of_group[g]); });
    std::vector<const std::int32_t*> of_feature;
    for (const Feature& feature : features_) of_feature.push_back(of_group[feature.group]);
    parallel_ranges(tokens, threads, [&](std::size_t from, std::size_t to) {
        for (std::size_t n = from; n < to; ++n) {
            std::int32_t* row = ids + n * stride();
            for (std::size_t f = 0; f < stride(); ++f)
                if (row[f] != no_value) row[f] = of_feature[f][row[f]];
        }
    });
    return pack_rows(ids, tokens, stride(), indptr, threads);
}

std::size_t Bank::look_up(const TableView& table, std::int32_t* ids, std::int64_t* indptr,
                          std::size_t threads) const {
    std::vector<std::vector<StringId>> known;
    for (std::size_t c = 0; c < words_.size(); ++c)
        known.push_back(words_[c].look_up(table.columns[c], table.tokens()));
    std::vector<std::vector<ValueId>> of_code;
    for (const Values& values : values_) {
        const std::size_t c = values.column();
        of_code.push_back(values.of_codes(*table.columns[c].pool, known[c]));
    }
    const std::vector<Reader> sources = readers(table, of_code);
    const std::size_t blocks = (table.sentences + block_sentences - 1) / block_sentences;
    parallel_for(blocks, threads, [&](std::size_t b) {
        const std::size_t first = b * block_sentences;
        const std::size_t last = std::min(table.sentences, first + block_sentences);
        Block left, right;
        for (std::size_t f = 0; f < features_.size(); ++f)
            for_each_span(table, first, last, [&](const TokenSpan& s) {
                attributes_of<Finding>(features_[f], sources, groups_[features_[f].group], s, on_moves_, left,
                                       right);
                put(left, s, ids + f, stride());
            });
    });
    return pack_rows(ids, table.tokens(), stride(), indptr, threads);
}

Learned Bank::learned() const {
    Learned learned;
    for (const Words& words : words_) learned.words.push_back(words.pool());
    std::set<const StringPool*> met;
    for (const Values& values : values_)
        learned.pools.push_back(met.insert(&values.pool()).second ? values.pool() : StringPool());
    for (const Attributes& attributes : groups_) {
        Learned::Group group;
        attributes.each([&](AttributeId attribute, const std::vector<ValueId>& values) {
            group.ids.push_back(attribute);
            group.values.insert(group.values.end(), values.begin(), values.end());
        });
        learned.groups.push_back(std::move(group));
    }
    return learned;
}

void Bank::restore(Learned learned) {
    constexpr std::size_t ahead = 16;  // entries between prefetching a slot and using it
    for (std::size_t c = 0; c < words_.size(); ++c) words_[c].restore(std::move(learned.words[c]));
    std::set<const StringPool*> met;
    for (std::size_t v = 0; v < values_.size(); ++v)
        if (met.insert(&values_[v].pool()).second) values_[v].restore(std::move(learned.pools[v]));
    for (Values& values : values_) values.learn(words_[values.column()]);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Learned::Group& group = learned.groups[g];
        const std::size_t atoms = groups_[g].atoms(), count = group.ids.size();
        groups_[g].reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (i + ahead < count) groups_[g].prefetch(group.values.data() + (i + ahead) * atoms);
            groups_[g].put(group.ids[i], group.values.data() + i * atoms);
        }
    }
}

}  // namespace seqlab
