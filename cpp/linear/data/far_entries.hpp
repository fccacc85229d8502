// Entries and labels of a corpus that does not lie in memory: shards of contiguous sentences, read a window of tokens at
// a time. A window is copied from the file, and the file looked at after that: nobody who cuts or changes it in the midst
// of a pass can make the program fail, or learn from something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/files/checked_file.hpp"
#include "encode/quick_rows.hpp"
#include "linear/data/feature_rows.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

using SharedFile = std::shared_ptr<const CheckedFile>;

// An array in a file.
struct FileArray {
    SharedFile file;
    std::size_t offset = 0;  // of its first byte
    std::size_t width = 0;   // bytes of a token
};

// The entries of some tokens, copied or made.
struct EntryRoom {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> ids;
    std::vector<double> values;
    std::vector<std::uint8_t> bytes;  // as they came from the file
    NarrowText text{};

    void clear() {
        indptr.resize(1);
        ids.clear();
        values.clear();
    }
    Entries entries() const { return {indptr, ids.data(), values.empty() ? nullptr : values.data()}; }
};

// One shard. Its tokens are counted from 0.
class EntryShard {
public:
    EntryShard() = default;
    EntryShard(const EntryShard&) = delete;
    EntryShard& operator=(const EntryShard&) = delete;
    virtual ~EntryShard() = default;
    virtual std::size_t tokens() const = 0;
    virtual bool valued() const = 0;
    // Append the entries of tokens [from, to); ask the system for those of [to, ahead), which come next.
    virtual void append(std::size_t from, std::size_t to, std::size_t ahead, EntryRoom& room) const = 0;
};

// Entries as they lie in a file.
class WholeShard : public EntryShard {
public:
    // values: without a file if every entry counts 1
    WholeShard(std::size_t tokens, FileArray indptr, FileArray ids, FileArray values)
        : tokens_(tokens), indptr_(std::move(indptr)), ids_(std::move(ids)), values_(std::move(values)) {}
    std::size_t tokens() const override { return tokens_; }
    bool valued() const override { return values_.file != nullptr; }
    void append(std::size_t from, std::size_t to, std::size_t ahead, EntryRoom& room) const override;

private:
    std::size_t tokens_;
    FileArray indptr_, ids_, values_;
};

// Entries made of columns each time, a sentence after the other.
class TemplateShard : public EntryShard {
public:
    // offset    of the sentences; written: numbers of large conjunctions, all of the same file
    TemplateShard(const QuickRows& rows, std::span<const std::int64_t> offset, std::vector<FileArray> columns,
                  FileArray written)
        : rows_(rows), offset_(offset), columns_(std::move(columns)), written_(std::move(written)) {}
    std::size_t tokens() const override { return static_cast<std::size_t>(offset_.back() - offset_.front()); }
    bool valued() const override { return false; }
    void append(std::size_t from, std::size_t to, std::size_t ahead, EntryRoom& room) const override;

private:
    const QuickRows& rows_;
    std::span<const std::int64_t> offset_;
    std::vector<FileArray> columns_;
    FileArray written_;
};

// All shards, one after another.
class FarEntries {
public:
    static constexpr std::size_t block = 4096;  // tokens of a window, where the caller has no wish of its own

    FarEntries();
    void add(std::shared_ptr<const EntryShard> shard, FileArray labels) {
        first_.push_back(first_.back() + shard->tokens());
        shards_.push_back(std::move(shard));
        labels_.push_back(std::move(labels));
    }
    std::size_t tokens() const { return first_.back(); }
    bool valued() const { return !shards_.empty() && shards_.front()->valued(); }
    // The entries of tokens [from, to), which become tokens 0 .. to - from of the room.
    Entries window(std::size_t from, std::size_t to, EntryRoom& room) const;
    // The labels of a sentence with tokens [from, to); good until this thread asks for those of another sentence.
    const Label* labels(std::size_t from, std::size_t to) const;

private:
    std::size_t shard_of(std::size_t token) const;

    std::uint64_t serial_;
    std::vector<std::size_t> first_{0};
    std::vector<std::shared_ptr<const EntryShard>> shards_;
    std::vector<FileArray> labels_;
};

}  // namespace seqlab
