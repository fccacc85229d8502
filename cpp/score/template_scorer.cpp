#include "score/template_scorer.hpp"

#include <algorithm>
#include <array>

#include "inference/kernels/kernels.hpp"
#include "score/sum_cache.hpp"

namespace seqlab {

TemplateScorer::TemplateScorer(const Bank& bank, const AttributeWeights& weights)
    : bank_(bank), weights_(weights), plan_(bank) {
    std::size_t groups = 0;
    for (const Feature& feature : bank.features()) groups = std::max(groups, feature.group + 1);
    std::size_t size = 0;
    for (std::size_t g = 0; g < groups; ++g) size += PlaceMap::slots_for(bank.group(g));
    PlaceMap::Slot* next = slots_.of(size + 1);
    for (std::size_t g = 0; g < groups; ++g) {
        maps_.emplace_back(bank.group(g), weights, next);
        next += PlaceMap::slots_for(bank.group(g));
    }
}

namespace {

// Rows of sums that one thread keeps; when they are full, it begins anew.
constexpr std::size_t cache_bytes = std::size_t{64} << 20;

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

// The longest list of symbols of all values, at least 1.
template <class Symbols>
std::int64_t most_symbols(const Bank& bank, Symbols symbols) {
    std::size_t most = 1;
    for (const Values& values : bank.values()) most = std::max(most, symbols(values).size());
    return static_cast<std::int64_t>(most);
}

}  // namespace

class TemplateReader::Work {
public:
    explicit Work(const TemplateCorpus& of);

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
        std::vector<std::int32_t> row;  // by code; -1 when not made yet
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

    std::size_t capacity() const;
    ValueId value_at(const Cell& cell, std::size_t values, std::int32_t code) const;
    void fill_cell(const Cell& cell, const Fresh& fresh);
    void fill_window(const WindowBundle& window, const Fresh& fresh);
    template <class Value>
    void fill(std::size_t feature, const Fresh& fresh, Value value);

    void read_atoms();
    void read_codes(const Cell& cell, Piece& codes) const;
    void look_up_cells();
    void look_up_windows();
    void look_up_lone();
    void put(std::size_t t, const float* row, bool wanted = true) {
        rows_[t * most_rows_ + static_cast<std::size_t>(row_count_[t])] = row;
        row_count_[t] += wanted;
    }

    const TemplateCorpus& corpus_;
    const Bank& bank_;
    const BundlePlan& plan_;
    const AttributeWeights& weights_;
    const std::int64_t most_before_, most_after_;  // symbols outside a sentence, on each side

    std::vector<Cell> cells_;
    std::vector<KeyTable> windows_;
    SumRows sums_;
    std::vector<float> always_;

