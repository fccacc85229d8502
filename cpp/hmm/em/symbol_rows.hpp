// Tables with a row for every symbol, used by tokens that emit one symbol, several, or none.
#pragma once

#include <cstddef>

#include "base/numerics/buffer.hpp"
#include "kernels/kernels.hpp"

namespace seqlab {

// (V, L) in rows as the kernels want them.
class SymbolTable {
public:
    SymbolTable(std::size_t V, std::size_t L);
    void load(const double* table);
    void clear();
    void add_to(double* table) const;

    // node (to - from, L), with row_lanes(L) numbers of room behind it: Σ value · row over the symbols of each token.
    void gather(const RowList<double>& symbols, std::size_t from, std::size_t to, double* node) const;
    // row += value · gamma, for the symbols of each token; the same room behind gamma.
    void scatter(const RowList<double>& symbols, std::size_t from, std::size_t to, const double* gamma);
    // The rows of these tokens' symbols come into the cache: asked for a sequence ahead of its use, they are there then.
    void fetch(const RowList<double>& symbols, std::size_t from, std::size_t to) const;
    std::size_t lanes() const { return LP_; }

private:
    std::size_t V_, L_, LP_;
    Buffer<double> store_;
    double* rows_;
};

// The same for all tokens at one time, block by block: node is set, counts (V, L) is added to.
void symbol_scores(const double* table, std::size_t V, std::size_t L, const RowList<double>& symbols,
                   std::size_t tokens, double* node);
void symbol_counts(const double* gamma, std::size_t V, std::size_t L, const RowList<double>& symbols,
                   std::size_t tokens, double* counts);

}  // namespace seqlab
