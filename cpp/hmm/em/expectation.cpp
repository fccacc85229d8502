#include "hmm/em/expectation.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/numerics/flush_to_zero.hpp"
#include "base/parallel/parallel.hpp"
#include "inference/marginals.hpp"

namespace seqlab {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr std::size_t CELLS = std::size_t{1} << 16;  // scores in one job: with the marginals one megabyte
constexpr std::size_t AHEAD = 4;                     // jobs in progress for every thread
constexpr std::size_t MOST_BYTES = std::size_t{1} << 28;  // of all transition counts in progress

// True if every token has at most one symbol.
bool at_most_one(const RowList<double>& symbols, std::size_t tokens) {
    for (std::size_t t = 0; t < tokens; ++t)
        if (symbols.begin[t + 1] - symbols.begin[t] > 1) return false;
    return true;
}

// The symbol of a token, -1 for a token without one.
std::int32_t symbol_of(const RowList<double>& symbols, std::size_t t) {
    return symbols.begin[t] < symbols.begin[t + 1] ? symbols.row[symbols.begin[t]] : -1;
}

std::size_t row_of(const RowList<double>& symbols, std::size_t t, std::size_t V) {
    const std::int32_t symbol = symbol_of(symbols, t);
    return symbol < 0 ? V : static_cast<std::size_t>(symbol);
}

}  // namespace

Expectation::Expectation(std::span<const std::int64_t> offset, std::size_t L, const double* weight,
                         const std::uint8_t* allowed, std::size_t order, const Expectation* beside)
    : offset_(offset),
      L_(L),
      k_(order),
      moves_(tensor_size(L, order + 1)),
      weight_(weight),
      allowed_(allowed),
      memory_(beside ? beside->memory_ : std::make_shared<Memory>()) {
    cut();
}

void Expectation::cut() {
    for (std::size_t s = 0; s + 1 < offset_.size(); ++s)
        if (length(s) > 0) order_.push_back(s);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        return std::make_tuple(weight(a), length(a)) < std::make_tuple(weight(b), length(b));
    });
    // In order 1, every job exponentiates the transitions, so it must be large enough to make that cheap.
    const std::size_t most = std::max(CELLS, k_ == 1 ? 16 * L_ * L_ : L_) / L_;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::size_t T = length(order_[i]);
        const bool fits =
            !work_.empty() && work_.back().weight == weight(order_[i]) && work_.back().tokens + T <= most;
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
    room.members.push_back(s);
}

// eq:expected-counts of one job, added to the job's own sums.
void Expectation::run(const Work& work, Room& room) const {
    room.edge.assign(moves_, 0.0);
    CountTarget target{room.edge.data(), 0, {nullptr, nullptr}};
    for (std::size_t i = 0; i + 1 < k_; ++i) {
        room.head[i].assign(tensor_size(L_, i + 2), 0.0);
        target.head[i] = room.head[i].data();
    }
    if (room.batch.empty()) return;
    room.log_z.assign(room.batch.size(), never);
    if (histories_) {
        const FlushToZero quick;
        for (std::size_t i = 0; i < room.batch.size(); ++i)
            room.log_z[i] =
                histories_->add(room.batch[i].node, room.batch[i].T, room.rows[i], target, room.lists);
    } else {
        room.log_space.assign(room.batch.size(), 0);
        expected_counts<double>(room.batch, room.rows.data(), &target, true, room.log_z.data(),
                                room.log_space.data(), 1);
    }
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
    for (std::size_t k = 0; k < moves_; ++k) sums.edge[k] += work.weight * room.edge[k];
    for (std::size_t i = 0; i + 1 < k_; ++i)
        for (std::size_t k = 0; k < room.head[i].size(); ++k)
            sums.head[i][k] += work.weight * room.head[i][k];
    for (std::size_t i = 0; i < room.batch.size(); ++i) {
        sums.log_z[room.members[i]] = room.log_z[i];
        const double* const first = room.rows[i];
        const double* const last = first + (room.batch[i].T - 1) * L_;
        for (std::size_t y = 0; y < L_; ++y) {
            sums.start[y] += first[y];
            sums.end[y] += last[y];
        }
    }
}

