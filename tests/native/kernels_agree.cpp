// Inference by every kernel set of this machine against the definition, on random trellises, without Python: for machines
// that are only emulated here (`make arm`). tests/agreement/test_definition.py asks more, and runs everywhere else.
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "inference/best.hpp"
#include "inference/definition/backward.hpp"
#include "inference/marginals.hpp"
#include "kernels/kernels.hpp"

namespace {

using namespace seqlab;

struct Shape {
    const char* name;
    std::size_t T, L, order;
    double holes, scale;
    bool own_edges, lists;  // edges for each position; lists of allowed labels
};
// What decides which code runs: order, edges, lists, width of a row, length.
constexpr Shape SHAPES[] = {
    {"part of a vector", 24, 3, 1, 0.0, 1.0, false, false},
    {"some vectors", 24, 9, 1, 0.0, 1.0, false, false},
    {"many vectors", 24, 45, 1, 0.0, 1.0, false, false},
    {"impossible moves", 24, 9, 1, 0.4, 1.0, false, false},
    {"scaling refused", 24, 9, 1, 0.0, 500.0, false, false},
    {"lists of labels", 24, 9, 1, 0.0, 1.0, false, true},
    {"edges for each position", 24, 9, 1, 0.3, 1.0, true, false},
    {"order 2", 12, 5, 2, 0.0, 1.0, false, false},
    {"order 3", 9, 4, 3, 0.2, 1.0, false, false},
    {"long, few labels", 1031, 4, 1, 0.0, 1.0, false, false},
    {"long", 1031, 17, 1, 0.2, 1.0, false, false},
    {"long, in chunks", 8195, 5, 1, 0.0, 1.0, false, false},
};
constexpr double NEVER = -std::numeric_limits<double>::infinity();

template <class F>
struct Tables {
    std::vector<F> node, edge;
    std::vector<std::int64_t> where, offset{0};
    std::vector<Label> ids;
    Trellis<F> trellis;

