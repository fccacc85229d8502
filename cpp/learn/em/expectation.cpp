#include "learn/em/expectation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "inference/marginals.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr std::size_t CELLS = std::size_t{1} << 16;  // of scores in one job: with the marginals one megabyte
constexpr std::size_t AHEAD = 4;                     // jobs in flight for every thread

}  // namespace

Expectation::Expectation(std::span<const std::int64_t> offset, std::size_t L, const double* weight,
                         const std::uint8_t* allowed)
    : offset_(offset), L_(L), weight_(weight), allowed_(allowed) {
    cut();
}

void Expectation::cut() {
    for (std::size_t s = 0; s + 1 < offset_.size(); ++s)
        if (length(s) > 0) order_.push_back(s);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        return std::make_tuple(weight(a), length(a)) < std::make_tuple(weight(b), length(b));
    });
    // Every job makes the potentials of the moves anew: it should be worth that.
    const std::size_t most = std::max(CELLS, 16 * L_ * L_) / L_;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::size_t T = length(order_[i]);
        const bool fits = !work_.empty() && work_.back().weight == weight(order_[i]) &&
                          work_.back().tokens + T <= most;
        if (!fits) work_.push_back({i, i, 0, weight(order_[i])});
        work_.back().last = i + 1;
        work_.back().tokens += T;
    }
}

void Expectation::fold_ends(const ChainTables& tables, std::size_t s, double* node) const {
    const std::size_t T = length(s);
    for (std::size_t y = 0; y < L_; ++y) node[y] += tables.start[y];
    for (std::size_t y = 0; tables.end && y < L_; ++y) node[(T - 1) * L_ + y] += tables.end[y];
    if (!allowed_) return;
    const std::uint8_t* const allowed = allowed_ + begin(s) * L_;
    for (std::size_t i = 0; i < T * L_; ++i) node[i] = allowed[i] ? node[i] : never;
}

void Expectation::add_sequence(const ChainTables& tables, std::size_t s, double* node, double* gamma,
                               Room& room) const {
    fold_ends(tables, s, node);
    Trellis<double> trellis;
    trellis.T = length(s);
    trellis.L = L_;
    trellis.node = node;
    trellis.edge = tables.edge;
    room.batch.push_back(trellis);
    room.rows.push_back(gamma);
}

// eq:expected-counts of one job, in sums of its own.
void Expectation::run(const ChainTables&, const Work& work, Room& room) const {
    room.edge.assign(L_ * L_, 0.0);
    room.log_z.assign(room.batch.size(), never);
    room.log_space.assign(room.batch.size(), 0);
    const CountTarget target{room.edge.data(), 0, {nullptr, nullptr}};
    expected_counts<double>(room.batch, room.rows.data(), &target, true, room.log_z.data(),
                            room.log_space.data(), 1);
    for (std::size_t i = 0; i < room.batch.size(); ++i) {
        const std::size_t n = room.batch[i].T * L_;
        if (!(room.log_z[i] > never)) {
            std::fill(room.rows[i], room.rows[i] + n, 0.0);
        } else if (work.weight != 1.0) {
            for (std::size_t k = 0; k < n; ++k) room.rows[i][k] *= work.weight;
        }
    }
}

void Expectation::settle(const Work& work, Room& room, const ChainSums& sums) const {
    for (std::size_t k = 0; k < L_ * L_; ++k) sums.edge[k] += work.weight * room.edge[k];
    for (std::size_t i = 0; i < room.batch.size(); ++i) {
        sums.log_z[order_[work.first + i]] = room.log_z[i];
        const double* const first = room.rows[i];
        const double* const last = first + (room.batch[i].T - 1) * L_;
        for (std::size_t y = 0; y < L_; ++y) {
            sums.start[y] += first[y];
            sums.end[y] += last[y];
        }
    }
}

// fill(work, room) makes the batch of a job on some thread; spill(work, room) takes its marginals, in the order of jobs.
template <class Fill, class Spill>
void Expectation::each(const ChainTables& tables, const ChainSums& sums, std::size_t threads, Fill fill,
                       Spill spill) {
    const PinKernels caller(kernels());
    for (std::size_t s = 0; s + 1 < offset_.size(); ++s) sums.log_z[s] = 0.0;
    const std::size_t wave = threads <= 1 ? 1 : std::min(work_.size(), threads * AHEAD);
    if (rooms_.size() < wave) rooms_.resize(wave);
    for (std::size_t first = 0; first < work_.size(); first += wave) {
        const std::size_t n = std::min(wave, work_.size() - first);
        parallel_for(n, threads, [&, &set = kernels()](std::size_t i) {
            const PinKernels pin(set);
            Room& room = rooms_[i];
            room.batch.clear();
            room.rows.clear();
            fill(work_[first + i], room);
            run(tables, work_[first + i], room);
        });
        for (std::size_t i = 0; i < n; ++i) {
            settle(work_[first + i], rooms_[i], sums);
            spill(work_[first + i], rooms_[i]);
        }
    }
}

void Expectation::over_scores(const ChainTables& tables, double* node, double* gamma, const ChainSums& sums,
                              std::size_t threads) {
    each(
        tables, sums, threads,
        [&](const Work& work, Room& room) {
            for (std::size_t i = work.first; i < work.last; ++i) {
                const std::size_t at = begin(order_[i]) * L_;
                add_sequence(tables, order_[i], node + at, gamma + at, room);
            }
        },
        [](const Work&, Room&) {});
}

void Expectation::fetch(const SymbolTable& table, const RowList<double>& symbols, std::size_t s) const {
    constexpr std::size_t MOST = 256;  // tokens: more would push each other out
    table.fetch(symbols, begin(s), begin(s) + std::min(length(s), MOST));
}

void Expectation::over_symbols(const ChainTables& tables, const RowList<double>& symbols, std::size_t V,
                               const double* table, double* counts, const ChainSums& sums,
                               std::size_t threads) {
    const PinKernels pin(kernels());
    const std::size_t behind = kernels().of<double>().row_lanes(L_);
    if (!table_ || symbols_ != V || table_->lanes() != behind) {
        table_.emplace(V, L_);
        counts_.emplace(V, L_);
        symbols_ = V;
    }
    table_->load(table);
    counts_->clear();
    each(
        tables, sums, threads,
        [&](const Work& work, Room& room) {
            double* node = room.node.of(work.tokens * L_ + behind);
            double* gamma = room.gamma.of(work.tokens * L_ + behind);
            for (std::size_t i = work.first; i < work.last; ++i) {
                const std::size_t s = order_[i], T = length(s);
                if (i + 1 < work.last) fetch(*table_, symbols, order_[i + 1]);
                table_->gather(symbols, begin(s), begin(s) + T, node);
                add_sequence(tables, s, node, gamma, room);
                node += T * L_;
                gamma += T * L_;
            }
        },
        [&](const Work& work, Room& room) {
            for (std::size_t i = work.first; i < work.last; ++i) {
                const std::size_t s = order_[i];
                if (i + 1 < work.last) fetch(*counts_, symbols, order_[i + 1]);
                counts_->scatter(symbols, begin(s), begin(s) + length(s), room.rows[i - work.first]);
            }
        });
    counts_->add_to(counts);
}

}  // namespace seqlab
