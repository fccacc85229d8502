#include "hmm/em/histories.hpp"

#include "inference/count_paths.hpp"

namespace seqlab {

namespace {

// List the labels of finite score for the tokens that do not have them all; false when a token has none.
bool list_labels(const double* node, std::size_t T, std::size_t L, Histories::Lists& lists) {
    lists.where.clear();
    lists.offset.assign(1, 0);
    lists.ids.clear();
    for (std::size_t t = 0; t < T; ++t) {
        const std::size_t first = lists.ids.size();
        for (std::size_t y = 0; y < L; ++y)
            if (node[t * L + y] > IMPOSSIBLE) lists.ids.push_back(static_cast<Label>(y));
        const std::size_t found = lists.ids.size() - first;
        if (found == 0) return false;
        if (found == L) {
            lists.ids.resize(first);
            continue;
        }
        lists.where.push_back(static_cast<std::int64_t>(t));
        lists.offset.push_back(static_cast<std::int64_t>(lists.ids.size()));
    }
    return true;
}

// Number of transitions in a trellis.
std::size_t transitions(const Trellis<double>& trellis) {
    const Steps<double> steps(trellis);
    std::size_t sum = 0;
    for (std::size_t t = 1; t < trellis.T; ++t) {
        const Step step = steps.into(t);
        sum += step.before() * step.to;
    }
    return sum;
}

}  // namespace

Histories::Histories(const ChainTables& tables, std::size_t L, std::size_t order) {
    trellis_.L = L;
    trellis_.order = order;
    trellis_.edge = tables.edge;
    for (std::size_t i = 0; i < 2; ++i) trellis_.head[i] = tables.head[i];
    linear_ = linear_edges(trellis_);
}

// eq:expected-counts of one sequence
double Histories::add(const double* node, std::size_t T, double* gamma, const CountTarget& target,
                      Lists& lists) const {
    if (!list_labels(node, T, trellis_.L, lists)) return IMPOSSIBLE;
    Trellis<double> trellis = trellis_;
    trellis.T = T;
    trellis.node = node;
    trellis.restricted = lists.where.size();
    trellis.where = lists.where.data();
    trellis.offset = lists.offset.data();
    trellis.ids = lists.ids.data();
    // Scaled numbers are tried on counts of their own, a whole tensor; where few transitions are possible, logs are
    // cheaper than that.
    const bool many = transitions(trellis) * 4 >= tensor_size(trellis.L, trellis.order + 1);
    return sum_over_paths<double>(trellis, gamma, target, many ? &linear_ : nullptr, nullptr, many);
}

}  // namespace seqlab
