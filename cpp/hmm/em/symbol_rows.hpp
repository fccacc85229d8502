// Tables with a row for every symbol, used by tokens that emit one symbol, several, or none.
#pragma once

#include <cstddef>

#include "base/numerics/buffer.hpp"
#include "kernels/kernels.hpp"

namespace seqlab {

// A (V, L) table with its rows padded for the kernels.
class SymbolTable {
public:
    SymbolTable(std::size_t V, std::size_t L);
    void load(const double* table);
    void clear();
    void add_to(double* table) const;

    // Compute node (to - from, L), which has row_lanes(L) numbers of spare memory after it: Σ value · row over the
    // symbols of each token.
    void gather(const RowList<double>& symbols, std::size_t from, std::size_t to, double* node) const;
    // Add value · gamma to the row of every symbol of each token; gamma has the same spare memory after it.
    void scatter(const RowList<double>& symbols, std::size_t from, std::size_t to, const double* gamma);
    // Prefetch the rows of these tokens' symbols, one sequence before they are used.
    void fetch(const RowList<double>& symbols, std::size_t from, std::size_t to) const;
    std::size_t lanes() const { return LP_; }

private:
    std::size_t V_, L_, LP_;
    Buffer<double> store_;
    double* rows_;
};

// Gather the scores of all tokens into node, and add gamma of all tokens to counts (V, L), block by block.
void symbol_scores(const double* table, std::size_t V, std::size_t L, const RowList<double>& symbols,
                   std::size_t tokens, double* node);
void symbol_counts(const double* gamma, std::size_t V, std::size_t L, const RowList<double>& symbols,
                   std::size_t tokens, double* counts);

}  // namespace seqlab
