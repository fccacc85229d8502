#include "score/template_scorer.hpp"

#include <algorithm>
#include <array>

#include "score/piece_sums.hpp"
#include "score/sum_cache.hpp"

namespace seqlab {

TemplateScorer::TemplateScorer(const Bank& bank, const AttributeWeights& weights)
    : bank_(bank), weights_(weights), plan_(bank), pairs_(bank, weights) {
    std::size_t groups = 0;
    for (const Feature& feature : bank.features()) groups = std::max(groups, feature.group + 1);
    std::size_t size = 0;
    for (std::size_t g = 0; g < groups; ++g) size += PlaceMap::buckets_for(bank.group(g));
    PlaceBucket* next = buckets_.of(size + 1);
    for (std::size_t g = 0; g < groups; ++g) {
        maps_.emplace_back(bank, g, weights, pairs_, next);
        next += PlaceMap::buckets_for(bank.group(g));
    }
}

namespace {

// Rows of sums that one thread keeps; when they are full, it begins anew.
constexpr std::size_t cache_bytes = std::size_t{32} << 20;

// Tokens from .. to of the sentence begin .. end.
struct Segment {
    std::int64_t begin, end, from, to;
};

// out[t] is what stands at an offset from token t: inside(i), before(distance) or after(distance).
template <class Inside, class Before, class After>
ValueId* read(const Segment& s, std::int64_t offset, bool absolute, ValueId* out, Inside inside,
              Before before, After after) {
    if (absolute) {
        const std::int64_t i = offset < 0 ? s.end + offset : s.begin + offset;
        const ValueId value = i < s.begin  ? before(s.begin - i)
                              : i >= s.end ? after(i - s.end + 1)
                                           : inside(i);
        return std::fill_n(out, s.to - s.from, value);
    }
    const std::int64_t low = std::clamp(s.begin - offset, s.from, s.to);
    const std::int64_t high = std::clamp(s.end - offset, s.from, s.to);
    for (std::int64_t t = s.from; t < low; ++t) *out++ = before(s.begin - t - offset);
    for (std::int64_t t = low; t < high; ++t) *out++ = inside(t + offset);
    for (std::int64_t t = high; t < s.to; ++t) *out++ = after(t + offset - s.end + 1);
    return out;
}

// The longest list of symbols of all values on one side, at least 1.
template <class Symbols>
std::int64_t most_symbols(const Bank& bank, Symbols symbols) {
    std::size_t most = 1;
    for (const Values& values : bank.values()) most = std::max(most, symbols(values).size());
    return static_cast<std::int64_t>(most);
}
std::int64_t most_before(const Bank& bank) {
    return most_symbols(bank, [](const Values& values) -> auto& { return values.before(); });
}
std::int64_t most_after(const Bank& bank) {
    return most_symbols(bank, [](const Values& values) -> auto& { return values.after(); });
}

}  // namespace

// Rows of a cell: for no value, for the strings that training met, for the places before a sentence and after it; and
// behind them, for one corpus only, for its strings that training did not meet.
struct TemplateSums::Kept {
    explicit Kept(const TemplateScorer& scorer);

    std::size_t most_new() const { return (cell_rows.size() + windows.size()) * piece_tokens; }
    void clear();

    std::vector<std::size_t> lasting;  // of each cell: rows that mean the same in every corpus
    std::vector<std::vector<std::int32_t>> cell_rows;  // -1 when not made yet
    std::vector<KeyTable> windows;
    SumRows sums;
};

class TemplateReader::Work {
public:
    Work(const TemplateCorpus& of, TemplateSums::Kept& kept);

    const std::int64_t* offset() const { return corpus_.table().offset; }
    std::size_t labels() const { return weights_.L(); }
    std::size_t tokens() const { return tokens_; }
    void begin_piece();
    void add(const Segment& segment);
    // node (tokens(), L)
    void finish_piece(float* node);

private:
    // Codes of a cell: 0 for no value, then the strings of the column, then the places before a sentence and after it.
    struct Cell {
        const CellBundle* bundle;
        const StringId* codes;
        std::int64_t strings;
        std::vector<std::int32_t> place;  // of each code in `rows`
        std::int32_t* rows;
    };
    // Rows that are being made: row[i] for the code, or the token, key[i].
    struct Fresh {
        std::size_t size = 0;
        Piece key, row;

