#include "linear/tagging/scorer.hpp"

#include <algorithm>

#include "base/parallel/parallel.hpp"

namespace seqlab {

namespace {

constexpr std::size_t block_tokens = 1024;

}  // namespace

// Workspace of one block of tokens: the rows each token adds, and padded memory for their sums.
template <class F>
struct Scorer<F>::Room {
    std::vector<std::int64_t> begin;
    std::vector<std::int32_t> row;
    std::vector<F> value;
    Buffer<F> node;
};

template <class F>
Scorer<F>::Scorer(const Observed& observed, const double* weights, std::size_t L)
    : observed_(observed), plan_(observed, L), weights_(observed, plan_, kernels().of<F>().row_lanes(L)) {
    weights_.load(weights);
}

template <class F>
void Scorer<F>::operator()(const Entries& entries, F* node, std::size_t threads) const {
    const std::size_t blocks = (entries.tokens() + block_tokens - 1) / block_tokens;
    const std::size_t workers = std::min(threads, blocks);
    // The rows of a block do not depend on the thread that takes it.
    parallel_for(workers, workers, [&, &set = kernels()](std::size_t w) {
        const PinKernels pin(set);
        Room room;
        for (std::size_t b = w; b < blocks; b += workers) {
            poll();
            const std::size_t from = b * block_tokens, to = std::min(entries.tokens(), from + block_tokens);
            score(entries, from, to, room, node + from * L());
        }
    });
}

template <class F>
void Scorer<F>::score(const Entries& entries, std::size_t from, std::size_t to, Room& room, F* node) const {
    room.begin.assign(1, 0);
    room.row.clear();
    room.value.clear();
    for (std::size_t t = from; t < to; ++t) {
        for (auto i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
            const std::int32_t row = plan_.row(static_cast<std::size_t>(entries.ids[i]));
            if (row == RowPlan::listed) continue;
            room.row.push_back(row);
            if (entries.values) room.value.push_back(static_cast<F>(entries.values[i]));
        }
        room.begin.push_back(static_cast<std::int64_t>(room.row.size()));
    }
    // Into a separate buffer, because the kernel writes past the last row.
    F* const sums = room.node.of((to - from) * L() + weights_.LP());
    const RowList<F> rows{room.begin.data(), room.row.data(), entries.values ? room.value.data() : nullptr};
    kernels().of<F>().gather_rows(weights_.dense(), weights_.LP(), L(), rows, 0, to - from, sums);
    for (std::size_t t = from; t < to; ++t)
        for (auto i = entries.indptr[t]; i < entries.indptr[t + 1]; ++i) {
            const auto a = static_cast<std::size_t>(entries.ids[i]);
            if (plan_.row(a) != RowPlan::listed) continue;
            const F value = entries.values ? static_cast<F>(entries.values[i]) : F{1};
            for (auto k = static_cast<std::size_t>(observed_.begin[a]);
                 k < static_cast<std::size_t>(observed_.begin[a + 1]); ++k)
                sums[(t - from) * L() + static_cast<std::size_t>(observed_.label[k])] +=
                    value * weights_.listed()[k];
        }
    std::copy_n(sums, (to - from) * L(), node);
}

template class Scorer<float>;
template class Scorer<double>;

}  // namespace seqlab