    // The piece at hand: its tokens, the values of atoms at them, and what each of them adds up.
    std::vector<Segment> segments_;
    std::size_t tokens_ = 0;
    std::vector<Piece> atoms_;
    const std::size_t most_rows_, most_few_;
    std::vector<const float*> rows_;
    std::vector<AttributeWeights::Place> few_;
    std::array<std::int32_t, piece_tokens> row_count_, few_count_;
};

TemplateReader::Work::Work(const TemplateCorpus& of)
    : corpus_(of),
      bank_(of.scorer().bank()),
      plan_(of.scorer().plan()),
      weights_(of.scorer().weights()),
      most_before_(most_symbols(bank_, [](const Values& values) -> auto& { return values.before(); })),
      most_after_(most_symbols(bank_, [](const Values& values) -> auto& { return values.after(); })),
      windows_(plan_.windows.size()),
      sums_(weights_.LP(), capacity()),
      atoms_(plan_.atoms.size()),
      most_rows_(plan_.cells.size() + plan_.windows.size() + plan_.lone.size() + 1),
      most_few_(plan_.lone.size() + 1),
      rows_(most_rows_ * piece_tokens),
      few_(most_few_ * piece_tokens) {
    for (const CellBundle& cell : plan_.cells) {
        const auto& column = corpus_.table().columns[cell.column];
        const auto strings = static_cast<std::int64_t>(column.pool->size());
        const auto codes = static_cast<std::size_t>(strings + most_before_ + most_after_ + 1);
        cells_.push_back({&cell, column.codes, strings, std::vector<std::int32_t>(codes, -1)});
    }
    if (!plan_.always.empty()) always_.assign(weights_.LP(), 0.0F);
    for (const std::size_t f : plan_.always) {
        Places place;
        of.scorer().places(f).find(nullptr, 1, place);
        weights_.add(place[0], always_.data());
    }
}

// Rows that may be wanted, but no more than fit; at least those of one piece.
std::size_t TemplateReader::Work::capacity() const {
    const std::size_t tokens = corpus_.table().tokens();
    std::size_t most = plan_.windows.size() * tokens;
    for (const CellBundle& cell : plan_.cells)
        most += std::min(tokens, corpus_.table().columns[cell.column].pool->size()) +
                static_cast<std::size_t>(most_before_ + most_after_ + 1);
    const std::size_t least = (plan_.cells.size() + plan_.windows.size()) * piece_tokens;
    return std::max(least, std::min(most, cache_bytes / sizeof(float) / weights_.LP()));
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
    corpus_.scorer().places(feature).find(views.data(), fresh.size, places);
    for (std::size_t i = 0; i < fresh.size; ++i) weights_.prefetch(places[i]);
    for (std::size_t i = 0; i < fresh.size; ++i) weights_.add(places[i], sums_.at(fresh.row[i]));
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
    if (sums_.fits((cells_.size() + windows_.size()) * piece_tokens)) return;
    sums_.clear();
    for (Cell& cell : cells_) std::fill(cell.row.begin(), cell.row.end(), -1);
    for (KeyTable& window : windows_) window.clear();
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
            std::int32_t& row = cell.row[static_cast<std::size_t>(codes[t])];
            if (row < 0) fresh.add(codes[t], row = sums_.make());
        }
        if (fresh.size > 0) fill_cell(cell, fresh);
        for (std::size_t t = 0; t < tokens_; ++t)
            put(t, sums_.at(cell.row[static_cast<std::size_t>(codes[t])]));
    }
}

void TemplateReader::Work::look_up_windows() {
    std::array<std::uint64_t, piece_tokens> keys;
    for (std::size_t w = 0; w < windows_.size(); ++w) {
        const WindowBundle& window = plan_.windows[w];
        std::fill_n(keys.begin(), tokens_, 0);
        for (std::size_t i = 0; i < window.atoms.size(); ++i) {
            const Piece& values = atoms_[window.atoms[i]];
            for (std::size_t t = 0; t < tokens_; ++t)
                keys[t] += static_cast<std::uint64_t>(values[t] + 1) * window.radix[i];
        }
        Fresh fresh;
        for (std::size_t t = 0; t < tokens_; ++t)
            put(t, sums_.at(windows_[w].find(keys[t], [&] {
                const std::int32_t row = sums_.make();
                fresh.add(static_cast<std::int32_t>(t), row);
                return row;
            })));
        if (fresh.size > 0) fill_window(window, fresh);
    }
}

void TemplateReader::Work::look_up_lone() {
    Places places;
    std::vector<const ValueId*> views;
    for (const LoneFeature& lone : plan_.lone) {
        views.clear();
        for (const std::size_t a : lone.atoms) views.push_back(atoms_[a].data());
        corpus_.scorer().places(lone.feature).find(views.data(), tokens_, places);
        for (std::size_t t = 0; t < tokens_; ++t) {
            weights_.prefetch(places[t]);
            put(t, weights_.row(places[t]), places[t].dense());
            few_[t * most_few_ + static_cast<std::size_t>(few_count_[t])] = places[t];
            few_count_[t] += places[t].few();
        }
    }
}

void TemplateReader::Work::finish_piece(float* node) {
    std::fill_n(row_count_.begin(), tokens_, 0);
    std::fill_n(few_count_.begin(), tokens_, 0);
    for (std::size_t t = 0; t < tokens_ && !always_.empty(); ++t) put(t, always_.data());
    read_atoms();
    look_up_cells();
    look_up_windows();
    look_up_lone();
    const std::size_t L = weights_.L();
    // The last row runs over into what the next piece writes, or into the room behind.
    kernels().f32.sum_rows(rows_.data(), most_rows_, row_count_.data(), weights_.LP(), L, tokens_, node);
    for (std::size_t t = 0; t < tokens_; ++t)
        for (std::size_t i = 0; i < static_cast<std::size_t>(few_count_[t]); ++i)
            weights_.add_few(few_[t * most_few_ + i], node + t * L);
}

TemplateReader::TemplateReader(const TemplateCorpus& corpus) : work_(std::make_unique<Work>(corpus)) {}
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
