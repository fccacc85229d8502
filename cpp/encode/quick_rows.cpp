#include "encode/quick_rows.hpp"

#include <algorithm>
#include <numeric>

namespace seqlab {

struct QuickRows::Room {
    std::vector<std::vector<std::int32_t>>
        padded;  // of each column: the codes of one sentence between symbols
    std::size_t length = 0;
    std::vector<std::int32_t> left, right, rows;
};

namespace {

std::int32_t number_at(const std::uint8_t* bytes, std::size_t width) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < width; ++i) number |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
    const std::uint32_t none = width == 4 ? ~std::uint32_t{0} : (std::uint32_t{1} << (8 * width)) - 1;
    return number == none ? no_value : static_cast<std::int32_t>(number);
}

}  // namespace

QuickRows::QuickRows(const Bank& bank, const TableView& strings, std::size_t large, std::size_t most) {
    for (const ColumnView& column : strings.columns) codes_.push_back(column.pool->size());
    for (const Feature& feature : bank.features())
        for (const Atom& atom : feature.atoms)
            pad_ = std::max(pad_, static_cast<std::size_t>(std::abs(atom.offset)) + 1);
    for (const Values& values : bank.values())
        pad_ = std::max({pad_, values.before().size(), values.after().size()});

    // The value of every code: those of the strings, then of the symbols before and after, then of no string.
    std::vector<std::vector<ValueId>> value_of;
    for (const Values& values : bank.values()) {
        const ColumnView& column = strings.columns[values.column()];
        const auto known = bank.words(values.column()).look_up(column, column.pool->size());
        std::vector<ValueId> table = values.of_codes(*column.pool, known);
        for (const auto* const symbols : {&values.before(), &values.after()})
            for (std::size_t d = 1; d <= pad_; ++d)
                table.push_back(outside(*symbols, static_cast<std::int64_t>(d)));
        table.push_back(no_value);
        value_of.push_back(std::move(table));
    }
    std::vector<std::size_t> table_of_value(value_of.size());
    for (std::size_t v = 0; v < value_of.size(); ++v) {
        table_of_value[v] = tables_.size();
        tables_.push_back(std::move(value_of[v]));
    }
    std::size_t attributes = 0;
    for (const Feature& feature : bank.features()) {
        const Attributes& group = bank.group(feature.group);
        attributes = std::max(attributes, group.size());
        if (feature.atoms.size() != 1) continue;
        std::vector<std::int32_t> table = tables_[table_of_value[feature.atoms[0].values]];
        for (std::int32_t& value : table)
            if (value != no_value) value = group.find_value(value);
        tables_.push_back(std::move(table));
    }
    // Pointers into tables_ are taken now that it does not grow any more.
    std::size_t next = table_of_value.size();
    for (const Feature& feature : bank.features()) {
        const Attributes& group = bank.group(feature.group);
        if (feature.atoms.empty()) {
            slots_.push_back({Kind::constant, group.find_value(0), 0, 0});
        } else if (feature.atoms.size() == 1) {
            Source made{0, feature.atoms[0].offset, feature.atoms[0].absolute, tables_[next++].data()};
            made.column = bank.values()[feature.atoms[0].values].column();
            slots_.push_back({Kind::single, no_value, singles_.size(), 0});
            singles_.push_back(made);
        } else {
            Conjunction made{{}, &group};
            for (const Atom& atom : feature.atoms)
                made.atoms.push_back({bank.values()[atom.values].column(), atom.offset, atom.absolute,
                                      tables_[table_of_value[atom.values]].data()});
            slots_.push_back({Kind::conjunction, no_value, conjunctions_.size(), conjunctions_.size()});
            conjunctions_.push_back(std::move(made));
        }
    }
    // The largest conjunctions are written.
    std::vector<std::size_t> heavy;
    for (std::size_t f = 0; f < slots_.size(); ++f)
        if (slots_[f].kind == Kind::conjunction && bank.group(bank.features()[f].group).size() > large)
            heavy.push_back(f);
    std::ranges::stable_sort(heavy, std::ranges::greater{},
                             [&](std::size_t f) { return bank.group(bank.features()[f].group).size(); });
    heavy.resize(std::min(heavy.size(), most));
    std::ranges::sort(heavy);
    std::int32_t largest = 0;
    for (const std::size_t f : heavy)
        bank.group(bank.features()[f].group).each([&](AttributeId a, const std::vector<ValueId>&) {
            largest = std::max(largest, a);
        });
    bytes_ = largest < (1 << 16) - 1 ? 2 : largest < (1 << 24) - 1 ? 3 : 4;
    for (const std::size_t f : heavy) {
        slots_[f].kind = Kind::written;
        slots_[f].number = written_.size();
        written_.push_back(f);
    }
}

// Put the codes of sentence s between symbols: position t of the sentence is at t + pad_.
void QuickRows::pad(const NarrowText& text, std::size_t s, Room& room) const {
    const auto begin = static_cast<std::size_t>(text.offset[s] - text.offset[0]);
    room.length = static_cast<std::size_t>(text.offset[s + 1] - text.offset[s]);
    room.padded.resize(codes_.size());
    for (std::size_t c = 0; c < codes_.size(); ++c) {
        const auto first = static_cast<std::int32_t>(codes_[c]), sides = static_cast<std::int32_t>(pad_);
        std::vector<std::int32_t>& out = room.padded[c];
        out.resize(room.length + 2 * pad_);
        for (std::int32_t d = 1; d <= sides; ++d) {
            out[pad_ - static_cast<std::size_t>(d)] = first + d - 1;
            out[pad_ + room.length + static_cast<std::size_t>(d) - 1] = first + sides + d - 1;
        }
        for (std::size_t t = 0; t < room.length; ++t) {
            const std::int32_t code = text.columns[c].at(begin + t);
            out[pad_ + t] = code == no_value ? first + 2 * sides : code;
        }
    }
}