        void add(std::int32_t new_key, std::int32_t new_row) {
            key[size] = new_key;
            row[size++] = new_row;
        }
    };

    Cell cell_of(std::size_t number);
    ValueId value_at(const Cell& cell, std::size_t values, std::int32_t code) const;
    void fill_cell(const Cell& cell, const Fresh& fresh);
    void fill_window(const WindowBundle& window, const Fresh& fresh);
    template <class Value>
    void fill(std::size_t feature, const Fresh& fresh, Value value);

    void read_atoms();
    void read_codes(const Cell& cell, Piece& codes) const;
    void look_up_cells();
    void look_up_windows();
    void ask_lone();
    void answer_lone();

    const TemplateCorpus& corpus_;
    const Bank& bank_;
    const BundlePlan& plan_;
    const AttributeWeights& weights_;
    const std::int64_t most_before_, most_after_;  // symbols outside a sentence, on each side

    TemplateSums::Kept& kept_;
    std::vector<Cell> cells_;
    std::vector<float> always_;

    // The piece at hand: its tokens, the values of atoms at them, and what they add up.
    std::vector<Segment> segments_;
    std::size_t tokens_ = 0;
    std::vector<Piece> atoms_;
    std::vector<PlaceSearch> searches_;  // one per lone feature
    PieceSums totals_;
};

TemplateSums::Kept::Kept(const TemplateScorer& scorer)
    : windows(scorer.plan().windows.size()),
      sums(scorer.weights().LP(), std::max((scorer.plan().cells.size() + windows.size()) * piece_tokens,
                                           cache_bytes / sizeof(float) / scorer.weights().LP())) {
    const Bank& bank = scorer.bank();
    for (const CellBundle& cell : scorer.plan().cells) {
        lasting.push_back(bank.words(cell.column).pool().size() + 1 +
                          static_cast<std::size_t>(most_before(bank) + most_after(bank)));
        cell_rows.emplace_back(lasting.back(), -1);
    }
}

void TemplateSums::Kept::clear() {
    sums.clear();
    for (std::vector<std::int32_t>& rows : cell_rows) std::fill(rows.begin(), rows.end(), -1);
    for (KeyTable& window : windows) window.clear();
}

TemplateSums::TemplateSums(const TemplateScorer& scorer) : kept_(std::make_unique<Kept>(scorer)) {}
TemplateSums::~TemplateSums() = default;

TemplateReader::Work::Work(const TemplateCorpus& of, TemplateSums::Kept& kept)
    : corpus_(of),
      bank_(of.scorer().bank()),
      plan_(of.scorer().plan()),
      weights_(of.scorer().weights()),
      most_before_(most_before(bank_)),
      most_after_(most_after(bank_)),
      kept_(kept),
      atoms_(plan_.atoms.size()),
      searches_(plan_.lone.size()),
      totals_(weights_, plan_.cells.size() + plan_.windows.size() + 1, plan_.lone.size() + 1) {
    for (std::size_t c = 0; c < plan_.cells.size(); ++c) cells_.push_back(cell_of(c));
    if (!plan_.always.empty()) always_.assign(weights_.LP(), 0.0F);
    for (const std::size_t f : plan_.always) {
        Places place;
        PlaceSearch search;
        of.scorer().places(f).ask(nullptr, 1, search);
        of.scorer().places(f).answer(search, 1, place);
        weights_.add(place[0], always_.data());
    }
}

TemplateReader::Work::Cell TemplateReader::Work::cell_of(std::size_t number) {
    const CellBundle& bundle = plan_.cells[number];
    const auto& column = corpus_.table().columns[bundle.column];
    const std::size_t strings = column.pool->size(), words = bank_.words(bundle.column).pool().size();
    const std::size_t lasting = kept_.lasting[number];
    std::vector<std::int32_t> place{0};
    for (std::size_t code = 0; code < strings; ++code) {
        const StringId word = corpus_.known(bundle.column)[code];
        place.push_back(word >= 0 ? word + 1 : static_cast<std::int32_t>(lasting + code));
    }
    for (std::size_t outside = words + 1; outside < lasting; ++outside)
        place.push_back(static_cast<std::int32_t>(outside));
    std::vector<std::int32_t>& rows = kept_.cell_rows[number];
    rows.resize(lasting);
    rows.resize(lasting + strings, -1);
    return {&bundle, column.codes, static_cast<std::int64_t>(strings), std::move(place), rows.data()};
}

// ---------------------------------------------------------------- sums that are made once

ValueId TemplateReader::Work::value_at(const Cell& cell, std::size_t values, std::int32_t code) const {
    if (code == 0) return no_value;
    if (code <= cell.strings) return corpus_.of_code(values)[code - 1];
    const std::int64_t distance = code - cell.strings;
    return distance <= most_before_ ? outside(bank_.values()[values].before(), distance)
                                    : outside(bank_.values()[values].after(), distance - most_before_);
}

// Adds the weights of one feature to all new rows; value(a, i) is the value of its atom a for row i.
template <class Value>
void TemplateReader::Work::fill(std::size_t feature, const Fresh& fresh, Value value) {
    const std::size_t count = bank_.features()[feature].atoms.size();
    std::vector<Piece> columns(count);
    std::vector<const ValueId*> views;
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t i = 0; i < fresh.size; ++i) columns[a][i] = value(a, i);
        views.push_back(columns[a].data());
    }
    Places places;
    PlaceSearch search;
    corpus_.scorer().places(feature).ask(views.data(), fresh.size, search);
    corpus_.scorer().places(feature).answer(search, fresh.size, places);
    for (std::size_t i = 0; i < fresh.size; ++i) weights_.prefetch(places[i]);
    for (std::size_t i = 0; i < fresh.size; ++i) weights_.add(places[i], kept_.sums.at(fresh.row[i]));
}

