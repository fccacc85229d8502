// Rows of attributes made again and again from the same columns, as passes over a corpus on disk do.
//
// A bank looks values up by hash. Here, a feature of one atom is a table from the code of a word to the attribute, and
// the codes of a sentence have symbols for the positions outside it, so that no position is special. Conjunctions with
// many attributes, whose hash tables do not fit the cache, are written beside the columns once and read from there; the
// others are looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "encode/bank.hpp"

namespace seqlab {

// Codes of a column as they lie in a file.
struct NarrowCodes {
    const void* data;
    std::size_t width;  // bytes of a code: 1, 2 or 4

    std::int32_t at(std::size_t i) const {
        if (width == 1) return static_cast<const std::int8_t*>(data)[i];
        if (width == 2) return static_cast<const std::int16_t*>(data)[i];
        return static_cast<const std::int32_t*>(data)[i];
    }
};

// Sentences in columns. Sentence s has tokens offset[s] - offset[0] .. offset[s + 1] - offset[0].
struct NarrowText {
    std::vector<NarrowCodes> columns;
    std::span<const std::int64_t> offset;
    const std::uint8_t*
        written;  // numbers of written features, a row for each token; null while they are made

    std::size_t tokens() const { return static_cast<std::size_t>(offset.back() - offset.front()); }
};

class QuickRows {
public:
    // strings   of each column; codes of texts are their numbers
    // large     a conjunction with more attributes than this is written, as long as there are at most `most`
    QuickRows(const Bank& bank, const TableView& strings, std::size_t large, std::size_t most);

    std::size_t written() const { return written_.size(); }
    // Bytes that the written features of a token take.
    std::size_t width() const { return written_.size() * bytes_; }
    // Make the numbers of the written features, for all tokens.
    std::vector<std::uint8_t> write(const NarrowText& text) const;
    // Append the rows of tokens [from, to).
    void append(const NarrowText& text, std::size_t from, std::size_t to, std::vector<std::int64_t>& indptr,
                std::vector<std::int32_t>& ids) const;

private:
    struct Source {  // an atom, or a whole feature of one atom
        std::size_t column;
        std::int64_t offset;
        bool absolute;
        const std::int32_t* of_code;  // (codes + 2 * pad + 1)
    };
    struct Conjunction {
        std::vector<Source> atoms;
        const Attributes* group;
    };
    enum class Kind : std::uint8_t { constant, single, conjunction, written };
    struct Slot {
        Kind kind;
        std::int32_t constant;
        std::size_t number;  // of the single source, the conjunction, or the written feature
        std::size_t conjunction;
    };
    struct Room;

    void pad(const NarrowText& text, std::size_t s, Room& room) const;
    void read(const Source& source, const Room& room, std::size_t from, std::size_t to,
              std::int32_t* out) const;
    void look_up(const Conjunction& feature, Room& room, std::size_t from, std::size_t to,
                 std::int32_t* out) const;

    std::vector<std::size_t> codes_;  // of each column
    std::size_t pad_ = 1;             // symbols on each side of a sentence
    std::vector<std::vector<std::int32_t>> tables_;
    std::vector<Source> singles_;
    std::vector<Conjunction> conjunctions_;
    std::vector<Slot> slots_;  // one per feature
    std::vector<std::size_t> written_;
    std::size_t bytes_ = 3;  // of a written number
};

}  // namespace seqlab
