#include "linear/tagging/template/scorer.hpp"

#include <algorithm>
#include <array>

#include "base/parallel/poll.hpp"
#include "linear/tagging/piece_sums.hpp"
#include "linear/tagging/segments.hpp"
#include "linear/tagging/template/sums.hpp"

namespace seqlab {

class TemplateReader::Work {
public:
    Work(const TemplateCorpus& of, TemplateSums::Kept& kept);

    const std::int64_t* offset() const { return corpus_.table().offset; }
    std::size_t labels() const { return weights_.L(); }
    std::size_t tokens() const { return tokens_; }
    void begin_piece();
    void add(const Segment& segment);
    // Compute the scores node (tokens(), L) of the piece.
    void finish_piece(float* node);

private:
    // Codes of a family of cells: 0 for no value, then the strings of the column, then the positions before a sentence
    // and after it.
    struct Family {
        const CellFamily* of;
        const StringId* codes;
        std::int64_t strings;
        std::vector<const float*> block;  // of each code; null when not made yet
        std::vector<std::int32_t>
            place;  // index of each code among the cached blocks; precomputed, or not_seen
        std::vector<std::int32_t>* kept;
    };
    static constexpr std::int32_t precomputed = -1, not_seen = -2;
    // Values of the atoms of a feature, one array for each.
    using Views = std::vector<const ValueId*>;
    // Rows to be computed: row[i] for the code, or the token, key[i].
    struct Fresh {
        std::size_t size = 0;
        Piece key;
        std::array<float*, piece_tokens> row;

        void add(std::int32_t new_key, float* new_row) {
            key[size] = new_key;
            row[size++] = new_row;
        }
    };

    Family family_of(std::size_t number);
    std::int32_t unknown_number(std::size_t column, std::size_t code);
    void forget_sums();
    void read_values(const Family& family, const Fresh& fresh);
    std::int32_t code_at(const Family& family, const Segment& segment, std::int64_t i) const;
    const float* block_of(Family& family, std::int32_t code, Fresh& fresh);
    void fill_blocks(const Family& family, Fresh& fresh);
    void fill_window(const WindowBundle& window, const Fresh& fresh);

    void read_atoms();
    void look_up_cells();
    void look_up_near(Family& family, const Segment& segment, std::size_t t, Fresh& fresh);
    void look_up_fixed(Family& family, const Segment& segment, std::size_t t, Fresh& fresh);
    void look_up_windows();
    void ask_lone();
    void answer_lone();
    std::size_t group_of(std::size_t feature) const { return tables_.features[feature].group; }

    const TemplateCorpus& corpus_;
    const TemplateTables& tables_;
    const BundlePlan& plan_;
    const PlacedWeights& weights_;
    const std::int64_t most_before_, most_after_;  // symbols outside a sentence, on each side

    TemplateSums::Kept& kept_;
    CellSums cell_sums_;
    std::vector<std::vector<std::int32_t>>
        unknown_;  // of each column: a number for each unknown string seen so far
    std::vector<Family> families_;
    std::vector<const float*> near_;  // blocks of the tokens of a segment and of those around it
    std::vector<float> always_;

