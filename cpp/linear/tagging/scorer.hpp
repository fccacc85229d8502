// Node scores of a linear model: from the attributes of tokens to one row of L numbers each.
//
// eq:linear-score   node_t(y) = Σ_a value_ta · w(a, y)
#pragma once

#include <cstddef>

#include "linear/data/feature_rows.hpp"
#include "linear/data/weight_table.hpp"

namespace seqlab {

template <class F>
class Scorer {
public:
    // The arrays behind observed must outlive this; weights (one per pair) are copied.
    Scorer(const Observed& observed, const double* weights, std::size_t L);

    std::size_t L() const { return plan_.labels(); }
    // node (tokens, L) is overwritten.
    void operator()(const Entries& entries, F* node, std::size_t threads) const;

private:
    struct Room;

    void score(const Entries& entries, std::size_t from, std::size_t to, Room& room, F* node) const;

    Observed observed_;
    RowPlan plan_;
    WeightTable<F> weights_;
};

}  // namespace seqlab
