#include <memory>

#include "bind/batch.hpp"
#include "bind/linear/task.hpp"
#include "hmm/em/expectation.hpp"
#include "hmm/em/gaussian.hpp"
#include "hmm/em/k_means.hpp"

namespace seqlab::bind {

namespace {

using Doubles = In<double>;

// Sequences from Python, with the arrays that the E step reads kept alive.
struct KeptExpectation {
    std::unique_ptr<Expectation> pass;
    std::vector<nb::object> alive;
};

void set_up_expectation(KeptExpectation* self, const In<std::int64_t>& offset, std::size_t L,
                        const Maybe<double>& weight, const Maybe<std::uint8_t>& allowed, std::size_t order,
                        const KeptExpectation* beside) {
    const Expectation* const other = beside ? beside->pass.get() : nullptr;
    new (self) KeptExpectation{
        std::make_unique<Expectation>(span_of(offset), L, data_of(weight), data_of(allowed), order, other),
        {}};
    self->alive = {nb::cast(offset), nb::cast(weight), nb::cast(allowed)};
}

RowList<double> row_list(const In<std::int64_t>& begin, const In<std::int32_t>& symbols,
                         const Maybe<double>& values) {
    return {begin.data(), symbols.data(), data_of(values)};
}

// In order 2 and 3, head has the tables of the first positions.
ChainTables tables_of(const Doubles& start, const Doubles& edge, const Maybe<double>& end,
                      const std::vector<Doubles>& head) {
    ChainTables tables{start.data(), edge.data(), data_of(end)};
    for (std::size_t i = 0; i < head.size() && i < 2; ++i) tables.head[i] = head[i].data();
    return tables;
}

ChainSums sums_of(const Out<double>& starts, const Out<double>& edges, const Out<double>& ends,
                  const Out<double>& log_z, const std::vector<Out<double>>& heads) {
    ChainSums sums{starts.data(), edges.data(), ends.data(), log_z.data()};
    for (std::size_t i = 0; i < heads.size() && i < 2; ++i) sums.head[i] = heads[i].data();
    return sums;
}

void over_scores(KeptExpectation& self, const Doubles& start, const Doubles& edge, const Maybe<double>& end,
                 const std::vector<Doubles>& head, const Out<double>& node, const Out<double>& gamma,
                 const Out<double>& starts, const Out<double>& edges, const Out<double>& ends,
                 const std::vector<Out<double>>& heads, const Out<double>& log_z, std::size_t threads) {
    const ChainTables tables = tables_of(start, edge, end, head);
    const ChainSums sums = sums_of(starts, edges, ends, log_z, heads);
    Unlocked unlocked;
    self.pass->over_scores(tables, node.data(), gamma.data(), sums, threads);
}

void over_symbols(KeptExpectation& self, const Doubles& start, const Doubles& edge, const Maybe<double>& end,
                  const std::vector<Doubles>& head, const In<std::int64_t>& begin,
                  const In<std::int32_t>& symbols, const Maybe<double>& values, const Doubles& table,
                  const Out<double>& counts, const Out<double>& starts, const Out<double>& edges,
                  const Out<double>& ends, const std::vector<Out<double>>& heads, const Out<double>& log_z,
                  std::size_t threads, std::size_t number) {
    const ChainTables tables = tables_of(start, edge, end, head);
    const ChainSums sums = sums_of(starts, edges, ends, log_z, heads);
    Unlocked unlocked;
    self.pass->over_symbols(tables, row_list(begin, symbols, values), table.shape(0), table.data(),
                            counts.data(), sums, threads, number);
}

}  // namespace

void bind_em(nb::module_& m) {
    nb::class_<KeptExpectation>(m, "Expectation", "The E step of a hidden Markov model (eq:baum-welch).")
        .def("__init__", &set_up_expectation, "offset"_a.noconvert(), "L"_a, "weight"_a.none().noconvert(),
             "allowed"_a.none().noconvert(), "order"_a, "beside"_a.none())
        .def("over_scores", &over_scores, "start"_a.noconvert(), "edge"_a.noconvert(),
             "end"_a.none().noconvert(), "head"_a.noconvert(), "node"_a.noconvert(), "gamma"_a.noconvert(),
             "starts"_a.noconvert(), "edges"_a.noconvert(), "ends"_a.noconvert(), "heads"_a.noconvert(),
             "log_z"_a.noconvert(), "threads"_a)
        .def("over_symbols", &over_symbols, "start"_a.noconvert(), "edge"_a.noconvert(),
             "end"_a.none().noconvert(), "head"_a.noconvert(), "begin"_a.noconvert(), "symbols"_a.noconvert(),
             "values"_a.none().noconvert(), "table"_a.noconvert(), "counts"_a.noconvert(),
             "starts"_a.noconvert(), "edges"_a.noconvert(), "ends"_a.noconvert(), "heads"_a.noconvert(),
             "log_z"_a.noconvert(), "threads"_a, "number"_a);
    m.def(
        "symbol_scores",
        [](const Doubles& table, const In<std::int64_t>& begin, const In<std::int32_t>& symbols,
           const Maybe<double>& values, const Out<double>& node) {
            Unlocked unlocked;
            symbol_scores(table.data(), table.shape(0), table.shape(1), row_list(begin, symbols, values),
                          begin.size() - 1, node.data());
        },
        "table"_a.noconvert(), "begin"_a.noconvert(), "symbols"_a.noconvert(), "values"_a.none().noconvert(),
        "node"_a.noconvert(), "Sums of the rows of each token's symbols.");
    m.def(
        "symbol_counts",
        [](const Doubles& gamma, std::size_t L, const In<std::int64_t>& begin,
           const In<std::int32_t>& symbols, const Maybe<double>& values, const Out<double>& counts) {
            Unlocked unlocked;
            symbol_counts(gamma.data(), counts.size() / L, L, row_list(begin, symbols, values),
                          begin.size() - 1, counts.data());
        },
        "gamma"_a.noconvert(), "L"_a, "begin"_a.noconvert(), "symbols"_a.noconvert(),
        "values"_a.none().noconvert(), "counts"_a.noconvert(), "Expected counts of symbols.");
    m.def(
        "diagonal_scores",
        [](const Doubles& x, const Doubles& mean, const Doubles& precision, const Doubles& constant,
           const Out<double>& node) {
            Unlocked unlocked;
            diagonal_scores(x.data(), x.shape(1), x.shape(0), mean.data(), precision.data(), constant.data(),
                            mean.shape(0), node.data());
        },
        "x"_a.noconvert(), "mean"_a.noconvert(), "precision"_a.noconvert(), "constant"_a.noconvert(),
        "node"_a.noconvert(), "Log densities of Gaussians with independent dimensions; x is (D, T).");
    m.def(
        "diagonal_moments",
        [](const Doubles& x, const Doubles& gamma, const Doubles& mean, const Out<double>& first,
           const Out<double>& second) {
            Unlocked unlocked;
            diagonal_moments(x.data(), x.shape(1), x.shape(0), gamma.data(), mean.data(), mean.shape(0),
                             first.data(), second.data());
        },
        "x"_a.noconvert(), "gamma"_a.noconvert(), "mean"_a.noconvert(), "first"_a.noconvert(),
        "second"_a.noconvert(), "Weighted sums of x - mean and its square; x is (D, T).");
    m.def(
        "full_scores",
        [](const Doubles& x, const Doubles& mean, const Doubles& factor, const Doubles& constant,
           const Out<double>& node) {
            Unlocked unlocked;
            full_scores(x.data(), x.shape(1), x.shape(0), mean.data(), factor.data(), constant.data(),
                        mean.shape(0), node.data());
        },
        "x"_a.noconvert(), "mean"_a.noconvert(), "factor"_a.noconvert(), "constant"_a.noconvert(),
        "node"_a.noconvert(),
        "Log densities of Gaussians by triangular factors of their precisions; x is (D, T).");
    m.def(
        "full_moments",
        [](const Doubles& x, const Doubles& gamma, const Doubles& mean, const Out<double>& first,
           const Out<double>& second) {
            Unlocked unlocked;
            full_moments(x.data(), x.shape(1), x.shape(0), gamma.data(), mean.data(), mean.shape(0),
                         first.data(), second.data());
        },
        "x"_a.noconvert(), "gamma"_a.noconvert(), "mean"_a.noconvert(), "first"_a.noconvert(),
        "second"_a.noconvert(), "Weighted sums of x - mean and of its products; x is (D, T).");
    m.def(
        "k_means",
        [](const Doubles& x, const Doubles& sample, const Doubles& chance, std::size_t rounds, double still,
           std::size_t threads, const Out<std::int64_t>& cluster) {
            Unlocked unlocked;
            k_means({x.data(), x.shape(0), x.shape(1)}, {sample.data(), sample.shape(0), sample.shape(1)},
                    chance.data(), chance.shape(0), {chance.shape(1), rounds, still, threads},
                    cluster.data());
        },
        "x"_a.noconvert(), "sample"_a.noconvert(), "chance"_a.noconvert(), "rounds"_a, "still"_a, "threads"_a,
        "cluster"_a.noconvert(),
        "Clusters of vectors (eq:k-means); x and sample are (T, D), chance (runs, K).");
}

}  // namespace seqlab::bind
