#include "inference/marginals.hpp"

#include "base/numerics/flush_to_zero.hpp"
#include "base/parallel/parallel.hpp"
#include "inference/count_paths.hpp"
#include "inference/unmasked.hpp"

namespace seqlab {

namespace {

// The edge tables of both kinds (dense and general) that the groups of a batch need.
template <class F>
class Tables {
public:
    Tables(Batch<F> batch, const std::vector<Job>& jobs)
        : dense_(batch, jobs, true,
                 [](const Trellis<F>& x) { return DenseTable<F>::potentials(x.edge, x.L); }),
          linear_(batch, jobs, false, [](const Trellis<F>& x) { return linear_edges(x); }) {}

    const DenseTable<F>& dense(const Trellis<F>& x, std::optional<DenseTable<F>>& spot) const {
        return dense_.at(x, spot);
    }
    const LinearTensor* linear(const Trellis<F>& x, std::optional<LinearTensor>& spot) const {
        return wants_linear(x) ? &linear_.at(x, spot) : nullptr;
    }

private:
    PerEdges<F, DenseTable<F>> dense_;
    PerEdges<F, LinearTensor> linear_;
};

// The workspace of one job: scratch memory, and sums that are added up later in the order of the jobs.
template <class F>
struct Worker {
    Buffer<F> room, E;
    Buffer<double> wide;
    std::optional<DenseTable<F>> dense;
    std::optional<LinearTensor> linear;
};

// Multiply raw (L, L), which holds Σ α ⊗ g, by the edge potentials: the result is the expected counts.
template <class F>
void finish_counts(const DenseEdges<F>& edges, const double* raw, double* out) {
    for (std::size_t a = 0; a < edges.L; ++a)
        for (std::size_t y = 0; y < edges.L; ++y)
            out[a * edges.L + y] += raw[a * edges.L + y] * static_cast<double>(edges.M[a * edges.LP + y]);
}

template <class F>
void flush(F* E, const DenseEdges<F>& edges, double* raw) {
    for (std::size_t a = 0; a < edges.L; ++a)
        for (std::size_t y = 0; y < edges.L; ++y) {
            raw[a * edges.L + y] += static_cast<double>(E[a * edges.LP + y]);
            E[a * edges.LP + y] = F{0};
        }
}

// Output arrays of one call, which may compute several quantities; a null pointer is not computed.
template <class F>
struct Answers {
    F* const* node = nullptr;
    double* log_z = nullptr;
    std::uint8_t* log_space = nullptr;

    F* node_of(std::size_t i) const { return node ? node[i] : nullptr; }
};

template <class F>
class MarginalJob {
public:
    MarginalJob(Batch<F> batch, const Tables<F>& tables, const Answers<F>& answers)
        : batch_(batch), tables_(tables), answers_(answers) {}

    // Run a job; target_of(i) is the target of sequence i's counts.
    template <class TargetOf>
    void run(const Job& job, TargetOf target_of) {
        const FlushToZero quick;
        for (const Group& g : job) {
            poll();
            if (g.dense) {
                dense(g, target_of(g.member[0]));
            } else {
                general(g.member[0], target_of(g.member[0]), true);
            }
        }
        settle();
    }

private:
    void general(std::size_t i, const CountTarget& target, bool try_scaled) {
        const Trellis<F>& trellis = batch_[i];
        const LinearTensor* linear = try_scaled ? tables_.linear(trellis, worker_.linear) : nullptr;
        answers_.log_z[i] = sum_over_paths(trellis, answers_.node_of(i), target, linear,
                                           answers_.log_space ? answers_.log_space + i : nullptr, try_scaled);
    }

    void dense(const Group& g, const CountTarget& target) {
        const Trellis<F>& first = batch_[g.member[0]];
        Chain<F> chain[4];
        for (std::size_t s = 0; s < g.size; ++s) {
            chain[s] = chain_of(batch_[g.member[s]]);
            chain[s].gamma = answers_.node_of(g.member[s]);
        }
        if (is_long<F>(first.T, first.L)) {
            long_chain(first, chain[0], target);
        } else {
            sentences(tables_.dense(first, worker_.dense), first.T, chain, g.size, target);
        }
        for (std::size_t s = 0; s < g.size; ++s) {
            if (chain[s].certified) {
                answers_.log_z[g.member[s]] = chain[s].log_z;
            } else {
                general(g.member[s], target, sizeof(F) == 4);  // float32 is tried again in float64
            }
        }
        if (++groups_ % 16 == 0 || worker_.dense) settle();
    }