    Tables(const Shape& shape, unsigned seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal(0.0, shape.scale);
        std::bernoulli_distribution hole(shape.holes);
        std::size_t moves = shape.L;
        for (std::size_t i = 0; i < shape.order; ++i) moves *= shape.L;
        const std::size_t slabs = shape.own_edges ? shape.T - shape.order : 1;
        for (std::size_t i = 0; i < shape.T * shape.L; ++i) node.push_back(static_cast<F>(normal(random)));
        for (std::size_t i = 0; i < slabs * moves; ++i) {
            const bool open = !hole(random) || i % (shape.L + 1) == 0;  // label y may always follow itself
            edge.push_back(static_cast<F>(open ? normal(random) : NEVER));
        }
        if (shape.lists)
            for (std::size_t t = 2; t < shape.T; t += 3) {
                where.push_back(static_cast<std::int64_t>(t));
                for (std::size_t y = t % 2; y < shape.L; y += 2) ids.push_back(static_cast<Label>(y));
                offset.push_back(static_cast<std::int64_t>(ids.size()));
            }
        trellis = {shape.T,
                   shape.L,
                   shape.order,
                   node.data(),
                   edge.data(),
                   shape.own_edges ? moves : 0,
                   {nullptr, nullptr},
                   where.size(),
                   where.data(),
                   offset.data(),
                   ids.data()};
    }
};

double sum_of(const definition::Row& row) {
    double total = NEVER;
    for (const double x : row) total = definition::LogSum::plus(total, x);
    return total;
}

// The largest distance from the definition, in units of the tolerance.
template <class F>
double distance(const Shape& shape, unsigned seed) {
    const Tables<F> tables(shape, seed);
    const Trellis<F>& one = tables.trellis;
    const Steps<F> steps(one);
    const auto alpha = definition::forward<definition::LogSum>(steps);
    const auto beta = definition::backward<definition::LogSum>(steps);
    const auto delta = definition::forward<definition::Max>(steps);
    const double log_z = sum_of(alpha.back());
    const double best = *std::max_element(delta.back().begin(), delta.back().end());
    std::vector<double> gamma(one.T * one.L, 0.0);  // eq:node-marginal
    for (std::size_t t = 0; t < one.T; ++t)
        for (std::size_t state = 0; state < alpha[t].size(); ++state)
            gamma[t * one.L + static_cast<std::size_t>(steps.label_of(t, state, 0))] +=
                std::exp(alpha[t][state] + beta[t][state] - log_z);

    // Seven of one length: kernels run sentences that share their edges in groups of 4, 2 and 1.
    const std::vector<Trellis<F>> batch(7, one);
    const std::size_t moves = tables.edge.size() / (one.slab ? one.T - one.order : 1);
    std::vector<double> sums(7), scores(7);
    std::vector<std::vector<F>> nodes(7, std::vector<F>(gamma.size())), counted = nodes;
    std::vector<std::vector<Label>> best_paths(7, std::vector<Label>(one.T));
    std::vector<std::vector<double>> edges(7, std::vector<double>(tables.edge.size())), heads1 = edges,
                                                                                        heads2 = edges;
    std::vector<F*> node_rows, counted_rows;
    std::vector<Label*> paths;
    std::vector<CountTarget> targets;
    for (std::size_t i = 0; i < 7; ++i) {
        node_rows.push_back(nodes[i].data());
        counted_rows.push_back(counted[i].data());
        paths.push_back(best_paths[i].data());
        targets.push_back({edges[i].data(), one.slab ? moves : 0, {heads1[i].data(), heads2[i].data()}});
    }
    std::vector<std::uint8_t> log_space(7);
    std::vector<double> marginal_sums(7), counted_sums(7);
    log_partition<F>(batch, sums.data(), 2);
    node_marginals<F>(batch, node_rows.data(), marginal_sums.data(), log_space.data(), 2);
    expected_counts<F>(batch, counted_rows.data(), targets.data(), false, counted_sums.data(),
                       log_space.data(), 2);
    viterbi<F>(batch, paths.data(), scores.data(), 2);

    const bool single = sizeof(F) == 4;
    const double relative = single ? 1e-5 : 1e-12;
    const double rounding =
        8.0 * std::numeric_limits<double>::epsilon() * std::abs(log_z);  // of large scores
    const double absolute = (single ? 2e-4 : 1e-13 * static_cast<double>(one.T)) + rounding;
    double worst = 0.0;
    const auto compare = [&](double found, double wanted) {
        const double far = std::abs(found - wanted) / (relative * std::max(1.0, std::abs(wanted)) + absolute);
        worst = far <= worst ? worst : far;  // not a number counts
    };
    for (std::size_t i = 0; i < 7; ++i) {
        for (const double sum : {sums[i], marginal_sums[i], counted_sums[i]}) compare(sum, log_z);
        compare(scores[i], best);
        compare(path_score(one, paths[i]), best);
        double steps_made = 0.0;  // eq:expected-counts: every path makes T - order moves
        for (const double count : edges[i]) steps_made += count;
        compare(steps_made, static_cast<double>(one.T - one.order));
        for (std::size_t k = 0; k < gamma.size(); ++k) {
            compare(static_cast<double>(nodes[i][k]), gamma[k]);
            compare(static_cast<double>(counted[i][k]), gamma[k]);
        }
    }
    return worst;
}

}  // namespace

int main() {
    int wrong = 0;
    for (const std::string& kernel : kernel_names()) {
        use_kernels(kernel);
        double widest = 0.0;
        for (const Shape& shape : SHAPES)
            for (unsigned seed = 1; seed <= 3; ++seed)
                for (const double far : {distance<float>(shape, seed), distance<double>(shape, seed)}) {
                    widest = far <= widest ? widest : far;
                    if (far <= 1.0) continue;
                    ++wrong;
                    std::printf("%s: %s, seed %u: %g times the tolerance\n", kernel.c_str(), shape.name, seed,
                                far);
                }
        std::printf("%s: %zu shapes, widest distance from the definition %.2g of the tolerance\n",
                    kernel.c_str(), std::size(SHAPES), widest);
    }
    return wrong ? 1 : 0;
}
