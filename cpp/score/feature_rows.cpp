#include "score/feature_rows.hpp"

namespace seqlab {

namespace {

// Weights of rare attributes lie far apart: they are sent for some entries before they are needed.
constexpr std::ptrdiff_t ahead = 16;

}  // namespace

RowPlan::RowPlan(const Observed& observed, std::size_t L) : row_(observed.attributes(), listed), L_(L) {
    for (std::size_t a = 0; a < row_.size(); ++a)
        if (observed.count(a) > list_up_to) row_[a] = static_cast<std::int32_t>(rows_++);
}

template <class F>
FeatureRows<F>::FeatureRows(const Entries& entries, const Observed& observed, const RowPlan& plan)
    : row_begin_{0}, listed_begin_{0} {
    row_begin_.reserve(entries.tokens() + 1);
    listed_begin_.reserve(entries.tokens() + 1);
    for (std::size_t t = 0; t < entries.tokens(); ++t) {
        for (std::int64_t i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
            const auto a = static_cast<std::size_t>(entries.ids[i]);
            const F value = entries.values ? static_cast<F>(entries.values[i]) : F{1};
            if (plan.row(a) != RowPlan::listed) {
                row_.push_back(plan.row(a));
                if (entries.values) row_value_.push_back(value);
                continue;
            }
            for (std::int64_t k = observed.begin[a]; k < observed.begin[a + 1]; ++k) {
                listed_.push_back(
                    {static_cast<std::int32_t>(k), observed.label[static_cast<std::size_t>(k)]});
                if (entries.values) listed_value_.push_back(value);
            }
        }
        row_begin_.push_back(static_cast<std::int64_t>(row_.size()));
        listed_begin_.push_back(static_cast<std::int64_t>(listed_.size()));
    }
    listed_.resize(listed_.size() + ahead);  // so that looking ahead never looks beyond
}

template <class F>
void FeatureRows<F>::add_listed(const F* weights, std::size_t L, std::size_t from, std::size_t to,
                                F* node) const {
    const Listed* const all = listed_.data();
    const F* const value = listed_value_.empty() ? nullptr : listed_value_.data();
    for (std::size_t t = from; t < to; ++t, node += L)
        for (auto i = listed_begin_[t]; i < listed_begin_[t + 1]; ++i) {
            __builtin_prefetch(weights + all[i + ahead].weight);
            node[all[i].label] += weights[all[i].weight] * (value ? value[i] : F{1});
        }
}

template <class F>
void FeatureRows<F>::count_listed(const F* gamma, std::size_t L, std::size_t from, std::size_t to,
                                  F* sums) const {
    const Listed* const all = listed_.data();
    const F* const value = listed_value_.empty() ? nullptr : listed_value_.data();
    for (std::size_t t = from; t < to; ++t, gamma += L)
        for (auto i = listed_begin_[t]; i < listed_begin_[t + 1]; ++i) {
            __builtin_prefetch(sums + all[i + ahead].weight, 1);
            sums[all[i].weight] += gamma[all[i].label] * (value ? value[i] : F{1});
        }
}

template class FeatureRows<float>;
template class FeatureRows<double>;

}  // namespace seqlab
