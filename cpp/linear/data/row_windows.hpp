// Rows and listed weights of entries on disk: made for a window of tokens when they are needed, and kept for the first
// tokens of the corpus, as many as fit the room given. Each pass goes through the corpus in the same order, so the
// tokens used last are those needed last: keeping the first ones is better than keeping the latest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "linear/data/clusters.hpp"
#include "linear/data/far_entries.hpp"
#include "linear/data/feature_rows.hpp"

namespace seqlab {

// The rows of one window. Vectors are used again, so that a pass allocates nothing.
template <class F>
struct RowWindow {
    std::uint64_t owner = 0;  // serial number of the RowWindows that made it
    std::size_t first = 0, last = 0;
    std::size_t rows = 0, listed = 0;  // used of `row`, and of `weight` and `label`
    EntryRoom read;
    std::vector<std::int64_t> row_begin, listed_begin;
    std::vector<std::int32_t> row, weight;
    std::vector<std::uint16_t> label;
    std::vector<F> row_value, listed_value;

    RowView<F> view() const {
        return {{row_begin.data(), row.data(), row_value.empty() ? nullptr : row_value.data()},
                {listed_begin.data(), weight.data(), label.data(),
                 listed_value.empty() ? nullptr : listed_value.data()},
                first};
    }
};

// Facts of an attribute that a pass needs, in one word: a look at scattered memory costs more than all the rest.
class AttributeFacts {
public:
    AttributeFacts(const Observed& observed, const RowPlan& plan, std::size_t a, std::uint8_t cluster_code);

    std::uint8_t cluster_code() const { return static_cast<std::uint8_t>(bits_ >> 56); }
    bool listed() const { return count() != dense; }
    // Number of listed weights; the first weight, and its label if it is the only one. Of a dense attribute: its row.
    std::size_t count() const { return (bits_ >> 52) & 0xF; }
    std::size_t first() const { return bits_ & 0xF'FFFF'FFFF; }
    std::uint16_t label() const { return static_cast<std::uint16_t>(bits_ >> 36); }

private:
    static constexpr std::uint64_t dense = 0xF;
    std::uint64_t bits_;
};

class RowWindows {
public:
    // clusters   to put in place of their members, or null
    // room       bytes for rows that are kept
    // squared    values count as their squares
    RowWindows(std::shared_ptr<const FarEntries> entries, const Observed& observed, RowPlan plan,
               std::shared_ptr<const Clusters> clusters, std::size_t room, std::size_t threads,
               bool squared = false);

    template <class F>
    RowView<F> view(std::size_t from, std::size_t to) const;
    void each_use(
        const std::function<void(std::span<const std::int32_t>, std::span<const std::int32_t>)>& visit) const;
    std::size_t kept() const { return kept_.last; }

private:
    template <class F>
    void make(RowWindow<F>& window, std::size_t from, std::size_t to) const;
    template <class F>
    void append_valued(RowWindow<F>& window, const Entries& entries) const;
    template <class F>
    void append(RowWindow<F>& window, const Entries& entries) const;
    void keep(std::size_t room, std::size_t threads);
    bool keep(const RowWindow<double>& window);

    std::shared_ptr<const FarEntries> entries_;
    Observed observed_;
    RowPlan plan_;
    std::shared_ptr<const Clusters> clusters_;
    bool squared_;
    std::uint64_t serial_;
    std::vector<AttributeFacts> facts_;
    RowWindow<double> kept_;                                 // tokens [0, kept_.last)
    std::vector<float> kept_row_value_, kept_listed_value_;  // the same values for rows in float32
};

}  // namespace seqlab