    void sentences(const DenseTable<F>& table, std::size_t T, Chain<F>* chain, std::size_t S,
                   const CountTarget& target) {
        const auto& k = kernels().of<F>();
        F* const room = worker_.room.of(k.pair_room(table.edges().L, T, S));
        k.forward_backward(table.edges(), T, chain, S, room, target.edge ? sums(table, target) : nullptr);
    }

    void long_chain(const Trellis<F>& trellis, Chain<F>& asked, const CountTarget& target) {
        const LongKernels& k = kernels().long_chain;
        const auto table = DenseTable<double>::potentials(trellis.edge, trellis.L);
        std::vector<double> raw(target.edge ? trellis.L * trellis.L : 0, 0.0);
        double* const E = target.edge ? raw.data() : nullptr;
        if (!in_chunks(trellis.T, trellis.L) || !chunked(table.edges(), trellis.T, asked, E)) {
            WideChain<F> wide(trellis, asked);
            wide.make_gamma();  // one direction passes its results to the other in the rows of marginals
            k.forward_backward(table.edges(), trellis.T, wide.chain(), worker_.wide.of(k.room(trellis.L)), E);
            wide.answer(asked);
        }
        if (E && asked.certified) finish_counts(table.edges(), raw.data(), target.edge);
    }
    bool chunked(const DenseEdges<double>& edges, std::size_t T, Chain<F>& chain, double* E) {
        const auto& k = kernels().of<F>();
        const bool done = k.chunked_forward_backward(edges, T, chain, worker_.wide.of(k.chunked_room()), E);
        if (!done) ++unjoined();
        return done;
    }

    // The running sum E for this table and target, in the kernel's number type.
    F* sums(const DenseTable<F>& table, const CountTarget& target) {
        const std::size_t n = table.edges().L * table.edges().LP;
        if (open_ && open_->edges().M == table.edges().M && to_ == target.edge) return worker_.E.of(n);
        settle();
        F* const E = worker_.E.of(n);
        std::fill(E, E + n, F{0});
        raw_.assign(table.edges().L * table.edges().L, 0.0);
        open_ = &table;
        to_ = target.edge;
        return E;
    }

    // Convert the sums of the kernels to float64, multiply them by the edges, and add them to their targets.
    void settle() {
        if (!open_) return;
        flush(worker_.E.of(0), open_->edges(), raw_.data());
        finish_counts(open_->edges(), raw_.data(), to_);
        open_ = nullptr;
    }

    Batch<F> batch_;
    const Tables<F>& tables_;
    const Answers<F>& answers_;
    Worker<F> worker_;
    std::vector<double> raw_;
    const DenseTable<F>* open_ = nullptr;
    double* to_ = nullptr;
    std::size_t groups_ = 0;
};

// Counts of one job for a shared target: private until all jobs are done.
struct PrivateCounts {
    std::vector<double> edge, head[2];

