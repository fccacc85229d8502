// Names in a model file of CRFsuite, found by number and by the hash table that the file has of them (a chunk "CQDB";
// src/seqlab/foreign/crfsuite.py describes it). Nothing is unfolded. The file may contain anything: every number is
// checked where it is used, and every search ends.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace seqlab {

// The little-endian number at a place of a file, which must have four bytes there.
inline std::uint32_t number_at(const char* at) {
    static_assert(std::endian::native == std::endian::little);
    std::uint32_t number;
    std::memcpy(&number, at, sizeof number);
    return number;
}

class CrfsuiteNames {
public:
    static constexpr std::int32_t absent = -1, damaged = -2;
    static constexpr std::size_t together = 128;

    // The names 0 .. count - 1 of the chunk that begins here; nothing if it does not fit into the file.
    static std::optional<CrfsuiteNames> at(std::string_view file, std::size_t begin, std::size_t count);

    std::size_t size() const { return count_; }
    // Of the whole chunk.
    std::size_t bytes() const { return chunk_.size(); }
    // The name with a number below size(); nothing where its record is damaged.
    std::optional<std::string_view> name(std::size_t number) const;
    // Find the numbers of up to `together` names, behind each of which a byte 0 stands; a name ends at its first 0, as
    // CRFsuite reads it. The waits for memory overlap.
    void find(std::span<const std::string_view> names, std::int32_t* numbers) const;

private:
    struct Record {
        std::uint32_t number = 0;
        std::string_view key;  // empty: there is none at this place
    };
    // A hash table: `size` buckets from `first` on.
    struct Table {
        std::size_t first, size;
    };

    CrfsuiteNames(std::string_view chunk, std::size_t places, std::size_t count)
        : chunk_(chunk), places_(places), count_(count) {}

    Record record(std::size_t place) const;
    std::optional<Table> table(std::uint32_t code) const;
    std::int32_t find(std::string_view key, std::uint32_t code) const;

    std::string_view chunk_;
    std::size_t places_, count_;
};

}  // namespace seqlab
