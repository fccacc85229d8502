#include "linear/data/clusters.hpp"

#include <algorithm>
#include <optional>

#include "base/parallel/parallel.hpp"
#include "linear/data/row_windows.hpp"

namespace seqlab {

namespace {

// With fewer uses a cluster does not pay for its sum and its row of L numbers.
constexpr std::size_t least_uses = 3, labels_for_one_more = 16;
constexpr std::size_t families = 128;
constexpr std::size_t tokens_worth_a_thread = 10'000;
constexpr std::int32_t none = -1;

bool is_head(std::uint8_t code) {
    return code % 2 == 1;
}
std::size_t family_of(std::uint8_t code) {
    return (code - std::size_t{1}) / 2;
}

// The members that a head occurred with.
struct Head {
    std::int32_t attribute;
    std::size_t begin, end;  // range of its members in the list of all members
    std::size_t uses = 0;
    bool steady = true;
    std::int32_t cluster = none;
};

// The entries of one token by family.
class ByFamily {
public:
    explicit ByFamily(ClusterCodes codes) : codes_(codes), members_(families), head_(families, none) {}

    void read(std::span<const std::int32_t> ids) {
        for (const std::size_t f : met_) {
            members_[f].clear();
            head_[f] = none;
        }
        met_.clear();
        for (const std::int32_t id : ids) {
            const std::uint8_t code = codes_[static_cast<std::size_t>(id)];
            if (code == 0) continue;
            const std::size_t f = family_of(code);
            if (members_[f].empty()) met_.push_back(f);
            members_[f].push_back(id);
            if (is_head(code)) head_[f] = id;
        }
    }
    // Call f(head, members) for every family with a head in this token.
    template <class Visit>
    void each(Visit visit) const {
        for (const std::size_t f : met_)
            if (head_[f] != none) visit(head_[f], std::span<const std::int32_t>(members_[f]));
    }
    std::int32_t head(std::size_t family) const { return head_[family]; }

private:
    ClusterCodes codes_;
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<std::int32_t> head_;
    std::vector<std::size_t> met_;
};

std::span<const std::int32_t> ids_of(const Entries& entries, std::size_t t) {
    return {entries.ids + entries.indptr[t], entries.ids + entries.indptr[t + 1]};
}

// The heads of a range of tokens, in order of first appearance.
class ClusterHeads {
public:
    explicit ClusterHeads(ClusterCodes codes) : of_(codes.size(), none) {}

    void add(const Entries& entries, ClusterCodes codes, std::size_t from, std::size_t to) {
        ByFamily by_family(codes);
        for (std::size_t t = from; t < to; ++t) {
            by_family.read(ids_of(entries, t));
            by_family.each([&](std::int32_t head, std::span<const std::int32_t> members) {
                add(head, members, 1, true);
            });
        }
    }
    // Merge the heads of later tokens.
    void merge(const ClusterHeads& later) {
        for (const Head& head : later.heads_)
            add(head.attribute, later.members_of(head), head.uses, head.steady);
    }
    // Number the heads that make a cluster; calls visit(members) in the order of these numbers.
    template <class Visit>
    void choose(std::size_t L, Visit visit) {
        const std::size_t least = std::max(least_uses, L / labels_for_one_more);
        std::vector<Head*> chosen;
        for (Head& head : heads_)
            if (head.steady && head.uses >= least && head.end - head.begin > 1) chosen.push_back(&head);
        std::ranges::stable_sort(chosen, std::ranges::greater{}, &Head::uses);
        for (std::size_t c = 0; c < chosen.size(); ++c) {
            chosen[c]->cluster = static_cast<std::int32_t>(c);
            visit(members_of(*chosen[c]));
        }
    }
    // Also of an attribute that never was a head.
    std::int32_t cluster_of(std::int32_t attribute) const {
        return of_[static_cast<std::size_t>(attribute)] == none ? none : cluster(attribute);
    }
    std::int32_t cluster(std::int32_t attribute) const {
        if (attribute == none) return none;
        return heads_[static_cast<std::size_t>(of_[static_cast<std::size_t>(attribute)])].cluster;
    }

private:
    void add(std::int32_t attribute, std::span<const std::int32_t> members, std::size_t uses, bool steady) {
        std::int32_t& number = of_[static_cast<std::size_t>(attribute)];
        if (number == none) {
            number = static_cast<std::int32_t>(heads_.size());
            heads_.push_back({attribute, members_.size(), members_.size() + members.size()});
            members_.insert(members_.end(), members.begin(), members.end());
        }
        Head& head = heads_[static_cast<std::size_t>(number)];
        head.steady = head.steady && steady && std::ranges::equal(members, members_of(head));
        head.uses += uses;
    }
    std::span<const std::int32_t> members_of(const Head& head) const {
        return {members_.data() + head.begin, members_.data() + head.end};
    }

    std::vector<std::int32_t> of_;  // attribute -> index of the head
    std::vector<Head> heads_;
    std::vector<std::int32_t> members_;
};

// The entries of a range of tokens, with clusters in place of their members.
struct Replaced {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> ends;

