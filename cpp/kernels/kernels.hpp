// The table of hand-vectorised routines, one per instruction set, chosen once at run time.
//
// Two families. Primitives do one step of a recursion on one block and serve every order, per-position edges and lists
// of allowed labels. The dense routines do whole sequences of first order with one shared L x L slab, the main case of
// training and tagging. Both are tested against the log-space definition by tests/agreement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace seqlab {

// Limits of eq:certificate, chosen so that every possible loss stays far below rounding:
//   floor           lower limit of the backward values of allowed states, so that a loss in one direction is noticed
//   cap             upper limit of c_t, and of c_t β_t, for the scaled pass to be trusted
//   faintest_edge   an allowed edge never becomes an exact zero; times the floor it is still a normal number
//   least           the product of three such numbers is still a normal number: forward alone is safe above it
template <class F>
struct Limits;
template <>
struct Limits<double> {
    static constexpr double floor = 1e-100, cap = 1e100, faintest_edge = 1e-200, least = 1e-100;
};
template <>
struct Limits<float> {
    static constexpr float floor = 1e-13F, cap = 1e13F, faintest_edge = 1e-22F, least = 1e-12F;
};

// Shared first-order edges in rows of LP >= L lanes (a multiple of the vector width), LP rows.
// M[a, y] and its transpose MT[y, a]. Sum kernels take exp(edge - shift), padded with 0; max kernels take the
// scores themselves, padded with -inf.
template <class F>
struct DenseEdges {
    std::size_t L, LP;
    const F* M;
    const F* MT;
    double shift;
};

// Chains with at most this many labels and at least this many positions are divided into chunks; the rule depends on
// the shape alone.
inline constexpr std::size_t CHUNKED_LABELS = 8, CHUNKED_LENGTH = 8192;

// Input and output of one sequence.
template <class F>
struct Chain {
    const F* node;       // (T, L)
    const F* node_end;   // end of the array that node lies in: loads may run past a row, never past this
    F* gamma = nullptr;  // (T, L) node marginals, or null
    std::int32_t* path = nullptr;
    double log_z = 0.0;      // or the Viterbi score
    bool scored = false;     // the Viterbi score is exact to rounding and need not be summed again
    bool certified = false;  // eq:certificate holds: the scaled result can be trusted
};

// Chains of symbols under one hidden Markov model: potentials and sums are rows of LP lanes, padded with 0.
struct SymbolEdges {
    DenseEdges<double> edges;
    const double* start;    // π
    double *starts, *ends;  // sums of the marginals of first and last positions
};
struct SymbolChain {
    const double* const* potential;  // (T) rows e_t with a largest entry of 1
    double* const* sums;             // (T) rows that the marginals are added to, if the chain is certified
    double shift = 0.0;              // logs of the divisors of the potentials
    double log_z = 0.0;
    bool certified = false;
};

// For each token the rows of a table that it uses, with a value for each: 1 where `value` is null.
template <class F>
struct RowList {
    const std::int64_t* begin;  // token t has entries begin[t] .. begin[t + 1]
    const std::int32_t* row;
    const F* value;
};

// The ends of an optimiser's step, and the gradients of the smooth part there.
struct StepEnds {
    const double *x0, *x1, *g0, *g1;
};

// A coordinate of a quadratic model in coordinate descent (eq:proximal).
struct Coordinate {
    std::size_t i;
    double x, g, c;  // old value, gradient there, L1 penalty
    double b0, b;    // diagonals of B₀ and of B
    double at;       // new value, x + d
};

template <class F>
struct FloatKernels {
    // Primitives: out[y] = ⊕_a in[a * gap] ⊗ M[a * stride + y], and out[a * gap] = ⊕_y M[a * stride + y] ⊗ g[y].
    void (*max_step)(F* out, const F* in, std::size_t gap, const F* M, std::size_t stride, std::size_t from,
                     std::size_t to);
    void (*sum_step)(F* out, const F* in, std::size_t gap, const F* M, std::size_t stride, std::size_t from,
                     std::size_t to);
    void (*sum_back)(F* out, std::size_t gap, const F* M, std::size_t stride, const F* g, std::size_t from,
                     std::size_t to);
    // exp(in - shift) for in <= shift, at least `least`; zero for -inf
    void (*exp_row)(F* out, const F* in, F shift, F least, std::size_t n);

    // Dense routines: 1, 2 or 4 chains of the same length T in lockstep.
    std::size_t (*padded)(std::size_t L);
    std::size_t (*pair_room)(std::size_t L, std::size_t T, std::size_t S);  // scratch of forward_backward
    void (*forward_backward)(const DenseEdges<F>&, std::size_t T, Chain<F>*, std::size_t S, F* room, F* E);
    std::size_t (*forward_room)(std::size_t L, std::size_t S);
    void (*forward)(const DenseEdges<F>&, std::size_t T, Chain<F>*, std::size_t S, F* room);
    std::size_t (*viterbi_room)(std::size_t L, std::size_t T, std::size_t S);
    void (*viterbi)(const DenseEdges<F>&, std::size_t T, Chain<F>*, std::size_t S, F* room);

    // One long chain with few labels, in chunks; false when the result is not certified and LongKernels must be used.
    std::size_t (*chunked_room)();
    bool (*chunked_forward_backward)(const DenseEdges<double>&, std::size_t T, Chain<F>&, double* room,
                                     double* E);
    bool (*chunked_viterbi)(const DenseEdges<double>&, std::size_t T, Chain<F>&, double* room);

