// Trellises of any scores that the door lets in: finite, or -inf for what is forbidden.
#include <cmath>
#include <limits>

#include "inference/best.hpp"
#include "inference/marginals.hpp"
#include "inference/nbest.hpp"
#include "input.hpp"

using namespace seqlab;

namespace {

// Small whole numbers, large ones, any bits; not so large that probabilities have no digits, which the door says.
template <class F>
F score(fuzz::Input& input, std::uint8_t how) {
    if (how < 160) return static_cast<F>(input.number<std::int8_t>());
    if (how < 200) return -std::numeric_limits<F>::infinity();
    if (how < 230) return static_cast<F>(input.number<std::int16_t>()) * F{1000};
    const F any = input.number<F>();
    return std::isfinite(any) && std::abs(any) <= F{1e9F} ? any : F{0};
}

template <class F>
std::vector<F> scores(fuzz::Input& input, std::size_t count) {
    std::vector<F> made;
    while (made.size() < count) {
        const std::uint8_t how = input.number<std::uint8_t>();
        for (std::size_t run = 1 + how % 16; run > 0 && made.size() < count; --run)
            made.push_back(score<F>(input, how));
    }
    return made;
}

// A small trellis of any order: what all shapes have in common shows in small ones.
template <class F>
struct Made {
    std::size_t order, L, T;
    bool own;
    std::vector<F> node, edge;
    std::vector<std::int64_t> where, offset{0};
    std::vector<Label> ids;

    explicit Made(fuzz::Input& input)
        : order(1 + input.below(3)),
          L(1 + input.below(most_labels[order - 1])),
          T(input.below(12)),
          own(input.yes() && T > order) {
        node = scores<F>(input, T * L);
        edge = scores<F>(input, (own ? T - order : 1) * moves());
        constrain(input);
    }
    std::size_t moves() const {
        std::size_t all = L;
        for (std::size_t i = 0; i < order; ++i) all *= L;
        return all;
    }
    Trellis<F> trellis() const {
        return {T,
                L,
                order,
                node.data(),
                edge.data(),
                own ? moves() : 0,
                {nullptr, nullptr},
                nullptr,
                where.size(),
                where.data(),
                offset.data(),
                ids.data()};
    }

private:
    static constexpr std::size_t most_labels[] = {16, 4, 3};

    void constrain(fuzz::Input& input) {
        for (std::size_t t = 0; t < T && input.below(3) == 0; t += 1 + input.below(4)) {
            for (std::size_t y = input.below(3); y < L; y += 1 + input.below(3))
                ids.push_back(static_cast<Label>(y));
            if (ids.size() == static_cast<std::size_t>(offset.back())) continue;
            where.push_back(static_cast<std::int64_t>(t));
            offset.push_back(static_cast<std::int64_t>(ids.size()));
        }
    }
};

// Returns the score of the best path.
template <class F>
double check_best(const Trellis<F>& trellis) {
    std::vector<Label> path(trellis.T, -1);
    Label* const paths[] = {path.data()};
    constexpr double never = -std::numeric_limits<double>::infinity();
    double best = 0, log_z = 0;
    viterbi<F>({&trellis, 1}, paths, &best, 1);
    log_partition<F>({&trellis, 1}, &log_z, 1);
    fuzz::law(!std::isnan(best) && !std::isnan(log_z), "scores of paths are numbers");
    fuzz::law((best == never) == (log_z == never), "both know whether there is a path");
    fuzz::law(log_z >= best - 1e-5 * (1 + std::abs(best)), "the sum is no less than its largest part");
    if (best == never) return best;
    for (const Label y : path)
        fuzz::law(y >= 0 && static_cast<std::size_t>(y) < trellis.L, "labels are numbers of labels");
    fuzz::law(path_score(trellis, path.data()) >= best - 1e-4 * (1 + std::abs(best)),
              "the best path has its score");
    return best;
}

template <class F>
void check_nbest(const Trellis<F>& trellis, double best) {
    std::vector<Label> path(trellis.T, -1);
    NBest<F> all(trellis);
    double score = 0;
    const bool any = all.next(path.data(), &score);
    fuzz::law(any == std::isfinite(best), "the first of the best paths is there");
    for (std::size_t n = 0; any && n < 5; ++n) {
        const double before = score;
        if (!all.next(path.data(), &score)) break;
        fuzz::law(score <= before, "the best paths come in their order");
    }
}

template <class F>
void check_marginals(const Trellis<F>& trellis) {
    std::vector<F> gamma(trellis.T * trellis.L);
    F* const rows[] = {gamma.data()};
    double log_z = 0;
    std::uint8_t log_space = 0;
    node_marginals<F>({&trellis, 1}, rows, &log_z, &log_space, 1);
    for (std::size_t t = 0; t < trellis.T; ++t) {
        double sum = 0;
        for (std::size_t y = 0; y < trellis.L; ++y) sum += static_cast<double>(gamma[t * trellis.L + y]);
        fuzz::law(std::abs(sum - 1) < 1e-3, "the probabilities of a position sum to one");
    }
}

// The best path and the sum of all; then one of two other questions, for which a bit decides.
template <class F>
void ask(fuzz::Input& input) {
    const bool list = input.yes();
    const Made<F> made(input);
    const Trellis<F> trellis = made.trellis();
    const double best = check_best(trellis);
    if (list)
        check_nbest(trellis, best);
    else if (std::isfinite(best))
        check_marginals(trellis);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    input.yes() ? ask<float>(input) : ask<double>(input);
    return 0;
}
