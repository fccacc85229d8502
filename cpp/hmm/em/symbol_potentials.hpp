// A hidden Markov model of symbols in plain numbers, as the kernel of chains of symbols wants it.
#pragma once

#include <vector>

#include "base/numerics/buffer.hpp"
#include "hmm/em/chain_sums.hpp"
#include "inference/dense.hpp"

namespace seqlab {

class SymbolPotentials {
public:
    // table (V, L): log P(symbol | y)
    SymbolPotentials(const ChainTables& tables, const double* table, std::size_t V, std::size_t L);

    // starts, ends: (lanes) sums of first and last marginals
    SymbolEdges edges(double* starts, double* ends) const;
    std::size_t lanes() const { return LP_; }
    // The row of a symbol, divided by its largest entry; of ones for a token without a symbol (-1).
    const double* row(std::int32_t symbol) const { return rows_.data() + place(symbol) * LP_; }
    double shift(std::int32_t symbol) const { return shift_[place(symbol)]; }
    // What the start was divided by.
    double start_shift() const { return start_shift_; }
    // The row of the last token of a sequence, with the chance to end in it; what it was divided by comes back.
    bool ends() const { return end_ != nullptr; }
    double last_row(std::int32_t symbol, double* row) const;

private:
    std::size_t place(std::int32_t symbol) const {
        return symbol < 0 ? V_ : static_cast<std::size_t>(symbol);
    }
    double fill(const double* logs, double* row) const;

    std::size_t V_, L_, LP_;
    DenseTable<double> moves_;
    std::vector<double> rows_, shift_, start_;
    const double *table_, *end_;  // logs, as they came
    double start_shift_ = 0.0;
};

}  // namespace seqlab