// Read an atom at positions [from, to) of the sentence.
void QuickRows::read(const Source& source, const Room& room, std::size_t from, std::size_t to,
                     std::int32_t* out) const {
    const std::int32_t* const codes = room.padded[source.column].data();
    const auto sides = static_cast<std::int64_t>(pad_), length = static_cast<std::int64_t>(room.length);
    if (source.absolute) {
        const std::int64_t at = std::clamp<std::int64_t>(
            source.offset < 0 ? length + source.offset : source.offset, -sides, length + sides - 1);
        std::fill_n(out, to - from, source.of_code[codes[at + sides]]);
        return;
    }
    const std::int32_t* const first = codes + sides + source.offset;
    for (std::size_t t = from; t < to; ++t) out[t - from] = source.of_code[first[t]];
}

void QuickRows::look_up(const Conjunction& feature, Room& room, std::size_t from, std::size_t to,
                        std::int32_t* out) const {
    const std::size_t n = to - from;
    room.right.resize(n);
    read(feature.atoms[0], room, from, to, out);
    for (std::size_t a = 1; a < feature.atoms.size(); ++a) {
        read(feature.atoms[a], room, from, to, room.right.data());
        const PairTable& table = feature.group->link(a - 1);
        for (std::size_t i = 0; i < n; ++i) table.prefetch({out[i], room.right[i]});
        for (std::size_t i = 0; i < n; ++i)
            out[i] = out[i] == no_value || room.right[i] == no_value ? no_value
                                                                     : table.find({out[i], room.right[i]});
    }
}

std::vector<std::uint8_t> QuickRows::write(const NarrowText& text) const {
    std::vector<std::uint8_t> made(text.tokens() * width());
    Room room;
    for (std::size_t s = 0; s + 1 < text.offset.size() && width() > 0; ++s) {
        pad(text, s, room);
        room.left.resize(room.length);
        std::uint8_t* const rows =
            made.data() + static_cast<std::size_t>(text.offset[s] - text.offset[0]) * width();
        for (std::size_t w = 0; w < written_.size(); ++w) {
            look_up(conjunctions_[slots_[written_[w]].conjunction], room, 0, room.length, room.left.data());
            for (std::size_t t = 0; t < room.length; ++t)
                for (std::size_t i = 0; i < bytes_; ++i)
                    rows[t * width() + w * bytes_ + i] = static_cast<std::uint8_t>(
                        static_cast<std::uint32_t>(room.left[t]) >> (8 * i) & 0xFFU);
        }
    }
    return made;
}

void QuickRows::append(const NarrowText& text, std::size_t from, std::size_t to,
                       std::vector<std::int64_t>& indptr, std::vector<std::int32_t>& ids) const {
    static thread_local Room room;
    const std::size_t stride = slots_.size();
    const auto base = text.offset[0];
    auto s = static_cast<std::size_t>(
                 std::ranges::upper_bound(text.offset, base + static_cast<std::int64_t>(from)) -
                 text.offset.begin()) -
             1;
    for (std::size_t t = from; t < to; ++s) {
        const auto begin = static_cast<std::size_t>(text.offset[s] - base),
                   end = static_cast<std::size_t>(text.offset[s + 1] - base);
        if (begin == end) continue;
        pad(text, s, room);
        const std::size_t first = t - begin, last = std::min(to, end) - begin, n = last - first;
        room.rows.resize(n * stride);
        room.left.resize(n);
        for (std::size_t f = 0; f < stride; ++f) {
            const Slot& slot = slots_[f];
            std::int32_t* const out = room.rows.data() + f;
            switch (slot.kind) {
                case Kind::constant:
                    for (std::size_t i = 0; i < n; ++i) out[i * stride] = slot.constant;
                    continue;
                case Kind::single: {
                    const Source& source = singles_[slot.number];
                    if (source.absolute) {
                        read(source, room, first, last, room.left.data());
                        break;
                    }
                    const std::int32_t* const codes = room.padded[source.column].data() +
                                                      static_cast<std::int64_t>(pad_ + first) + source.offset;
                    for (std::size_t i = 0; i < n; ++i) out[i * stride] = source.of_code[codes[i]];
                    continue;
                }
                case Kind::conjunction:
                    look_up(conjunctions_[slot.number], room, first, last, room.left.data());
                    break;
                case Kind::written: {
                    const std::uint8_t* const rows = text.written + t * width() + slot.number * bytes_;
                    for (std::size_t i = 0; i < n; ++i)
                        out[i * stride] = number_at(rows + i * width(), bytes_);
                    continue;
                }
            }
            for (std::size_t i = 0; i < n; ++i) out[i * stride] = room.left[i];
        }
        const std::size_t before = ids.size();
        ids.resize(before + n * stride);
        std::int32_t* next = ids.data() + before;
        const std::int32_t* row = room.rows.data();
        for (std::size_t i = 0; i < n; ++i, row += stride) {
            for (std::size_t f = 0; f < stride; ++f) {
                *next = row[f];
                next += row[f] != no_value;
            }
            indptr.push_back(next - ids.data());
        }
        ids.resize(static_cast<std::size_t>(next - ids.data()));
        t = begin + last;
    }
}

}  // namespace seqlab
