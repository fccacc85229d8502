// A hidden Markov model of symbols as potentials (probabilities, not logs), for the kernel of chains of symbols.
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
    // The row of a symbol, divided by its largest entry; all ones for a token without a symbol (-1).
    const double* row(std::int32_t symbol) const { return rows_.data() + place(symbol) * LP_; }
    double shift(std::int32_t symbol) const { return shift_[place(symbol)]; }
    // Log of the divisor of the start probabilities.
    double start_shift() const { return start_shift_; }
    bool ends() const { return end_ != nullptr; }
    // The row of the last token of a sequence, times the probability to end in each state; returns the log of its
    // divisor.
    double last_row(std::int32_t symbol, double* row) const;

private:
    std::size_t place(std::int32_t symbol) const {
        return symbol < 0 ? V_ : static_cast<std::size_t>(symbol);
    }
    double fill(const double* logs, double* row) const;

    std::size_t V_, L_, LP_;
    DenseTable<double> moves_;
    std::vector<double> rows_, shift_, start_;
    const double *table_, *end_;  // logs, as given
    double start_shift_ = 0.0;
};

}  // namespace seqlab
