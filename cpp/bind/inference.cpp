#include <optional>

#include "base/parallel/parallel.hpp"
#include "bind/batch.hpp"
#include "bind/stl.hpp"
#include "inference/best.hpp"
#include "inference/definition/tables.hpp"
#include "inference/marginals.hpp"
#include "inference/messages.hpp"
#include "inference/sample.hpp"

namespace seqlab::bind {

namespace {

template <class F>
void bind_best(nb::module_& m) {
    m.def(
        "viterbi",
        [](const BatchOf<F>& batch, const Out<Label>& ids, const Out<double>& scores, std::size_t threads) {
            const auto paths = parts(ids, batch.view(), positions<F>);
            Unlocked unlocked;
            viterbi<F>(batch.view(), paths.data(), scores.data(), threads);
        },
        "batch"_a, "ids"_a.noconvert(), "scores"_a.noconvert(), "threads"_a, "Best paths (eq:viterbi).");
    m.def(
        "beam",
        [](const BatchOf<F>& batch, std::size_t width, const Out<Label>& ids, const Out<double>& scores,
           const Out<std::uint8_t>& exact, const Out<std::int64_t>& dead, std::size_t threads) {
            const auto paths = parts(ids, batch.view(), positions<F>);
            Unlocked unlocked;
            beam<F>(batch.view(), width, paths.data(), scores.data(), exact.data(), dead.data(), threads);
        },
        "batch"_a, "width"_a, "ids"_a.noconvert(), "scores"_a.noconvert(), "exact"_a.noconvert(),
        "dead"_a.noconvert(), "threads"_a, "Good paths from the best few states of each position (eq:beam).");
    m.def(
        "path_score",
        [](const BatchOf<F>& batch, std::size_t i, const In<Label>& ids) {
            Unlocked unlocked;
            return path_score(batch.at(i), ids.data());
        },
        "batch"_a, "i"_a, "ids"_a.noconvert(), "Score of one path (eq:path-score).");
    m.def(
        "first_dead",
        [](const BatchOf<F>& batch, std::size_t i) {
            Unlocked unlocked;
            return first_dead(batch.at(i));
        },
        "batch"_a, "i"_a, "The first position that no legal path reaches, or -1.");
}

// Offset of each sequence's counts: 0 when all sequences share one array, otherwise one part after another.
template <class F>
std::vector<CountTarget> count_targets(seqlab::Batch<F> batch, const Out<double>& edge,
                                       const Out<double>& head1, const Out<double>& head2, bool shared,
                                       bool spread) {
    std::vector<CountTarget> targets;
    std::size_t at[3] = {0, 0, 0};
    for (const Trellis<F>& trellis : batch) {
        const std::size_t square = trellis.L * trellis.L, cube = square * trellis.L;
        const std::size_t size = trellis.order == 1 ? square : (trellis.order == 2 ? cube : cube * trellis.L);
        const bool apart = trellis.slab || spread;
        const std::size_t slabs = apart ? trellis.T - std::min(trellis.T, trellis.order) : std::size_t{1};
        targets.push_back({edge.data() + at[0],
                           apart ? size : 0,
                           {trellis.order > 1 ? head1.data() + at[1] : nullptr,
                            trellis.order > 2 ? head2.data() + at[2] : nullptr}});
        if (shared) continue;
        at[0] += size * slabs;
        at[1] += trellis.order > 1 ? square : 0;
        at[2] += trellis.order > 2 ? cube : 0;
    }
    return targets;
}

template <class F>
void bind_sums(nb::module_& m) {
    m.def(
        "log_partition",
        [](const BatchOf<F>& batch, const Out<double>& log_z, std::size_t threads) {
            Unlocked unlocked;
            log_partition<F>(batch.view(), log_z.data(), threads);
        },
        "batch"_a, "log_z"_a.noconvert(), "threads"_a, "Log of the sum over all paths (eq:log-partition).");
    m.def(
        "node_marginals",
        [](const BatchOf<F>& batch, const Out<F>& node, const Out<double>& log_z,
           const Out<std::uint8_t>& log_space, std::size_t threads) {
            const auto rows = parts(node, batch.view(), cells<F>);
            Unlocked unlocked;
            node_marginals<F>(batch.view(), rows.data(), log_z.data(), log_space.data(), threads);
        },
        "batch"_a, "node"_a.noconvert(), "log_z"_a.noconvert(), "log_space"_a.noconvert(), "threads"_a,
        "P(y_t) for every position (eq:node-marginal).");
    m.def(
        "expected_counts",
        [](const BatchOf<F>& batch, const std::optional<Out<F>>& node, const Out<double>& edge,
           const Out<double>& head1, const Out<double>& head2, bool shared, bool spread,
           const Out<double>& log_z, const Out<std::uint8_t>& log_space, std::size_t threads) {
            std::vector<F*> rows(batch.view().size(), nullptr);
            if (node) rows = parts(*node, batch.view(), cells<F>);
            const auto targets = count_targets(batch.view(), edge, head1, head2, shared, spread);
            Unlocked unlocked;
            if (targets.empty()) return;
            expected_counts<F>(batch.view(), rows.data(), targets.data(), shared, log_z.data(),
                               log_space.data(), threads);
        },
        "batch"_a, "node"_a.none(), "edge"_a.noconvert(), "head1"_a.noconvert(), "head2"_a.noconvert(),
        "shared"_a, "spread"_a, "log_z"_a.noconvert(), "log_space"_a.noconvert(), "threads"_a,
        "Marginals and expected moves (eq:expected-counts).");
    m.def(
        "entropy",
        [](const BatchOf<F>& batch, std::size_t i) {
            Unlocked unlocked;
            return entropy(batch.at(i));
        },
        "batch"_a, "i"_a, "Entropy of the distribution over paths, in nats (eq:entropy).");
    m.def(
        "span_probabilities",
        [](const BatchOf<F>& batch, const In<Label>& types, const In<std::uint8_t>& borders,
           const In<std::int64_t>& first, const In<std::int64_t>& begin, const In<std::int64_t>& end,
           const In<Label>& type, const Out<double>& probability, const Out<double>& log_z,
           std::size_t threads) {
            Unlocked unlocked;
            span_probabilities<F>(batch.view(), {types.data(), borders.data()},
                                  {first.data(), begin.data(), end.data(), type.data()}, probability.data(),
                                  log_z.data(), threads);
        },
        "batch"_a, "types"_a.noconvert(), "borders"_a.noconvert(), "first"_a.noconvert(),
        "begin"_a.noconvert(), "end"_a.noconvert(), "type"_a.noconvert(), "probability"_a.noconvert(),
        "log_z"_a.noconvert(), "threads"_a, "Probabilities of spans of types (eq:typed-span).");
}

template <class F>
void bind_definition(nb::module_& m) {
    const auto table = [&m](const char* name, Direction direction, const char* doc) {
        m.def(
            name,
            [direction](const BatchOf<F>& batch, Semiring semiring, const Out<double>& out,
                        std::size_t threads) {
                const auto tables = parts(out, batch.view(), states<F>);
                Unlocked unlocked;
                parallel_for(tables.size(), threads, [&](std::size_t i) {
                    message_table(batch.view()[i], direction, semiring, tables[i]);
                });
            },
            "batch"_a, "semiring"_a, "table"_a.noconvert(), "threads"_a, doc);
    };
    table("forward", Direction::forward, "Scores of all prefixes by their last labels (eq:forward).");
    table("backward", Direction::backward, "Scores of all suffixes by the last labels (eq:backward).");
}

template <class F>
void bind_draws(nb::module_& m) {
    m.def(
        "sample",
        [](const BatchOf<F>& batch, std::size_t n, std::uint64_t seed, const In<std::uint64_t>& streams,
           const Out<Label>& ids, const Out<double>& log_z, std::size_t threads) {
            const auto out =
                parts(ids, batch.view(), [n](const Trellis<F>& trellis) { return n * trellis.T; });
            Unlocked unlocked;
            sample<F>(batch.view(), n, seed, streams.data(), out.data(), log_z.data(), threads);
        },
        "batch"_a, "n"_a, "seed"_a, "streams"_a.noconvert(), "ids"_a.noconvert(), "log_z"_a.noconvert(),
        "threads"_a, "Paths drawn from the distribution over paths (eq:sample).");
    m.def(
        "filtered",
        [](const BatchOf<F>& batch, const Out<double>& node, const Out<double>& log_z, std::size_t threads) {
            const auto rows = parts(node, batch.view(), cells<F>);
            Unlocked unlocked;
            parallel_for(rows.size(), threads,
                         [&](std::size_t i) { log_z.data()[i] = filtered(batch.view()[i], rows[i]); });
        },
        "batch"_a, "node"_a.noconvert(), "log_z"_a.noconvert(), "threads"_a,
        "P(y_t | x_1..t) for every position (eq:filter).");
}

template <class F>
void bind_all(nb::module_& m) {
    bind_best<F>(m);
    bind_sums<F>(m);
    bind_draws<F>(m);
    bind_definition<F>(m);
}

}  // namespace

void bind_inference(nb::module_& m) {
    nb::enum_<Semiring>(m, "Semiring", "Sum or maximum over alternatives.")
        .value("log_sum", Semiring::log_sum)
        .value("max", Semiring::max);
    bind_all<float>(m);
    bind_all<double>(m);
    m.def("unjoined_count", &unjoined_count,
          "Number of long chains whose chunks could not be joined (eq:mixing).");
    m.def("fallback_count", &fallback_count, "Number of sequences recomputed in log space (eq:certificate).");
}

}  // namespace seqlab::bind