    // Weight tables: rows of row_lanes(L) lanes, summed per token into node (T, L), and gamma (T, L) added to rows.
    // node and gamma need row_lanes(L) - L spare numbers after their last row.
    std::size_t (*row_lanes)(std::size_t L);
    void (*gather_rows)(const F* weights, std::size_t LP, std::size_t L, const RowList<F>&, std::size_t from,
                        std::size_t to, F* node);
    // Sum rows given by address: token t sums count[t] rows, row[t * stride] and those after it.
    void (*sum_rows)(const F* const* row, std::size_t stride, const std::int32_t* count, std::size_t LP,
                     std::size_t L, std::size_t tokens, F* node);
    void (*scatter_rows)(F* sums, std::size_t LP, std::size_t L, const RowList<F>&, std::size_t from,
                         std::size_t to, const F* gamma);

    // rows += value · step in the lanes marked by mark_lane; `lanes` has row_vectors(LP) numbers for each row.
    std::size_t (*row_vectors)(std::size_t LP);
    void (*mark_lane)(std::size_t LP, std::size_t y, std::uint32_t* lanes);
    void (*move_rows)(F* weights, std::size_t LP, std::size_t L, const std::uint32_t* lanes,
                      const RowList<F>&, std::size_t from, std::size_t to, const F* step);

    // out = p (L) with p(y) ∝ exp(node[y] + edge[y]), edge may be null; also the largest score `top`, and total = Σ
    // exp(score - top) (0 where all is -inf). Reads and writes whole vectors, so all three arrays need one spare vector
    // after them. out must not be node.
    void (*choose)(F* out, const F* node, const F* edge, std::size_t L, F* top, F* total);

    // Steps of an optimiser and gradient differences, stored as rows of F (kernels/rows/history.hpp).
    // s = x1 - x0 and y = g1 - g0 over at <= i < at + n, rounded to F; wide = y as rounded; squares += |s|², |y|²
    void (*take_step)(const StepEnds& move, std::size_t at, std::size_t n, F* s, F* y, double* wide,
                      double* squares);
    // out[2k] += Σ_i row_k[i] a[i],  out[2k + 1] += Σ_i row_k[i] b[i]
    void (*project_history)(const F* const* rows, std::size_t count, const double* a, const double* b,
                            std::size_t n, double* out);
    // q[i] += Σ_k c[k] row_k[i]
    void (*combine_history)(const F* const* rows, std::size_t count, const double* c, std::size_t n,
                            double* q);
};

// One long chain of any number of labels: arithmetic in float64, also for float32 scores.
struct LongKernels {
    // Forward-backward with both directions at once, and Viterbi in little memory.
    std::size_t (*room)(std::size_t L);
    void (*forward_backward)(const DenseEdges<double>&, std::size_t T, Chain<double>&, double* room,
                             double* E);
    std::size_t (*viterbi_room)(std::size_t L, std::size_t T);
    std::size_t (*viterbi_bytes)(std::size_t L, std::size_t T);
    void (*viterbi)(const DenseEdges<double>&, std::size_t T, Chain<double>&, double* room,
                    std::uint8_t* back);
};

struct Kernels {
    const char* name;
    FloatKernels<float> f32;
    FloatKernels<double> f64;
    LongKernels long_chain;
    void (*log_step)(double* out, const double* in, std::size_t gap, const double* M, std::size_t stride,
                     std::size_t from, std::size_t to);
    void (*log_back)(double* out, std::size_t gap, const double* M, std::size_t stride, const double* g,
                     std::size_t from, std::size_t to);
    // Prepare coordinate descent with B = B₀ - W K Wᵀ (kernels/rows/coordinates.hpp): kw = w K, and b = b0 - w·kw. A
    // row of w and kw has p numbers, a multiple of 8.
    void (*project_coordinates)(Coordinate*, std::size_t count, const float* w, const double* K,
                                std::size_t p, float* kw);
    // Move each coordinate to its minimum, one after the other, with u = K Wᵀ d; returns Σ b z², where z is its change.
    double (*sweep_coordinates)(Coordinate*, std::size_t count, const float* w, const float* kw,
                                std::size_t p, double* u);
    // 1, 2 or 4 chains of symbols of the same length T; room and E as for f64.forward_backward
    void (*symbol_forward_backward)(const SymbolEdges&, std::size_t T, SymbolChain*, std::size_t S,
                                    double* room, double* E);

    template <class F>
    const FloatKernels<F>& of() const {
        if constexpr (sizeof(F) == 4) {
            return f32;
        } else {
            return f64;
        }
    }
};

const Kernels& kernels();  // the set in use
// Keeps one set in use on this thread for the life of this object: tables padded for one set must not be used with the
// routines of another when use_kernels is called meanwhile. Worker threads of a call pin the set of its caller.
class PinKernels {
public:
    explicit PinKernels(const Kernels& set);
    ~PinKernels();
    PinKernels(const PinKernels&) = delete;
    PinKernels& operator=(const PinKernels&) = delete;

private:
    const Kernels* before_;
};

std::vector<std::string> kernel_names();    // the sets this machine can run, baseline first
bool use_kernels(const std::string& name);  // false when this machine cannot run it

}  // namespace seqlab
