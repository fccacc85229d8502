// The routines for one long chain in the table of an instruction set. Compiled once for each set (CMakeLists.txt).
#include "kernels/long/best_path.hpp"
#include "kernels/long/chain.hpp"
#include "kernels/long/chunked_best.hpp"
#include "kernels/long/chunked_sum.hpp"
#include "kernels/long/few_labels.hpp"

namespace seqlab::SEQLAB_ISA {

namespace {

// Vectors of 16 bytes hold two labels: not worth special code.
constexpr bool WIDE_VECTORS = VECTOR_BYTES > 16;

// Up to this many vectors per row Viterbi keeps back pointers, in bytes; beyond, it recomputes rows.
constexpr size_t POINTED = WIDE_VECTORS ? 2 : 0;

size_t padded(size_t L) {
    return (L + W<double> - 1) / W<double> * W<double>;
}

void forward_backward(const DenseEdges<double>& edges, size_t T, Chain<double>& chain, double* room,
                      double* E) {
    if constexpr (WIDE_VECTORS) {
        if (edges.LP == W<double>) {
            few_labels_forward_backward(edges, T, chain, E);
            if (chain.certified) return;  // otherwise repeat with a maximum for every row
        }
    }
    long_forward_backward(edges, T, chain, room, E);
}

void viterbi(const DenseEdges<double>& edges, size_t T, Chain<double>& chain, double* room,
             std::uint8_t* back) {
    if constexpr (WIDE_VECTORS) {
        if (edges.LP == W<double>) return few_labels_viterbi(edges, T, chain, room, back);
        if (edges.LP == 2 * W<double>) return pointed_viterbi<2>(edges, T, chain, room, back);
    }
    blocked_viterbi(edges, T, chain, room);
}

size_t chunked_room() {
    const auto ring = static_cast<size_t>(LONGEST_WARM_UP.ring);
    const size_t sum = ChunkedSum<double, 8, true>::room(ring),
                 best = ChunkedBest<double, 8, true>::room(ring);
    return sum > best ? sum : best;
}
size_t room(size_t L) {
    return long_chain_room(padded(L));
}
size_t viterbi_room(size_t L, size_t T) {
    const size_t LP = padded(L), B = block_length(LP);
    return (1 + B + T / B + 1) * LP;
}
size_t viterbi_bytes(size_t L, size_t T) {
    const size_t LP = padded(L);
    return LP / W<double> <= POINTED ? T * LP : 0;
}

template <class F>
void add_chunked(FloatKernels<F>& k) {
    k.chunked_room = chunked_room;
    k.chunked_forward_backward = chunked_forward_backward<F>;
    k.chunked_viterbi = chunked_viterbi<F>;
}

}  // namespace

void add_long_kernels(Kernels& k) {
    add_chunked(k.f32);
    add_chunked(k.f64);
    k.long_chain = {room, forward_backward, viterbi_room, viterbi_bytes, viterbi};
}

}  // namespace seqlab::SEQLAB_ISA
