#include "linear/data/far_entries.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

namespace seqlab {

namespace {

constexpr std::size_t ahead_tokens = std::size_t{1} << 17;
constexpr std::size_t labels_at_once = 4096;

// Readings of the few files that a window needs, checked together.
class Readings {
public:
    // Copy the array of tokens [from, to).
    void copy(const FileArray& array, std::size_t from, std::size_t to, void* out) {
        of(array.file).read(array.offset + from * array.width, (to - from) * array.width, out);
    }
    void ahead(const FileArray& array, std::size_t from, std::size_t to) {
        if (from < to) of(array.file).ahead(array.offset + from * array.width, (to - from) * array.width);
    }
    void check() const {
        for (std::size_t i = 0; i < files_; ++i) reading_[i]->check();
    }

private:
    CheckedFile::Reading& of(const SharedFile& file) {
        for (std::size_t i = 0; i < files_; ++i)
            if (file_[i] == file.get()) return *reading_[i];
        file_[files_] = file.get();
        return reading_[files_++].emplace(*file);
    }

    static constexpr std::size_t most = 2;  // that of the columns, and that of what was made of them
    std::array<const CheckedFile*, most> file_{};
    std::array<std::optional<CheckedFile::Reading>, most> reading_;
    std::size_t files_ = 0;
};

std::uint64_t next_owner() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

FarEntries::FarEntries() : serial_(next_owner()) {}

void WholeShard::append(std::size_t from, std::size_t to, std::size_t ahead, EntryRoom& room) const {
    Readings readings;
    const std::size_t known = room.indptr.size() - 1;
    const std::int64_t before = room.indptr.back();
    room.indptr.resize(known + (to - from) + 1);
    readings.copy(indptr_, from, to + 1, room.indptr.data() + known);
    readings.check();  // what they say is used at once
    const auto begin = static_cast<std::size_t>(room.indptr[known]),
               end = static_cast<std::size_t>(room.indptr.back());
    const std::int64_t shift = before - room.indptr[known];
    for (std::size_t t = known; t < room.indptr.size(); ++t) room.indptr[t] += shift;
    const auto had = static_cast<std::size_t>(before);
    room.ids.resize(had + end - begin);
    readings.copy(ids_, begin, end, room.ids.data() + had);
    if (values_.file) {
        room.values.resize(had + end - begin);
        readings.copy(values_, begin, end, room.values.data() + had);
    }
    if (to < ahead) {
        const std::size_t guess = end + (end - begin) * (ahead - to) / std::max<std::size_t>(to - from, 1);
        readings.ahead(indptr_, to, ahead);
        readings.ahead(ids_, end, guess);
        if (values_.file) readings.ahead(values_, end, guess);
    }
    readings.check();
}

void TemplateShard::append(std::size_t from, std::size_t to, std::size_t ahead, EntryRoom& room) const {
    const auto base = offset_.front();
    // Whole sentences: the first and the last may have tokens outside the window.
    const auto first = std::ranges::upper_bound(offset_, base + static_cast<std::int64_t>(from)) - 1,
               last = std::lower_bound(first, offset_.end(), base + static_cast<std::int64_t>(to));
    const auto begin = static_cast<std::size_t>(*first - base), end = static_cast<std::size_t>(*last - base);
    const std::size_t n = end - begin;
    std::size_t bytes = n * written_.width;
    for (const FileArray& column : columns_) bytes += n * column.width + alignof(std::int64_t);
    if (room.bytes.size() < bytes) room.bytes.resize(bytes);
    Readings readings;
    room.text.columns.clear();
    std::uint8_t* next = room.bytes.data();
    for (const FileArray& column : columns_) {
        readings.copy(column, begin, end, next);
        readings.ahead(column, end, ahead);
        room.text.columns.push_back({next, column.width});
        next +=
            (n * column.width + alignof(std::int64_t) - 1) / alignof(std::int64_t) * alignof(std::int64_t);
    }
    if (written_.width > 0) {
        readings.copy(written_, begin, end, next);
        readings.ahead(written_, end, ahead);
    }
    readings.check();
    room.text.offset = {first, last + 1};
    room.text.written = next;
    rows_.append(room.text, from - begin, to - begin, room.indptr, room.ids);
}

std::size_t FarEntries::shard_of(std::size_t token) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_, token) - first_.begin()) - 1;
}

Entries FarEntries::window(std::size_t from, std::size_t to, EntryRoom& room) const {
    room.clear();
    std::size_t t = from;
    for (std::size_t i = shard_of(from); t < to; ++i) {
        const std::size_t until = std::min(to, first_[i + 1]);
        if (t >= until) continue;
        const std::size_t begin = t - first_[i], end = until - first_[i], size = first_[i + 1] - first_[i];
        const bool passes = begin / ahead_tokens != end / ahead_tokens;
        shards_[i]->append(begin, end, passes ? std::min(size, end + ahead_tokens) : end, room);
        t = until;
    }
    Entries made = room.entries();
    // A window without entries still has values, where others have some.
    if (valued() && !made.values) made.values = room.values.data();
    return made;
}

// Sentences come one after another, or in any order: then their labels are asked for several times while they are
// learned from.
const Label* FarEntries::labels(std::size_t from, std::size_t to) const {
    struct Room {
        std::uint64_t owner = 0;
        std::size_t from = 0, to = 0;
        std::vector<Label> labels;
    };
    static thread_local Room room;
    if (from == to) return room.labels.data();
    if (room.owner == serial_ && room.from <= from && to <= room.to)
        return room.labels.data() + (from - room.from);
    const bool goes_on = room.owner == serial_ && room.to >= from && room.from < from;
    const std::size_t i = shard_of(from), last = first_[i + 1];
    const std::size_t until = goes_on ? std::clamp(from + labels_at_once, to, std::max(to, last)) : to;
    room.owner = 0;  // in case of an exception
    room.labels.resize(until - from);
    Readings readings;
    readings.copy(labels_[i], from - first_[i], until - first_[i], room.labels.data());
    readings.check();
    room.from = from;
    room.to = until;
    room.owner = serial_;
    return room.labels.data();
}

}  // namespace seqlab