    Replaced(const Entries& entries, ClusterCodes codes, const ClusterHeads& heads, std::size_t from,
             std::size_t to) {
        ids.reserve(static_cast<std::size_t>(entries.indptr[to] - entries.indptr[from]));
        ends.reserve(to - from);
        ByFamily by_family(codes);
        for (std::size_t t = from; t < to; ++t) {
            by_family.read(ids_of(entries, t));
            by_family.each([&](std::int32_t head, std::span<const std::int32_t>) {
                if (const std::int32_t c = heads.cluster(head); c != none)
                    ids.push_back(static_cast<std::int32_t>(codes.size()) + c);
            });
            for (const std::int32_t id : ids_of(entries, t)) {
                const std::uint8_t k = codes[static_cast<std::size_t>(id)];
                if (k == 0 || heads.cluster(by_family.head(family_of(k))) == none) ids.push_back(id);
            }
            ends.push_back(static_cast<std::int64_t>(ids.size()));
        }
    }
};

// Concatenate the entries of all parts.
void join(const std::vector<std::optional<Replaced>>& parts, std::vector<std::int64_t>& begins,
          Unset<std::int32_t>& ids) {
    std::vector<std::size_t> first{0}, token{1};
    for (const std::optional<Replaced>& part : parts) {
        first.push_back(first.back() + part->ids.size());
        token.push_back(token.back() + part->ends.size());
    }
    begins.resize(token.back());
    ids = Unset<std::int32_t>(first.back());
    parallel_for(parts.size(), parts.size(), [&](std::size_t i) {
        std::ranges::copy(parts[i]->ids, ids.begin() + first[i]);
        for (std::size_t k = 0; k < parts[i]->ends.size(); ++k)
            begins[token[i] + k] = static_cast<std::int64_t>(first[i]) + parts[i]->ends[k];
    });
}

}  // namespace

template <class Heads>
void Clusters::choose(Heads& heads, std::size_t L) {
    heads.choose(L, [&](std::span<const std::int32_t> members) {
        member_ids_.insert(member_ids_.end(), members.begin(), members.end());
        member_begin_.push_back(static_cast<std::int64_t>(member_ids_.size()));
    });
}

Clusters::Clusters(const Entries& entries, ClusterCodes codes, std::size_t L, std::size_t threads) {
    if (codes.empty() || entries.values) return;
    const std::size_t tokens = entries.tokens();
    const std::size_t parts = std::clamp<std::size_t>(tokens / tokens_worth_a_thread, 1, threads);
    const auto begin = [&](std::size_t part) { return tokens * part / parts; };

    std::vector<ClusterHeads> heads(parts, ClusterHeads(codes));
    parallel_for(parts, parts, [&](std::size_t i) { heads[i].add(entries, codes, begin(i), begin(i + 1)); });
    for (std::size_t i = 1; i < parts; ++i) heads[0].merge(heads[i]);
    choose(heads[0], L);
    if (size() == 0) return;

    std::vector<std::optional<Replaced>> replaced(parts);
    parallel_for(parts, parts, [&](std::size_t i) {
        replaced[i].emplace(entries, codes, heads[0], begin(i), begin(i + 1));
    });
    join(replaced, token_begin_, token_ids_);
}

Clusters::Clusters(const FarEntries& entries, ClusterCodes codes, std::size_t L, std::size_t threads)
    : codes_(codes) {
    if (codes.empty() || entries.valued()) return;
    const std::size_t tokens = entries.tokens();
    const std::size_t parts = std::clamp<std::size_t>(tokens / tokens_worth_a_thread, 1, threads);
    std::vector<ClusterHeads> heads(parts, ClusterHeads(codes));
    parallel_for(parts, parts, [&](std::size_t i) {
        EntryRoom room;
        const std::size_t end = tokens * (i + 1) / parts;
        for (std::size_t from = tokens * i / parts, to = from; from < end; from = to) {
            poll();
            to = std::min(end, from + FarEntries::block);
            heads[i].add(entries.window(from, to, room), codes, 0, to - from);
        }
    });
    for (std::size_t i = 1; i < parts; ++i) heads[0].merge(heads[i]);
    choose(heads[0], L);
    cluster_.resize(codes.size(), none);
    for (std::size_t a = 0; a < codes.size(); ++a)
        if (codes[a] != 0 && is_head(codes[a]))
            cluster_[a] = heads[0].cluster_of(static_cast<std::int32_t>(a));
}

ClusteredRows::ClusteredRows(const Entries& entries, ClusterCodes codes, const Observed& observed,
                             std::size_t L, std::size_t threads)
    : ClusteredRows(Clusters(entries, codes, L, threads), observed, L, threads) {}

ClusteredRows::ClusteredRows(const Clusters& found, const Observed& observed, std::size_t L,
                             std::size_t threads)
    : clusters(found.size()), plan(observed, L, clusters, RowPlan::longest_in_training(L)) {
    if (clusters == 0) return;
    tokens = std::make_shared<const RowIndex>(found.tokens(), observed, plan, threads);
    members = std::make_shared<const RowIndex>(found.members(), observed, plan, threads);
}

ClusteredRows::ClusteredRows(const std::shared_ptr<const FarEntries>& entries, ClusterCodes codes,
                             const Observed& observed, std::size_t L, std::size_t threads, std::size_t room)
    : ClusteredRows(entries, std::make_shared<const Clusters>(*entries, codes, L, threads), observed, L,
                    threads, room) {}

ClusteredRows::ClusteredRows(const std::shared_ptr<const FarEntries>& entries,
                             const std::shared_ptr<const Clusters>& found, const Observed& observed,
                             std::size_t L, std::size_t threads, std::size_t room)
    : clusters(found->size()), plan(observed, L, clusters, RowPlan::longest_in_training(L)) {
    if (clusters == 0) return;
    members = std::make_shared<const RowIndex>(found->members(), observed, plan, threads);
    windows = std::make_shared<const RowWindows>(entries, observed, plan, found, room, threads);
}

}  // namespace seqlab