void TemplateReader::Work::fill_cell(const Cell& cell, const Fresh& fresh) {
    for (const std::size_t f : cell.bundle->features)
        fill(f, fresh, [&](std::size_t a, std::size_t i) {
            return value_at(cell, bank_.features()[f].atoms[a].values, fresh.key[i]);
        });
}

void TemplateReader::Work::fill_window(const WindowBundle& window, const Fresh& fresh) {
    for (std::size_t k = 0; k < window.features.size(); ++k)
        fill(window.features[k], fresh, [&](std::size_t a, std::size_t i) {
            return atoms_[window.atoms[window.places[k][a]]][static_cast<std::size_t>(fresh.key[i])];
        });
}

// ---------------------------------------------------------------- one piece

void TemplateReader::Work::begin_piece() {
    segments_.clear();
    tokens_ = 0;
    if (!kept_.sums.fits(kept_.most_new())) kept_.clear();
}

void TemplateReader::Work::add(const Segment& segment) {
    segments_.push_back(segment);
    tokens_ += static_cast<std::size_t>(segment.to - segment.from);
}

void TemplateReader::Work::read_atoms() {
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
        const Atom& atom = plan_.atoms[a];
        const Values& values = bank_.values()[atom.values];
        const StringId* const codes = corpus_.table().columns[values.column()].codes;
        const ValueId* const of_code = corpus_.of_code(atom.values);
        ValueId* out = atoms_[a].data();
        for (const Segment& s : segments_)
            out = read(
                s, atom.offset, atom.absolute, out,
                [&](std::int64_t i) { return codes[i] == no_value ? no_value : of_code[codes[i]]; },
                [&](std::int64_t distance) { return outside(values.before(), distance); },
                [&](std::int64_t distance) { return outside(values.after(), distance); });
    }
}

void TemplateReader::Work::read_codes(const Cell& cell, Piece& codes) const {
    const auto code_at = [&](std::int64_t place) { return static_cast<ValueId>(cell.strings + place); };
    ValueId* out = codes.data();
    for (const Segment& s : segments_)
        out = read(
            s, cell.bundle->offset, cell.bundle->absolute, out,
            [&](std::int64_t i) { return cell.codes[i] + 1; },
            [&](std::int64_t distance) { return code_at(std::min(distance, most_before_)); },
            [&](std::int64_t distance) { return code_at(most_before_ + std::min(distance, most_after_)); });
}

