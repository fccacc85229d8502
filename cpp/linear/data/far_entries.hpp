// Entries of a corpus that does not lie in memory: shards of contiguous sentences, read a window of tokens at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "encode/quick_rows.hpp"
#include "linear/data/feature_rows.hpp"

namespace seqlab {

// The entries of some tokens, copied or made.
struct EntryRoom {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> ids;
    std::vector<double> values;

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
    // Append the entries of tokens [from, to).
    virtual void append(std::size_t from, std::size_t to, EntryRoom& room) const = 0;
    // Ask the system to read what tokens [from, to) need, before they are needed.
    virtual void read_ahead(std::size_t from, std::size_t to) const = 0;
};

// Entries as they lie in a mapped file.
class MappedShard : public EntryShard {
public:
    explicit MappedShard(const Entries& entries) : entries_(entries) {}
    std::size_t tokens() const override { return entries_.tokens(); }
    bool valued() const override { return entries_.values != nullptr; }
    void append(std::size_t from, std::size_t to, EntryRoom& room) const override;
    void read_ahead(std::size_t from, std::size_t to) const override;

private:
    Entries entries_;
};

// Entries made of columns each time. Tokens of a sentence are never needed without the file they lie in.
class TemplateShard : public EntryShard {
public:
    TemplateShard(const QuickRows& rows, NarrowText text) : rows_(rows), text_(std::move(text)) {}
    std::size_t tokens() const override { return text_.tokens(); }
    bool valued() const override { return false; }
    void append(std::size_t from, std::size_t to, EntryRoom& room) const override {
        rows_.append(text_, from, to, room.indptr, room.ids);
    }
    void read_ahead(std::size_t from, std::size_t to) const override;

private:
    const QuickRows& rows_;
    NarrowText text_;
};

// All shards, one after another.
class FarEntries {
public:
    static constexpr std::size_t block = 4096;  // tokens of a window, where the caller has no wish of its own

    void add(std::shared_ptr<const EntryShard> shard) {
        first_.push_back(first_.back() + shard->tokens());
        shards_.push_back(std::move(shard));
    }
    std::size_t tokens() const { return first_.back(); }
    bool valued() const { return !shards_.empty() && shards_.front()->valued(); }
    // A mapped file that the shards lie in; its pages are let go of when enough of them have been read.
    void add_file(const void* begin, std::size_t bytes) { files_.push_back({begin, bytes}); }
    // The entries of tokens [from, to), which become tokens 0 .. to - from of the room.
    Entries window(std::size_t from, std::size_t to, EntryRoom& room) const;

private:
    struct File {
        const void* begin;
        std::size_t bytes;
    };
    void count_pages(std::size_t tokens) const;

    std::vector<File> files_;
    mutable std::atomic<std::size_t> mapped_{
        0};  // bytes that have come to memory since pages were let go, at most
    std::vector<std::size_t> first_{0};
    std::vector<std::shared_ptr<const EntryShard>> shards_;
};

}  // namespace seqlab
