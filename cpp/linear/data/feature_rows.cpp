#include "linear/data/feature_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel/parallel.hpp"
#include "linear/data/row_windows.hpp"

namespace seqlab {

namespace {

constexpr std::int64_t ahead = listed_ahead;

}  // namespace

RowPlan::RowPlan(const Observed& observed, std::size_t L, std::size_t sums, std::size_t longest)
    : row_(observed.attributes() + sums, listed), L_(L), sums_(sums) {
    for (std::size_t a = 0; a < attributes(); ++a)
        if (observed.count(a) > longest) row_[a] = static_cast<std::int32_t>(rows_++);
    for (std::size_t i = 0; i < sums; ++i) row_[attributes() + i] = static_cast<std::int32_t>(rows_ + i);
}

RowIndex::RowIndex(const Entries& entries, const Observed& observed, const RowPlan& plan,
                   std::size_t threads) {
    const std::size_t tokens = entries.tokens();
    row_begin.resize(tokens + 1);
    listed_begin.resize(tokens + 1);
    parallel_ranges(tokens, threads,
                    [&](std::size_t from, std::size_t to) { count(entries, observed, plan, from, to); });
    std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
    std::partial_sum(listed_begin.begin(), listed_begin.end(), listed_begin.begin());
    row = Unset<std::int32_t>(static_cast<std::size_t>(row_begin[tokens]));
    label = Unset<std::uint16_t>(static_cast<std::size_t>(listed_begin[tokens]));
    weight = Unset<std::int32_t>(label.size() + static_cast<std::size_t>(ahead));
    std::fill(weight.end() - ahead, weight.end(), 0);
    parallel_ranges(tokens, threads,
                    [&](std::size_t from, std::size_t to) { fill(entries, observed, plan, from, to); });
}

void RowIndex::count(const Entries& entries, const Observed& observed, const RowPlan& plan, std::size_t from,
                     std::size_t to) {
    for (std::size_t t = from; t < to; ++t) {
        std::size_t rows = 0, weights = 0;
        for (std::int64_t i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
            const auto a = static_cast<std::size_t>(entries.ids[i]);
            const bool dense = plan.row(a) != RowPlan::listed;
            rows += dense ? 1 : 0;
            weights += dense ? 0 : observed.count(a);
        }
        row_begin[t + 1] = static_cast<std::int64_t>(rows);
        listed_begin[t + 1] = static_cast<std::int64_t>(weights);
    }
}

void RowIndex::fill(const Entries& entries, const Observed& observed, const RowPlan& plan, std::size_t from,
                    std::size_t to) {
    auto r = static_cast<std::size_t>(row_begin[from]), w = static_cast<std::size_t>(listed_begin[from]);
    for (std::int64_t i = entries.indptr[from]; i < entries.indptr[to]; ++i) {
        const auto a = static_cast<std::size_t>(entries.ids[i]);
        if (plan.row(a) != RowPlan::listed) {
            row[r++] = plan.row(a);
            continue;
        }
        for (std::int64_t k = observed.begin[a]; k < observed.begin[a + 1]; ++k, ++w) {
            weight[w] = static_cast<std::int32_t>(k);
            label[w] = static_cast<std::uint16_t>(observed.label[static_cast<std::size_t>(k)]);
        }
    }
}

template <class F>
FeatureRows<F>::FeatureRows(const Entries& entries, const Observed& observed, const RowPlan& plan,
                            std::shared_ptr<const RowIndex> index)
    : index_(std::move(index)) {
    if (!entries.values) return;
    row_value_.reserve(index_->row.size());
    listed_value_.reserve(index_->label.size());
    const auto entry_count = static_cast<std::size_t>(entries.indptr[entries.tokens()]);
    for (std::size_t i = 0; i < entry_count; ++i) {
        const auto a = static_cast<std::size_t>(entries.ids[i]);
        const auto value = static_cast<F>(entries.values[i]);
        if (plan.row(a) != RowPlan::listed)
            row_value_.push_back(value);
        else
            listed_value_.insert(listed_value_.end(), observed.count(a), value);
    }
}

template <class F>
RowView<F> FeatureRows<F>::view(std::size_t from, std::size_t to) const {
    if (windows_) return windows_->view<F>(from, to);
    return {{index_->row_begin.data(), index_->row.data(), row_value_.empty() ? nullptr : row_value_.data()},
            {index_->listed_begin.data(), index_->weight.data(), index_->label.data(),
             listed_value_.empty() ? nullptr : listed_value_.data()},
            0};
}

template <class F>
void FeatureRows<F>::each_use(
    const std::function<void(std::span<const std::int32_t>, std::span<const std::int32_t>)>& visit) const {
    if (index_) visit(index_->row, std::span(index_->weight).first(index_->label.size()));
    if (windows_) windows_->each_use(visit);
}

template <class F>
void FeatureRows<F>::add_listed(const F* weights, std::size_t L, std::size_t from, std::size_t to,
                                F* node) const {
    const RowView<F> seen = view(from, to);
    const ListedEntries<F>& all = seen.listed;
    for (std::size_t t = from - seen.first; t < to - seen.first; ++t, node += L)
        for (auto i = all.begin[t]; i < all.begin[t + 1]; ++i) {
            __builtin_prefetch(weights + all.weight[i + ahead]);
            node[all.label[i]] += weights[all.weight[i]] * (all.value ? all.value[i] : F{1});
        }
}

template <class F>
void FeatureRows<F>::count_listed(const F* gamma, std::size_t L, std::size_t from, std::size_t to,
                                  F* sums) const {
    const RowView<F> seen = view(from, to);
    const ListedEntries<F>& all = seen.listed;
    for (std::size_t t = from - seen.first; t < to - seen.first; ++t, gamma += L)
        for (auto i = all.begin[t]; i < all.begin[t + 1]; ++i) {
            __builtin_prefetch(sums + all.weight[i + ahead], 1);
            sums[all.weight[i]] += gamma[all.label[i]] * (all.value ? all.value[i] : F{1});
        }
}

template class FeatureRows<float>;
template class FeatureRows<double>;

}  // namespace seqlab
