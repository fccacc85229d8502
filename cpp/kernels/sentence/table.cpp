// The routines for sentences in the table of an instruction set. Compiled once for each set (CMakeLists.txt).
#include "kernels/sentence/best_path.hpp"
#include "kernels/sentence/choice.hpp"
#include "kernels/sentence/lockstep.hpp"
#include "kernels/sentence/symbol_lockstep.hpp"

namespace seqlab::SEQLAB_ISA {

namespace {

// Run the routine for this row width and number of chains. Rows of one or two vectors stay in registers; all others
// share one routine that takes any width (0). Vectors of 16 bytes hold too few labels for special routines.
template <class F, template <class, size_t, size_t> class Routine, class... Args>
void with_shape(size_t LP, size_t S, Args... args) {
    const auto with_width = [&]<size_t NV>() {
        if (S == 1) return Routine<F, NV, 1>::run(args...);
        if (S == 2) return Routine<F, NV, 2>::run(args...);
        return Routine<F, NV, 4>::run(args...);
    };
    if constexpr (VECTOR_BYTES > 16) {
        if (LP == W<F>) return with_width.template operator()<1>();
        if (LP == 2 * W<F>) return with_width.template operator()<2>();
    }
    with_width.template operator()<0>();
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
template <class F>
void run_forward_backward(const DenseEdges<F>& edges, size_t T, Chain<F>* chain, size_t S, F* room, F* E) {
    with_shape<F, ForwardBackward>(edges.LP, S, &edges, T, chain, room, E);
}
void run_symbols(const SymbolEdges& model, size_t T, SymbolChain* chain, size_t S, double* room, double* E) {
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
size_t padded(size_t L) {
    return (L + W<F> - 1) / W<F> * W<F>;
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

template <class F>
void add(FloatKernels<F>& k) {
    k.padded = padded<F>;
    k.pair_room = pair_room<F>;
    k.forward_backward = run_forward_backward<F>;
    k.forward_room = forward_room<F>;
    k.forward = run_forward<F>;
    k.viterbi_room = viterbi_room<F>;
    k.viterbi = run_viterbi<F>;
    k.choose = choose<F>;
}

}  // namespace

void add_sentence_kernels(Kernels& k) {
    add(k.f32);
    add(k.f64);
    k.symbol_forward_backward = run_symbols;
}

}  // namespace seqlab::SEQLAB_ISA