// Run all jobs: fill(work, room) prepares the batch of a job on some thread; spill(work, room) adds its marginals, in
// the order of the jobs.
template <class Fill, class Spill>
void Expectation::each(const ChainTables& tables, const ChainSums& sums, std::size_t threads, Fill fill,
                       Spill spill) {
    const PinKernels caller(kernels());
    const Crew crew(std::min(threads, work_.size()));
    for (std::size_t s = 0; s + 1 < offset_.size(); ++s) sums.log_z[s] = 0.0;
    const std::size_t held = std::max<std::size_t>(1, MOST_BYTES / (sizeof(double) * moves_));
    const std::size_t wave = threads <= 1 ? 1 : std::min({work_.size(), threads * AHEAD, held});
    histories_.reset();
    if (k_ > 1) histories_.emplace(tables, L_, k_);
    std::vector<Room>& rooms = memory_->rooms;
    if (rooms.size() < wave) rooms.resize(wave);
    for (std::size_t first = 0; first < work_.size(); first += wave) {
        const std::size_t n = std::min(wave, work_.size() - first);
        parallel_for(n, threads, [&, &set = kernels()](std::size_t i) {
            const PinKernels pin(set);
            Room& room = rooms[i];
            room.batch.clear();
            room.rows.clear();
            room.members.clear();
            fill(work_[first + i], room);
            run(work_[first + i], room);
        });
        for (std::size_t i = 0; i < n; ++i) {
            settle(work_[first + i], rooms[i], sums);
            spill(work_[first + i], rooms[i]);
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
    constexpr std::size_t MOST = 256;  // tokens: with more, the rows would evict each other from the cache
    table.fetch(symbols, begin(s), begin(s) + std::min(length(s), MOST));
}

// Set up the rows of potentials and sums for every token of a job, then run its chains, four of equal length at a time.
// Chains that the kernel cannot handle, and all long ones, are left in room.members.
void Expectation::run_symbols(const SymbolPotentials& model, const Work& work, const RowList<double>& symbols,
                              double* counts, const ChainSums& sums, Room& room) const {
    const std::size_t LP = model.lanes();
    std::size_t tokens = 0;
    for (std::size_t i = work.first; i < work.last; ++i)
        if (is_long<double>(length(order_[i]), L_))
            room.members.push_back(order_[i]);
        else
            tokens += length(order_[i]);
    room.potential.resize(tokens);
    room.sums.resize(tokens);
    double* const kept = counts ? nullptr : room.kept.of(tokens * LP + 1);
    if (kept) std::fill(kept, kept + tokens * LP, 0.0);
    double* last = model.ends() ? room.lasts.of((work.last - work.first) * LP) : nullptr;
    room.shifts.assign(work.last - work.first, model.start_shift());
    std::size_t at = 0;
    for (std::size_t i = work.first; i < work.last; ++i) {
        if (is_long<double>(length(order_[i]), L_)) continue;
        double& shift = room.shifts[i - work.first];
        const std::size_t from = begin(order_[i]), to = from + length(order_[i]);
        for (std::size_t t = from; t < to; ++t, ++at) {
            const std::int32_t symbol = symbol_of(symbols, t);
            room.potential[at] = model.row(symbol);
            room.sums[at] = counts ? counts + row_of(symbols, t, memory_->symbols) * LP : kept + at * LP;
            if (!last || t + 1 < to) {
                shift += model.shift(symbol);
                continue;
            }
            shift += model.last_row(symbol, last);
            room.potential[at] = last;
            last += LP;
        }
    }
    room.moves.assign(L_ * LP, 0.0);
    room.starts.assign(LP, 0.0);
    room.ends.assign(LP, 0.0);
    at = 0;
    for (std::size_t i = work.first; i < work.last;) {
        const std::size_t T = length(order_[i]);
        if (is_long<double>(T, L_)) {
            ++i;
            continue;
        }
        std::size_t size = 1;
        while (size < 4 && i + size < work.last && length(order_[i + size]) == T) ++size;
        if (size == 3) size = 2;  // kernels exist for 1, 2 and 4
        const std::size_t next = at + size * T, end = std::min(next + size * T, tokens);
        for (std::size_t n = next; n < end; ++n)  // prefetch the data of the next chains
            for (std::size_t y = 0; y < LP; y += 8) {
                __builtin_prefetch(room.potential[n] + y);
                __builtin_prefetch(room.sums[n] + y, 1);
            }
        run_group(model, work, i, size, at, sums, room);
        i += size;
        at += size * T;
    }
}

void Expectation::run_group(const SymbolPotentials& model, const Work& work, std::size_t first,
                            std::size_t size, std::size_t at, const ChainSums& sums, Room& room) const {
    const std::size_t T = length(order_[first]);
    SymbolChain chain[4];
    for (std::size_t s = 0; s < size; ++s) {
        chain[s].potential = room.potential.data() + at + s * T;
        chain[s].sums = room.sums.data() + at + s * T;
        chain[s].shift = room.shifts[first + s - work.first];
    }
    const auto& k = kernels();
    double* const scratch = room.scratch.of(k.f64.pair_room(L_, T, size));
    const FlushToZero quick;
    k.symbol_forward_backward(model.edges(room.starts.data(), room.ends.data()), T, chain, size, scratch,
                              room.moves.data());
    for (std::size_t s = 0; s < size; ++s) {
        if (chain[s].certified) {
            sums.log_z[order_[first + s]] = chain[s].log_z;
        } else {
            room.members.push_back(order_[first + s]);
        }
    }
}

void Expectation::settle_symbols(const SymbolPotentials& model, const Work& work, Room& room,
                                 const ChainSums& sums) const {
    const DenseEdges<double> edges = model.edges(nullptr, nullptr).edges;
    for (std::size_t a = 0; a < L_; ++a) {
        for (std::size_t y = 0; y < L_; ++y)
            sums.edge[a * L_ + y] += work.weight * room.moves[a * edges.LP + y] * edges.M[a * edges.LP + y];
        sums.start[a] += work.weight * room.starts[a];
        sums.end[a] += work.weight * room.ends[a];
    }
}

void Expectation::over_symbols(const ChainTables& tables, const RowList<double>& symbols, std::size_t V,
                               const double* table, double* counts, const ChainSums& sums,
                               std::size_t threads, std::size_t pass) {
    const PinKernels pin(kernels());
    const std::size_t behind = kernels().of<double>().row_lanes(L_);
    Memory& kept = *memory_;
    if (!kept.table || kept.symbols != V || kept.table->lanes() != behind) {
        kept.table.emplace(V, L_);
        kept.counts.emplace(V, L_);
        kept.symbols = V;
    }
    std::once_flag asked;  // chains of symbols seldom need the general code
    bool general = false;
    const auto prepare = [&] {
        kept.table->load(table);
        kept.counts->clear();
        general = true;
    };
    const bool plain =
        k_ == 1 && !allowed_ && !symbols.value && at_most_one(symbols, begin(offset_.size() - 1));
    std::optional<SymbolPotentials>& model = kept.potentials;
    if (plain && (pass == 0 || kept.pass != pass)) {
        model.emplace(tables, table, V, L_);
        kept.pass = pass;
    }
    const std::size_t LP = plain ? model->lanes() : 0;
    double* const direct = kept.direct.of((V + 1) * LP + 1);  // the last row is for tokens without a symbol
    std::fill(direct, direct + (V + 1) * LP, 0.0);
    each(
        tables, sums, threads,
        [&](const Work& work, Room& room) {
            if (plain) {
                // With one thread, counts are added at once; with several, later and in the same order.
                const bool at_once = threads <= 1 && work.weight == 1.0;
                run_symbols(*model, work, symbols, at_once ? direct : nullptr, sums, room);
            } else {
                for (std::size_t i = work.first; i < work.last; ++i) room.members.push_back(order_[i]);
            }
            const std::vector<std::size_t> rest = std::move(room.members);
            room.members.clear();
            if (rest.empty()) return;
            std::call_once(asked, prepare);
            std::size_t tokens = 0;
            for (const std::size_t s : rest) tokens += length(s);
            double* node = room.node.of(tokens * L_ + behind);
            double* gamma = room.gamma.of(tokens * L_ + behind);
            for (std::size_t i = 0; i < rest.size(); ++i) {
                const std::size_t s = rest[i], T = length(s);
                if (i + 1 < rest.size()) fetch(*kept.table, symbols, rest[i + 1]);
                kept.table->gather(symbols, begin(s), begin(s) + T, node);
                add_sequence(tables, s, node, gamma, room);
                node += T * L_;
                gamma += T * L_;
            }
        },
        [&](const Work& work, Room& room) {
            if (plain) {
                settle_symbols(*model, work, room, sums);
                if (threads > 1 || work.weight != 1.0) {
                    std::size_t at = 0;
                    for (std::size_t i = work.first; i < work.last; ++i) {
                        if (is_long<double>(length(order_[i]), L_)) continue;
                        for (std::size_t t = 0; t < length(order_[i]); ++t, ++at) {
                            double* const to = direct + row_of(symbols, begin(order_[i]) + t, V) * LP;
                            for (std::size_t y = 0; y < LP; ++y) to[y] += work.weight * room.sums[at][y];
                        }
                    }
                }
            }
            for (std::size_t i = 0; i < room.members.size(); ++i) {
                const std::size_t s = room.members[i];
                if (i + 1 < room.members.size()) fetch(*kept.counts, symbols, room.members[i + 1]);
                kept.counts->scatter(symbols, begin(s), begin(s) + length(s), room.rows[i]);
            }
        });
    if (general) kept.counts->add_to(counts);
    for (std::size_t v = 0; plain && v < V; ++v)
        for (std::size_t y = 0; y < L_; ++y) counts[v * L_ + y] += direct[v * LP + y];
}

}  // namespace seqlab