void TemplateReader::Work::look_up_cells() {
    Piece codes;
    for (Cell& cell : cells_) {
        read_codes(cell, codes);
        Fresh fresh;
        for (std::size_t t = 0; t < tokens_; ++t) {
            std::int32_t& row = cell.rows[cell.place[static_cast<std::size_t>(codes[t])]];
            if (row < 0) fresh.add(codes[t], row = kept_.sums.make());
            totals_.add_row(t, kept_.sums.at(row));
        }
        if (fresh.size > 0) fill_cell(cell, fresh);
    }
}

void TemplateReader::Work::look_up_windows() {
    std::array<std::uint64_t, piece_tokens> keys;
    for (std::size_t w = 0; w < kept_.windows.size(); ++w) {
        const WindowBundle& window = plan_.windows[w];
        std::fill_n(keys.begin(), tokens_, 0);
        for (std::size_t i = 0; i < window.atoms.size(); ++i) {
            const Piece& values = atoms_[window.atoms[i]];
            for (std::size_t t = 0; t < tokens_; ++t)
                keys[t] += static_cast<std::uint64_t>(values[t] + 1) * window.radix[i];
        }
        for (std::size_t t = 0; t < tokens_; ++t) kept_.windows[w].prefetch(keys[t]);
        Fresh fresh;
        for (std::size_t t = 0; t < tokens_; ++t)
            totals_.add_row(t, kept_.sums.at(kept_.windows[w].find(keys[t], [&] {
                const std::int32_t row = kept_.sums.make();
                fresh.add(static_cast<std::int32_t>(t), row);
                return row;
            })));
        if (fresh.size > 0) fill_window(window, fresh);
    }
}

void TemplateReader::Work::ask_lone() {
    std::vector<const ValueId*> views;
    for (std::size_t k = 0; k < plan_.lone.size(); ++k) {
        views.clear();
        for (const std::size_t a : plan_.lone[k].atoms) views.push_back(atoms_[a].data());
        corpus_.scorer().places(plan_.lone[k].feature).ask(views.data(), tokens_, searches_[k]);
    }
}

void TemplateReader::Work::answer_lone() {
    Places places;
    for (std::size_t k = 0; k < plan_.lone.size(); ++k) {
        corpus_.scorer().places(plan_.lone[k].feature).answer(searches_[k], tokens_, places);
        for (std::size_t t = 0; t < tokens_; ++t) weights_.prefetch(places[t]);
        totals_.add(places.data(), tokens_, [](std::size_t i) { return i; });
    }
}

void TemplateReader::Work::finish_piece(float* node) {
    totals_.begin(tokens_);
    for (std::size_t t = 0; t < tokens_ && !always_.empty(); ++t) totals_.add_row(t, always_.data());
    read_atoms();
    ask_lone();  // what it asks for comes near while the others are looked up
    look_up_cells();
    look_up_windows();
    answer_lone();
    totals_.finish(node);
}

TemplateReader::TemplateReader(const TemplateCorpus& corpus, TemplateSums& sums)
    : work_(std::make_unique<Work>(corpus, *sums.kept_)) {}
TemplateReader::~TemplateReader() = default;

void TemplateReader::score(std::size_t first, std::size_t last, float* node) {
    const std::int64_t* const offset = work_->offset();
    const auto flush = [&] {
        work_->finish_piece(node);
        node += work_->tokens() * work_->labels();
        work_->begin_piece();
    };
    work_->begin_piece();
    for (std::size_t s = first; s < last; ++s)
        for (std::int64_t from = offset[s]; from < offset[s + 1];) {
            const auto left = static_cast<std::int64_t>(piece_tokens - work_->tokens());
            const std::int64_t to = std::min(offset[s + 1], from + left);
            work_->add({offset[s], offset[s + 1], from, to});
            from = to;
            if (work_->tokens() == piece_tokens) flush();
        }
    flush();
}

}  // namespace seqlab
