#include "hmm/em/symbol_potentials.hpp"

#include <algorithm>

namespace seqlab {

namespace {

constexpr double faintest =
    1e-300;  // smallest potential of a possible event: it never underflows to zero, as in the other kernels

}  // namespace

SymbolPotentials::SymbolPotentials(const ChainTables& tables, const double* table, std::size_t V,
                                   std::size_t L)
    : V_(V),
      L_(L),
      LP_(kernels().f64.padded(L)),
      moves_(DenseTable<double>::potentials(tables.edge, L)),
      rows_((V + 1) * LP_, 0.0),
      shift_(V + 1, 0.0),
      start_(LP_, 0.0),
      table_(table),
      end_(tables.end) {
    for (std::size_t v = 0; v < V; ++v) shift_[v] = fill(table + v * L, rows_.data() + v * LP_);
    std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(V * LP_), L, 1.0);
    start_shift_ = fill(tables.start, start_.data());
}

double SymbolPotentials::fill(const double* logs, double* row) const {
    const double shift = shift_of(logs, L_);
    kernels().f64.exp_row(row, logs, shift, faintest, L_);
    return shift;
}

double SymbolPotentials::last_row(std::int32_t symbol, double* row) const {
    std::vector<double> logs(end_, end_ + L_);
    for (std::size_t y = 0; symbol >= 0 && y < L_; ++y)
        logs[y] += table_[static_cast<std::size_t>(symbol) * L_ + y];
    std::fill(row + L_, row + LP_, 0.0);
    return fill(logs.data(), row);
}

SymbolEdges SymbolPotentials::edges(double* starts, double* ends) const {
    return {moves_.edges(), start_.data(), starts, ends};
}

}  // namespace seqlab
