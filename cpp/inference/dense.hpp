// Shared first-order edges prepared for the dense kernels, and the choice of a kernel for each sequence.
#pragma once

#include <atomic>
#include <cmath>

#include "base/numerics/buffer.hpp"
#include "base/parallel/poll.hpp"
#include "inference/scaled.hpp"
#include "kernels/kernels.hpp"
#include "trellis/trellis.hpp"

namespace seqlab {

template <class F>
class DenseTable {
public:
    // exp(edge - largest), padded with zeros; G is the type of the stored scores
    template <class G>
    static DenseTable potentials(const G* edge, std::size_t L) {
        DenseTable table(L, F{0});
        const double shift = shift_of(edge, L * L);
        F* M = table.store_.of(0);
        for (std::size_t a = 0; a < L; ++a) {
            F* const row = M + a * table.edges_.LP;
            for (std::size_t y = 0; y < L; ++y) row[y] = static_cast<F>(edge[a * L + y]);
            kernels().of<F>().exp_row(row, row, static_cast<F>(shift), Limits<F>::faintest_edge, L);
            for (std::size_t y = 0; y < L; ++y)
                table.lossless_ &= row[y] >= Limits<F>::least || row[y] == F{0};
        }
        table.edges_.shift = shift;
        table.transpose();
        return table;
    }

    // the scores themselves, padded with -inf
    template <class G>
    static DenseTable scores(const G* edge, std::size_t L) {
        DenseTable table(L, -std::numeric_limits<F>::infinity());
        F* M = table.store_.of(0);
        for (std::size_t a = 0; a < L; ++a)
            for (std::size_t y = 0; y < L; ++y) M[a * table.edges_.LP + y] = static_cast<F>(edge[a * L + y]);
        table.transpose();
        return table;
    }

    const DenseEdges<F>& edges() const { return edges_; }
    // True if no allowed edge underflowed, or nearly so, in exp: the forward-only certificate requires it.
    bool lossless() const { return lossless_; }

private:
    DenseTable(std::size_t L, F padding) {
        const std::size_t LP = kernels().of<F>().padded(L);
        F* M = store_.of(2 * LP * LP);
        std::fill(M, M + 2 * LP * LP, padding);
        edges_ = {L, LP, M, M + LP * LP, 0.0};
    }
    // In tiles: written row by row, a table of 500 labels would miss the cache at every entry.
    void transpose() {
        constexpr std::size_t TILE = 16;
        const std::size_t L = edges_.L, LP = edges_.LP;
        F* M = store_.of(0);
        F* MT = M + LP * LP;
        for (std::size_t a0 = 0; a0 < L; a0 += TILE)
            for (std::size_t y0 = 0; y0 < L; y0 += TILE)
                for (std::size_t a = a0; a < std::min(L, a0 + TILE); ++a)
                    for (std::size_t y = y0; y < std::min(L, y0 + TILE); ++y) MT[y * LP + a] = M[a * LP + y];
    }

    Buffer<F> store_;
    DenseEdges<F> edges_{};
    bool lossless_ = true;
};

// Sentences run in lockstep with their rows in cache; chains longer than this run alone in the long kernels. The rule
// depends on the chain only, never on the other sequences, so that a batch gives the same bits as single calls.
template <class F>
bool is_long(std::size_t T, std::size_t L) {
    return T > 1024 || (T > 64 && T * kernels().of<F>().padded(L) * sizeof(F) > (std::size_t{1} << 18));
}

inline bool in_chunks(std::size_t T, std::size_t L) {
    return L <= CHUNKED_LABELS && T >= CHUNKED_LENGTH;
}
// Number of chains whose division into chunks failed: the chunks did not join (eq:mixing), or eq:certificate
// failed.
inline std::atomic<std::size_t>& unjoined() {
    static std::atomic<std::size_t> count{0};
    return count;
}

template <class F>
Chain<F> chain_of(const Trellis<F>& trellis) {
    Chain<F> chain{};
    chain.node = trellis.node;
    chain.node_end = trellis.node + trellis.T * trellis.L;
    return chain;
}

// A long chain for its kernels, in float64: float32 scores are copied, and marginals are rounded when they are written
// back.
template <class F>
class WideChain {
public:
    WideChain(const Trellis<F>& trellis, const Chain<F>& asked) : size_(trellis.T * trellis.L) {
        chain_.path = asked.path;
        if constexpr (sizeof(F) == 8) {
            chain_.node = asked.node;
            chain_.node_end = asked.node_end;
            chain_.gamma = asked.gamma;
        } else {
            double* const node = node_.of(size_);
            copy(asked.node, node);
            chain_.node = node;
            chain_.node_end = node + size_;
            if (asked.gamma) make_gamma();
        }
    }
    Chain<double>& chain() { return chain_; }
    void make_gamma() {
        if (chain_.gamma) return;
        gamma_.resize(size_);
        chain_.gamma = gamma_.data();
    }
    void answer(Chain<F>& asked) const {
        asked.log_z = chain_.log_z;
        asked.scored = chain_.scored;
        asked.certified = chain_.certified;
        if constexpr (sizeof(F) == 4)
            if (asked.gamma) copy(gamma_.data(), asked.gamma);
    }

private:
    // In pieces, and poll() before each.
    template <class From, class To>
    void copy(const From* from, To* to) const {
        constexpr std::size_t PIECE = std::size_t{1} << 20;
        for (std::size_t at = 0; at < size_; at += PIECE) {
            poll();
            for (std::size_t i = at; i < std::min(at + PIECE, size_); ++i) to[i] = static_cast<To>(from[i]);
        }
    }

    std::size_t size_;
    Chain<double> chain_{};
    Buffer<double> node_;
    std::vector<double> gamma_;
};

}  // namespace seqlab
