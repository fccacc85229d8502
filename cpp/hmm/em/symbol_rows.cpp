#include "hmm/em/symbol_rows.hpp"

#include <algorithm>

namespace seqlab {

namespace {

constexpr std::size_t TOKENS = 512;  // their rows stay in the cache between gather and use

}  // namespace

SymbolTable::SymbolTable(std::size_t V, std::size_t L)
    : V_(V), L_(L), LP_(kernels().of<double>().row_lanes(L)), rows_(store_.of(V * LP_ + LP_)) {}

void SymbolTable::load(const double* table) {
    for (std::size_t v = 0; v < V_; ++v) {
        std::copy_n(table + v * L_, L_, rows_ + v * LP_);
        std::fill(rows_ + v * LP_ + L_, rows_ + (v + 1) * LP_, 0.0);
    }
}

void SymbolTable::clear() {
    std::fill(rows_, rows_ + V_ * LP_, 0.0);
}

void SymbolTable::add_to(double* table) const {
    for (std::size_t v = 0; v < V_; ++v)
        for (std::size_t y = 0; y < L_; ++y) table[v * L_ + y] += rows_[v * LP_ + y];
}

void SymbolTable::gather(const RowList<double>& symbols, std::size_t from, std::size_t to,
                         double* node) const {
    kernels().of<double>().gather_rows(rows_, LP_, L_, symbols, from, to, node);
}

void SymbolTable::scatter(const RowList<double>& symbols, std::size_t from, std::size_t to,
                          const double* gamma) {
    kernels().of<double>().scatter_rows(rows_, LP_, L_, symbols, from, to, gamma);
}

void SymbolTable::fetch(const RowList<double>& symbols, std::size_t from, std::size_t to) const {
    constexpr std::size_t LINE = 64 / sizeof(double);
    for (std::int64_t i = symbols.begin[from]; i < symbols.begin[to]; ++i) {
        const double* const row = rows_ + static_cast<std::size_t>(symbols.row[i]) * LP_;
        for (std::size_t y = 0; y < LP_; y += LINE) __builtin_prefetch(row + y);
    }
}

void symbol_scores(const double* table, std::size_t V, std::size_t L, const RowList<double>& symbols,
                   std::size_t tokens, double* node) {
    const PinKernels pin(kernels());
    SymbolTable rows(V, L);
    rows.load(table);
    Buffer<double> room;
    double* const some = room.of(TOKENS * L + rows.lanes());
    for (std::size_t from = 0; from < tokens; from += TOKENS) {
        const std::size_t to = std::min(tokens, from + TOKENS);
        rows.gather(symbols, from, to, some);
        std::copy_n(some, (to - from) * L, node + from * L);
    }
}

void symbol_counts(const double* gamma, std::size_t V, std::size_t L, const RowList<double>& symbols,
                   std::size_t tokens, double* counts) {
    const PinKernels pin(kernels());
    SymbolTable rows(V, L);
    rows.clear();
    Buffer<double> room;
    double* const some = room.of(TOKENS * L + rows.lanes());
    std::fill(some, some + TOKENS * L + rows.lanes(), 0.0);
    for (std::size_t from = 0; from < tokens; from += TOKENS) {
        const std::size_t to = std::min(tokens, from + TOKENS);
        std::copy_n(gamma + from * L, (to - from) * L, some);
        rows.scatter(symbols, from, to, some);
    }
    rows.add_to(counts);
}

}  // namespace seqlab
