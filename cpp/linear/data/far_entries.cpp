#include "linear/data/far_entries.hpp"

#include <algorithm>

#if defined(__linux__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace seqlab {

namespace {

constexpr std::size_t mapped_at_most = std::size_t{16} << 20;
constexpr std::size_t token_bytes = 48, short_window = 512;
// The system maps some pages around one that is needed: a short window costs as much in each of three arrays.
constexpr std::size_t short_bytes = 3 * (std::size_t{64} << 10);
constexpr std::size_t ahead_tokens = std::size_t{1} << 17;

#if defined(__linux__) || defined(__APPLE__)
void advise(const void* begin, std::size_t bytes, int what) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto at = reinterpret_cast<std::uintptr_t>(begin), first = at / page * page;
    if (bytes > 0) madvise(reinterpret_cast<void*>(first), bytes + (at - first), what);
}
void will_need(const void* begin, std::size_t bytes) {
    advise(begin, bytes, MADV_WILLNEED);
}
// Only for mapped files: other memory would lose what it holds.
void let_go(const void* begin, std::size_t bytes) {
    advise(begin, bytes, MADV_DONTNEED);
}
#else
void will_need(const void*, std::size_t) {}
void let_go(const void*, std::size_t) {}
#endif

}  // namespace

void MappedShard::read_ahead(std::size_t from, std::size_t to) const {
    const std::int64_t begin = entries_.indptr[from], end = entries_.indptr[to];
    const auto count = static_cast<std::size_t>(end - begin);
    will_need(entries_.indptr.data() + from, (to - from) * sizeof(std::int64_t));
    will_need(entries_.ids + begin, count * sizeof(std::int32_t));
    if (entries_.values) will_need(entries_.values + begin, count * sizeof(double));
}

void TemplateShard::read_ahead(std::size_t from, std::size_t to) const {
    for (const NarrowCodes& column : text_.columns)
        will_need(static_cast<const char*>(column.data) + from * column.width, (to - from) * column.width);
    if (text_.written) will_need(text_.written + from * rows_.width(), (to - from) * rows_.width());
}

void FarEntries::count_pages(std::size_t tokens) const {
    const std::size_t bytes = tokens * token_bytes + (tokens < short_window ? short_bytes : 0);
    if (mapped_.fetch_add(bytes) + bytes < mapped_at_most) return;
    mapped_ = 0;
    for (const File& file : files_) let_go(file.begin, file.bytes);
}

void MappedShard::append(std::size_t from, std::size_t to, EntryRoom& room) const {
    const std::int64_t begin = entries_.indptr[from], end = entries_.indptr[to];
    const std::int64_t shift = room.indptr.back() - begin;
    for (std::size_t t = from + 1; t <= to; ++t) room.indptr.push_back(entries_.indptr[t] + shift);
    room.ids.insert(room.ids.end(), entries_.ids + begin, entries_.ids + end);
    if (entries_.values)
        room.values.insert(room.values.end(), entries_.values + begin, entries_.values + end);
}

Entries FarEntries::window(std::size_t from, std::size_t to, EntryRoom& room) const {
    room.clear();
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(first_, from) - first_.begin()) - 1;
    for (std::size_t t = from; t < to; ++i) {
        const std::size_t end = std::min(to, first_[i + 1]);
        if (t < end) {
            const std::size_t begin = t - first_[i], size = first_[i + 1] - first_[i];
            if (begin / ahead_tokens != (end - first_[i]) / ahead_tokens)
                shards_[i]->read_ahead(end - first_[i], std::min(size, end - first_[i] + ahead_tokens));
            shards_[i]->append(begin, end - first_[i], room);
        }
        t = std::max(t, end);
    }
    count_pages(to - from);
    Entries made = room.entries();
    // A window without entries still has values, where others have some.
    if (valued() && !made.values) made.values = room.values.data();
    return made;
}

}  // namespace seqlab
