// Puts the routines of one instruction set into its table. Included last by each file of this folder.
#pragma once

#include "kernels/long/best_path.hpp"
#include "kernels/long/chain.hpp"
#include "kernels/long/chunked_best.hpp"
#include "kernels/long/chunked_sum.hpp"
#include "kernels/long/history.hpp"
#include "kernels/rows/by_vectors.hpp"
#include "kernels/rows/primitives.hpp"
#include "kernels/rows/weight_rows.hpp"
#include "kernels/sentence/best_path.hpp"
#include "kernels/sentence/choice.hpp"
#include "kernels/sentence/few_labels.hpp"
#include "kernels/sentence/lockstep.hpp"
#include "kernels/sentence/symbol_lockstep.hpp"

namespace seqlab::SEQLAB_ISA {

template <class F>
size_t padded(size_t L) {
    return (L + W<F> - 1) / W<F> * W<F>;
}

// Call f with the row width as a constant where it is small (0: any width) and the number of chains.
template <class F, template <class, size_t, size_t> class Routine, class... Args>
void with_shape(size_t LP, size_t S, Args... args) {
    switch (LP / W<F> * 8 + S) {
#define SEQLAB_CASE(NV)                         \
    case NV * 8 + 1:                            \
        return Routine<F, NV, 1>::run(args...); \
    case NV * 8 + 2:                            \
        return Routine<F, NV, 2>::run(args...); \
    case NV * 8 + 4:                            \
        return Routine<F, NV, 4>::run(args...);
        SEQLAB_CASE(1)
        SEQLAB_CASE(2)
        SEQLAB_CASE(3)
        SEQLAB_CASE(4)
#undef SEQLAB_CASE
        default:
            break;
    }
    if (S == 1) return Routine<F, 0, 1>::run(args...);
    if (S == 2) return Routine<F, 0, 2>::run(args...);
    return Routine<F, 0, 4>::run(args...);
}

template <class F, size_t NV, size_t S>
struct ForwardBackward {
    static void run(const DenseEdges<F>* edges, size_t T, Chain<F>* chain, F* room, F* E) {
        lockstep_forward_backward<F, NV, S>(*edges, T, chain, room, E);
    }
};
template <class F, size_t NV, size_t S>
struct Forward {
    static void run(const DenseEdges<F>* edges, size_t T, Chain<F>* chain, F* room) {
        lockstep_forward<F, NV, S>(*edges, T, chain, room);
    }
};
template <class F, size_t NV, size_t S>
struct Viterbi {
    static void run(const DenseEdges<F>* edges, size_t T, Chain<F>* chain, F* room) {
        lockstep_viterbi<F, NV, S>(*edges, T, chain, room);
    }
};
template <class F, size_t NV>
struct LongForwardBackward {
    static void run(const DenseEdges<double>& edges, size_t T, Chain<F>& chain, double* room, double* E) {
        if constexpr (NV == 1) {
            if (edges.L == edges.LP) {
                few_labels_forward_backward<F, true>(edges, T, chain, E);
            } else {
                few_labels_forward_backward<F, false>(edges, T, chain, E);
            }
            if (chain.certified) return;  // else once more, with a maximum for every row
        }
        long_forward_backward<F, NV>(edges, T, chain, room, E);
    }
};

// Up to this many vectors a row the long Viterbi keeps back pointers, in bytes; beyond, it makes rows again.
inline constexpr size_t POINTED = 2;

template <class F, size_t NV>
struct LongViterbi {
    static void run(const DenseEdges<double>& edges, size_t T, Chain<F>& chain, double* room,
                    std::uint8_t* back) {
        if constexpr (NV == 1) {
            if (edges.L == edges.LP) return few_labels_viterbi<F, true>(edges, T, chain, room, back);
            few_labels_viterbi<F, false>(edges, T, chain, room, back);
        } else if constexpr (NV >= 1 && NV <= POINTED) {
            pointed_viterbi<F, NV>(edges, T, chain, room, back);
        } else {
            stretched_viterbi<F, NV>(edges, T, chain, room);
        }
    }
};

template <class F>
void run_forward_backward(const DenseEdges<F>& edges, size_t T, Chain<F>* chain, size_t S, F* room, F* E) {
    with_shape<F, ForwardBackward>(edges.LP, S, &edges, T, chain, room, E);
}
inline void run_symbols(const SymbolEdges& model, size_t T, SymbolChain* chain, size_t S, double* room,
                        double* E) {
    with_shape<double, Symbols>(model.edges.LP, S, &model, T, chain, room, E);
}
template <class F>
void run_forward(const DenseEdges<F>& edges, size_t T, Chain<F>* chain, size_t S, F* room) {
    with_shape<F, Forward>(edges.LP, S, &edges, T, chain, room);
}
template <class F>
void run_viterbi(const DenseEdges<F>& edges, size_t T, Chain<F>* chain, size_t S, F* room) {
    with_shape<F, Viterbi>(edges.LP, S, &edges, T, chain, room);
}
template <class F>
void run_long_forward_backward(const DenseEdges<double>& edges, size_t T, Chain<F>& chain, double* room,
                               double* E) {
    by_vectors<F, LongForwardBackward>(edges.LP / W<double>, edges, T, chain, room, E);
}
template <class F>
void run_long_viterbi(const DenseEdges<double>& edges, size_t T, Chain<F>& chain, double* room,
                      std::uint8_t* back) {
    by_vectors<F, LongViterbi>(edges.LP / W<double>, edges, T, chain, room, back);
}

template <class F>
size_t pair_room(size_t L, size_t T, size_t S) {
    return (3 * T + 1) * S * padded<F>(L) + T * S;
}
template <class F>
size_t forward_room(size_t L, size_t S) {
    return 3 * S * padded<F>(L);
}
template <class F>
size_t viterbi_room(size_t L, size_t T, size_t S) {
    return (T * S + 1) * padded<F>(L);
}
inline size_t chunked_room() {
    const auto ring = static_cast<size_t>(LONGEST_WARM_UP.ring);
    const size_t sum = ChunkedSum<double, 8, true>::room(ring),
                 best = ChunkedBest<double, 8, true>::room(ring);
    return sum > best ? sum : best;
}
inline size_t long_room(size_t L) {
    return long_chain_room(padded<double>(L));
}
inline size_t long_viterbi_room(size_t L, size_t T) {
    const size_t LP = padded<double>(L), B = stretch(LP);
    return (1 + B + T / B + 1) * LP;
}
inline size_t long_viterbi_bytes(size_t L, size_t T) {
    const size_t LP = padded<double>(L);
    return LP / W<double> <= POINTED ? T * LP : 0;
}

template <class F>
FloatKernels<F> float_table() {
    FloatKernels<F> k{};
    k.max_step = step<F, MaxPlus>;
    k.sum_step = step<F, SumTimes>;
    k.sum_back = sum_back<F>;
    k.exp_row = exp_row<F>;
    k.padded = padded<F>;
    k.pair_room = pair_room<F>;
    k.forward_backward = run_forward_backward<F>;
    k.forward_room = forward_room<F>;
    k.forward = run_forward<F>;
    k.viterbi_room = viterbi_room<F>;
    k.viterbi = run_viterbi<F>;
    k.chunked_room = chunked_room;
    k.chunked_forward_backward = chunked_forward_backward<F>;
    k.chunked_viterbi = chunked_viterbi<F>;
    k.long_room = long_room;
    k.long_forward_backward = run_long_forward_backward<F>;
    k.long_viterbi_room = long_viterbi_room;
    k.long_viterbi_bytes = long_viterbi_bytes;
    k.long_viterbi = run_long_viterbi<F>;
    k.row_lanes = row_lanes<F>;
    k.gather_rows = gather_rows<F>;
    k.sum_rows = sum_rows<F>;
    k.scatter_rows = scatter_rows<F>;
    k.row_vectors = row_vectors<F>;
    k.mark_lane = mark_lane<F>;
    k.move_rows = move_rows<F>;
    k.choose = choose<F>;
    k.take_move = take_move<F>;
    k.project_moves = project_moves<F>;
    k.combine_moves = combine_moves<F>;
    return k;
}

inline Kernels table(const char* name) {
    return {name, float_table<float>(), float_table<double>(), log_step, log_back, run_symbols};
}

}  // namespace seqlab::SEQLAB_ISA