    // The current piece: its tokens, the values of atoms at them, and their sums.
    std::vector<Segment> segments_;
    std::size_t tokens_ = 0;
    std::vector<Piece> atoms_;
    std::vector<PlaceSearch> searches_;  // one per lone feature
    PieceSums totals_;
};

TemplateReader::Work::Work(const TemplateCorpus& of, TemplateSums::Kept& kept)
    : corpus_(of),
      tables_(of.scorer().tables()),
      plan_(of.scorer().plan()),
      weights_(of.scorer().weights()),
      most_before_(most_before(tables_.values)),
      most_after_(most_after(tables_.values)),
      kept_(kept),
      cell_sums_(of.scorer()),
      unknown_(of.table().columns.size()),
      atoms_(plan_.atoms.size()),
      searches_(plan_.lone.size()),
      totals_(weights_, plan_.cells.size() + plan_.windows.size() + 1, plan_.lone.size() + 1) {
    kept_.start_corpus();
    for (std::size_t f = 0; f < plan_.families.size(); ++f) families_.push_back(family_of(f));
    if (!plan_.always.empty()) always_.assign(weights_.LP(), 0.0F);
    for (const std::size_t f : plan_.always) {
        Places place;
        PlaceSearch search;
        tables_.ask(group_of(f), nullptr, 1, search);
        tables_.answer(group_of(f), search, 1, place);
        weights_.add(place[0], always_.data());
    }
}

// The number of an unknown string in this thread's cache.
std::int32_t TemplateReader::Work::unknown_number(std::size_t column, std::size_t code) {
    std::int32_t& number = unknown_[column][code];
    if (number < 0)
        number = kept_.unknown[column].intern(
            corpus_.table().columns[column].pool->at(static_cast<StringId>(code)));
    return number;
}

TemplateReader::Work::Family TemplateReader::Work::family_of(std::size_t number) {
    const CellFamily& of = plan_.families[number];
    const auto& column = corpus_.table().columns[of.column];
    const std::vector<StringId>& known = corpus_.known(of.column);
    if (unknown_[of.column].empty()) {
        unknown_[of.column].resize(known.size(), -1);
        const auto unknown =
            static_cast<std::size_t>(std::count(known.begin(), known.end(), Words::new_word));
        kept_.unknown[of.column].reserve(unknown, 8 * unknown);  // avoids growing many times
    }
    const auto lasting = static_cast<std::int32_t>(kept_.lasting);
    std::vector<std::int32_t>& kept = kept_.blocks[number];
    Family family{&of, column.codes, static_cast<std::int64_t>(known.size()), {}, {}, &kept};
    family.block.reserve(known.size() + kept_.lasting);
    family.place.reserve(known.size() + kept_.lasting);
    const auto add_kept = [&](std::int32_t place) {
        const std::int32_t row = kept[static_cast<std::size_t>(place)];
        family.place.push_back(place);
        family.block.push_back(row < 0 ? nullptr : kept_.sums.at(row));
    };
    add_kept(0);
    for (std::size_t code = 0; code < known.size(); ++code) {
        if (known[code] >= 0) {
            family.place.push_back(precomputed);
            family.block.push_back(corpus_.scorer().word_block(of, number, known[code]));
        } else {  // most strings of a large corpus are seen by other threads
            family.place.push_back(not_seen);
            family.block.push_back(nullptr);
        }
    }
    for (std::int32_t outside = 1; outside < lasting; ++outside) add_kept(outside);
    return family;
}

// ---------------------------------------------------------------- sums that are computed once

void TemplateReader::Work::forget_sums() {
    kept_.clear();
    for (Family& family : families_)
        for (std::size_t code = 0; code < family.block.size(); ++code)
            if (family.place[code] != precomputed) family.block[code] = nullptr;
}

// Read each of the family's values for the codes of new blocks.
void TemplateReader::Work::read_values(const Family& family, const Fresh& fresh) {
    const auto& column = corpus_.table().columns[family.of->column];
    std::array<std::string_view, piece_tokens> texts;
    const auto inside = [&](std::size_t i) { return fresh.key[i] > 0 && fresh.key[i] <= family.strings; };
    for (std::size_t i = 0; i < fresh.size; ++i)
        texts[i] = inside(i) ? column.pool->at(fresh.key[i] - 1) : std::string_view();
    cell_sums_.read(*family.of, std::span<const std::string_view>(texts).first(fresh.size));
    for (std::size_t i = 0; i < fresh.size; ++i) {
        const std::int64_t distance = fresh.key[i] - family.strings;  // of a position outside
        for (const std::size_t v : family.of->values) {
            if (inside(i)) break;
            const Values& values = tables_.values[v];
            cell_sums_.set(v, i,
                           fresh.key[i] == 0          ? no_value
                           : distance <= most_before_ ? outside(values.before(), distance)
                                                      : outside(values.after(), distance - most_before_));
        }
    }
}

void TemplateReader::Work::fill_blocks(const Family& family, Fresh& fresh) {
    if (fresh.size == 0) return;
    read_values(family, fresh);
    cell_sums_.fill(*family.of, fresh.size, fresh.row.data());
    fresh.size = 0;
}

void TemplateReader::Work::fill_window(const WindowBundle& window, const Fresh& fresh) {
    std::vector<Piece> columns(window.atoms.size());
    for (std::size_t a = 0; a < window.atoms.size(); ++a)
        for (std::size_t i = 0; i < fresh.size; ++i)
            columns[a][i] = atoms_[window.atoms[a]][static_cast<std::size_t>(fresh.key[i])];
    Views views;
    Places places;
    PlaceSearch search;
    for (std::size_t k = 0; k < window.features.size(); ++k) {
        views.clear();
        for (const std::size_t a : window.places[k]) views.push_back(columns[a].data());
        const std::size_t group = group_of(window.features[k]);
        tables_.ask(group, views.data(), fresh.size, search);
        tables_.answer(group, search, fresh.size, places);
        for (std::size_t i = 0; i < fresh.size; ++i) weights_.prefetch(places[i]);
        for (std::size_t i = 0; i < fresh.size; ++i) weights_.add(places[i], fresh.row[i]);
    }
}

// ---------------------------------------------------------------- one piece

void TemplateReader::Work::begin_piece() {
    poll();
    segments_.clear();
    tokens_ = 0;
    if (!kept_.sums.fits(kept_.most_new_rows)) forget_sums();
}

void TemplateReader::Work::add(const Segment& segment) {
    segments_.push_back(segment);
    tokens_ += static_cast<std::size_t>(segment.to - segment.from);
}

void TemplateReader::Work::read_atoms() {
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
        const Atom& atom = plan_.atoms[a];
        const Values& values = tables_.values[atom.values];
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

// The code at position i, which may be outside the sentence.
std::int32_t TemplateReader::Work::code_at(const Family& family, const Segment& s, std::int64_t i) const {
    if (i >= s.begin && i < s.end) return family.codes[i] + 1;
    const std::int64_t place = i < s.begin ? std::min(s.begin - i, most_before_)
                                           : most_before_ + std::min(i - s.end + 1, most_after_);
    return static_cast<std::int32_t>(family.strings + place);
}

// The block of a code, added to `fresh` to be computed if it is new.
const float* TemplateReader::Work::block_of(Family& family, std::int32_t code, Fresh& fresh) {
    const auto at = static_cast<std::size_t>(code);
    const float*& block = family.block[at];
    if (!block) {
        if (family.place[at] == not_seen)
            family.place[at] =
                static_cast<std::int32_t>(kept_.lasting) + unknown_number(family.of->column, at - 1);
        const auto place = static_cast<std::size_t>(family.place[at]);
        if (place >= family.kept->size()) family.kept->resize(place + 1 + place / 2, -1);
        std::int32_t& kept = (*family.kept)[place];
        if (kept < 0) {
            if (fresh.size == piece_tokens) fill_blocks(family, fresh);
            kept = kept_.sums.make(family.of->cells.size());
            fresh.add(code, kept_.sums.at(kept));
        }
        block = kept_.sums.at(kept);
    }
    return block;
}

// Look up the tokens of a segment, numbered from t on.
void TemplateReader::Work::look_up_near(Family& family, const Segment& s, std::size_t t, Fresh& fresh) {
    const std::int64_t from = s.from + family.of->least, to = s.to + family.of->most;
    near_.clear();
    for (std::int64_t i = from; i < to; ++i) near_.push_back(block_of(family, code_at(family, s, i), fresh));
    const auto size = static_cast<std::size_t>(s.to - s.from);
    for (std::size_t k = 0; k < family.of->cells.size(); ++k) {
        const std::int64_t offset = plan_.cells[family.of->cells[k]].offset - family.of->least;
        const float* const* const block = near_.data() + offset;
        for (std::size_t i = 0; i < size; ++i) totals_.add_row(t + i, block[i] + k * weights_.L());
    }
}

void TemplateReader::Work::look_up_fixed(Family& family, const Segment& s, std::size_t t, Fresh& fresh) {
    const std::int64_t offset = family.of->least;
    const std::int64_t i = offset < 0 ? s.end + offset : s.begin + offset;
    const float* const row = block_of(family, code_at(family, s, i), fresh);
    for (std::int64_t token = s.from; token < s.to; ++token) totals_.add_row(t++, row);
}

void TemplateReader::Work::look_up_cells() {
    for (Family& family : families_) {
        Fresh fresh;
        std::size_t t = 0;
        for (const Segment& segment : segments_) {
            if (family.of->absolute)
                look_up_fixed(family, segment, t, fresh);
            else
                look_up_near(family, segment, t, fresh);
            t += static_cast<std::size_t>(segment.to - segment.from);
        }
        fill_blocks(family, fresh);
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
                keys[t] += static_cast<std::uint64_t>(std::int64_t{values[t]} + 1) * window.radix[i];
        }
        for (std::size_t t = 0; t < tokens_; ++t) kept_.windows[w].prefetch(keys[t]);
        Fresh fresh;
        for (std::size_t t = 0; t < tokens_; ++t)
            totals_.add_row(t, kept_.sums.at(kept_.windows[w].find(keys[t], [&] {
                const std::int32_t row = kept_.sums.make();
                fresh.add(static_cast<std::int32_t>(t), kept_.sums.at(row));
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
        tables_.ask(group_of(plan_.lone[k].feature), views.data(), tokens_, searches_[k]);
    }
}

void TemplateReader::Work::answer_lone() {
    Places places;
    for (std::size_t k = 0; k < plan_.lone.size(); ++k) {
        tables_.answer(group_of(plan_.lone[k].feature), searches_[k], tokens_, places);
        for (std::size_t t = 0; t < tokens_; ++t) weights_.prefetch(places[t]);
        totals_.add(places.data(), tokens_, [](std::size_t i) { return i; });
    }
}

void TemplateReader::Work::finish_piece(float* node) {
    totals_.begin(tokens_);
    for (std::size_t t = 0; t < tokens_ && !always_.empty(); ++t) totals_.add_row(t, always_.data());
    read_atoms();
    ask_lone();  // prefetches, while the others are looked up
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
