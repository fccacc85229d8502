#include "linear/data/task.hpp"

#include <algorithm>

namespace seqlab {

namespace {

std::size_t numbered(std::span<const std::int32_t> numbers) {
    return static_cast<std::size_t>(std::ranges::count_if(numbers, [](std::int32_t n) { return n >= 0; }));
}

}  // namespace

void Transitions::add_level(std::span<const std::int32_t> numbers) {
    levels_.push_back({numbers, weights() + numbered(numbers)});
}

void Transitions::keep_levels(std::size_t order) {
    levels_.resize(std::min(order, levels_.size()));
}

void add_entries(const Entries& entries, const Observed& observed, std::size_t t, std::int32_t label,
                 double weight, double* out) {
    for (auto i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
        const std::ptrdiff_t k = weight_of(entries, observed, static_cast<std::size_t>(i), label);
        if (k >= 0) out[k] += weight * (entries.values ? entries.values[i] : 1.0);
    }
}

}  // namespace seqlab
