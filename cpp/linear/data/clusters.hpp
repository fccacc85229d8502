// Clusters of attributes that always occur together, such as a word with its prefixes and suffixes. Their weights are
// summed once for every word, not at every token; so are their marginals (docs/decisions/0012).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear/data/far_entries.hpp"
#include "linear/data/feature_rows.hpp"

namespace seqlab {

// Attributes declared to occur together: codes[a] is 2 f + 1 for a head of family f, 2 f + 2 for a member of family f
// that occurs wherever its head does, 0 for an attribute without family.
using ClusterCodes = std::span<const std::uint8_t>;

// A cluster is a frequent head with the members of its family, equal at all tokens that have the head. The declaration
// is checked: a head whose members differ from token to token gets no cluster.
class Clusters {
public:
    // Empty when entries have values other than 1.
    Clusters(const Entries& entries, ClusterCodes codes, std::size_t L, std::size_t threads);
    // Clusters of entries on disk, of which tokens() has none.
    Clusters(const FarEntries& entries, ClusterCodes codes, std::size_t L, std::size_t threads);

    std::size_t size() const { return member_begin_.size() - 1; }
    // The entries of the corpus, with the number codes.size() + c in place of all members of cluster c.
    Entries tokens() const { return {token_begin_, token_ids_.data(), nullptr}; }
    // Row c has the attributes of cluster c. The most frequent clusters come first.
    Entries members() const { return {member_begin_, member_ids_.data(), nullptr}; }
    // Of entries on disk: the code of an attribute, and the cluster of a head, or none.
    static constexpr std::int32_t none = -1;
    std::uint8_t code(std::size_t attribute) const { return codes_[attribute]; }
    std::int32_t of_head(std::int32_t attribute) const {
        return cluster_[static_cast<std::size_t>(attribute)];
    }

private:
    template <class Heads>
    void choose(Heads& heads, std::size_t L);

    ClusterCodes codes_;
    std::vector<std::int32_t> cluster_;  // of each attribute that is a head, for entries on disk
    std::vector<std::int64_t> token_begin_{0}, member_begin_{0};
    Unset<std::int32_t> token_ids_;
    std::vector<std::int32_t> member_ids_;
};

// Tokens as lists of rows and clusters, and the attributes of the clusters.
struct ClusteredRows {
    ClusteredRows(const Entries& entries, ClusterCodes codes, const Observed& observed, std::size_t L,
                  std::size_t threads);

    // Of entries on disk: `windows` has the tokens, and keeps the rows of the first ones in `room` bytes.
    ClusteredRows(const std::shared_ptr<const FarEntries>& entries, ClusterCodes codes,
                  const Observed& observed, std::size_t L, std::size_t threads, std::size_t room);

    std::size_t clusters;
    RowPlan plan;
    std::shared_ptr<const RowIndex> tokens, members;
    std::shared_ptr<const RowWindows> windows;

private:
    ClusteredRows(const Clusters& found, const Observed& observed, std::size_t L, std::size_t threads);
    ClusteredRows(const std::shared_ptr<const FarEntries>& entries,
                  const std::shared_ptr<const Clusters>& found, const Observed& observed, std::size_t L,
                  std::size_t threads, std::size_t room);
};

}  // namespace seqlab