    CountTarget target(const CountTarget& like, std::size_t L, std::size_t order) {
        edge.assign(tensor_size(L, order + 1), 0.0);
        CountTarget own{edge.data(), 0, {nullptr, nullptr}, nullptr, like.weight};
        for (std::size_t i = 0; i < 2; ++i)
            if (like.head[i]) {
                head[i].assign(tensor_size(L, i + 2), 0.0);
                own.head[i] = head[i].data();
            }
        return own;
    }
    void add_to(const CountTarget& target) const {
        for (std::size_t i = 0; i < edge.size(); ++i) target.edge[i] += edge[i];
        for (std::size_t h = 0; h < 2; ++h)
            for (std::size_t i = 0; i < head[h].size(); ++i) target.head[h][i] += head[h][i];
    }
};

template <class F>
void empty_sequences(Batch<F> batch, double* log_z) {
    for (std::size_t i = 0; i < batch.size(); ++i)
        if (batch[i].T == 0) log_z[i] = 0.0;
}

}  // namespace

// eq:log-partition   the forward pass alone where its own certificate holds, otherwise both passes
template <class F>
void log_partition(Batch<F> given, double* log_z, std::size_t threads) {
    const PinKernels caller(kernels());
    const Unmasked<F> unmasked(given);
    const Batch<F> batch = unmasked.view();
    empty_sequences(batch, log_z);
    const std::vector<Job> jobs = plan(batch);
    const Tables<F> tables(batch, jobs);
    Answers<F> answers;
    answers.log_z = log_z;
    parallel_for(jobs.size(), threads, [&, &set = kernels()](std::size_t j) {
        const PinKernels pin(set);
        const FlushToZero quick;
        const auto& k = kernels().of<F>();
        Buffer<F> room;
        std::optional<DenseTable<F>> spot;
        Job rest;
        for (const Group& g : jobs[j]) {
            poll();
            const Trellis<F>& first = batch[g.member[0]];
            const DenseTable<F>* table = g.dense ? &tables.dense(first, spot) : nullptr;
            if (!table || !table->lossless()) {
                rest.push_back(g);
                continue;
            }
            Chain<F> chain[4];
            for (std::size_t s = 0; s < g.size; ++s) chain[s] = chain_of(batch[g.member[s]]);
            k.forward(table->edges(), first.T, chain, g.size, room.of(k.forward_room(first.L, g.size)));
            for (std::size_t s = 0; s < g.size; ++s) {
                log_z[g.member[s]] = chain[s].log_z;
                if (!chain[s].certified) rest.push_back({{g.member[s]}, 1, true});
            }
        }
        MarginalJob<F>(batch, tables, answers).run(rest, [](std::size_t) { return CountTarget{}; });
    });
}

template <class F>
void node_marginals(Batch<F> given, F* const* node, double* log_z, std::uint8_t* log_space,
                    std::size_t threads) {
    const PinKernels caller(kernels());
    const Unmasked<F> unmasked(given);
    const Batch<F> batch = unmasked.view();
    empty_sequences(batch, log_z);
    const std::vector<Job> jobs = plan(batch);
    const Tables<F> tables(batch, jobs);
    const Answers<F> answers{node, log_z, log_space};
    parallel_for(jobs.size(), threads, [&, &set = kernels()](std::size_t j) {
        const PinKernels pin(set);
        MarginalJob<F>(batch, tables, answers).run(jobs[j], [](std::size_t) { return CountTarget{}; });
    });
}

// eq:expected-counts   E[a, rest, y] = Σ_t ξ_t(a, rest, y)
template <class F>
void expected_counts(Batch<F> given, F* const* node, const CountTarget* targets, bool shared, double* log_z,
                     std::uint8_t* log_space, std::size_t threads) {
    const PinKernels caller(kernels());
    const Unmasked<F> unmasked(given);
    const Batch<F> batch = unmasked.view();
    empty_sequences(batch, log_z);
    const Answers<F> answers{node, log_z, log_space};
    if (!shared) {  // sequences with shared edges but separate counts must not run as one group
        parallel_for(batch.size(), threads, [&, &set = kernels()](std::size_t i) {
            const PinKernels pin(set);
            if (batch[i].T == 0) return;
            const bool dense =
                batch[i].plain() && targets[i].slab == 0;  // kernels support only sums over positions
            const std::vector<Job> one{{Group{{i}, 1, dense}}};
            const Tables<F> tables(batch, one);
            MarginalJob<F>(batch, tables, answers).run(one[0], [&](std::size_t m) { return targets[m]; });
        });
        return;
    }
    // Each job keeps its own counts; their total size is limited, however large the tensor.
    constexpr std::size_t MOST_BYTES = std::size_t{1} << 28;
    const std::size_t bytes = sizeof(double) * tensor_size(batch[0].L, batch[0].order + 1);
    const std::vector<Job> jobs = plan(batch, std::clamp<std::size_t>(MOST_BYTES / bytes, 1, 64));
    const Tables<F> tables(batch, jobs);
    std::vector<PrivateCounts> counts(jobs.size() > 1 ? jobs.size() : 0);  // one job needs none
    parallel_for(jobs.size(), threads, [&, &set = kernels()](std::size_t j) {
        const PinKernels pin(set);
        CountTarget own = targets[0];
        if (!counts.empty()) own = counts[j].target(targets[0], batch[0].L, batch[0].order);
        MarginalJob<F>(batch, tables, answers).run(jobs[j], [&](std::size_t) { return own; });
    });
    for (const PrivateCounts& one : counts) one.add_to(targets[0]);
}

std::size_t unjoined_count() {
    return unjoined();
}

std::size_t fallback_count() {
    return fallbacks();
}

#define SEQLAB_INSTANTIATE(F)                                                                               \
    template void log_partition<F>(Batch<F>, double*, std::size_t);                                         \
    template void node_marginals<F>(Batch<F>, F* const*, double*, std::uint8_t*, std::size_t);              \
    template void expected_counts<F>(Batch<F>, F* const*, const CountTarget*, bool, double*, std::uint8_t*, \
                                     std::size_t);
SEQLAB_INSTANTIATE(float)
SEQLAB_INSTANTIATE(double)
#undef SEQLAB_INSTANTIATE

}  // namespace seqlab
