#include "optimise/passes.hpp"

#include <cstring>

#include "kernels/kernels.hpp"

#define SEQLAB_INLINED inline __attribute__((always_inline))

namespace seqlab::optimise {

namespace {

using std::size_t;

// W doubles, and W numbers of type F to be widened to them. Written out: a width that depends on a template is ignored.
template <class F, size_t W>
struct Wide;

#define SEQLAB_WIDE(F, W)                                             \
    template <>                                                       \
    struct Wide<F, W> {                                               \
        typedef double Vec __attribute__((vector_size(W * 8)));       \
        typedef F Narrow __attribute__((vector_size(W * sizeof(F)))); \
    };
SEQLAB_WIDE(float, 2)
SEQLAB_WIDE(float, 4)
SEQLAB_WIDE(float, 8)
SEQLAB_WIDE(double, 2)
SEQLAB_WIDE(double, 4)
SEQLAB_WIDE(double, 8)
#undef SEQLAB_WIDE

template <class V>
SEQLAB_INLINED V read(const void* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

template <class F, size_t W>
SEQLAB_INLINED typename Wide<F, W>::Vec widened(const F* p) {
    return __builtin_convertvector(read<typename Wide<F, W>::Narrow>(p), typename Wide<F, W>::Vec);
}

template <size_t W, class V>
SEQLAB_INLINED double sum_of(V v) {
    double total = 0.0;
    for (size_t i = 0; i < W; ++i) total += v[i];
    return total;
}

template <class F, size_t W>
SEQLAB_INLINED void take_all(const Move& move, size_t at, size_t n, F* s, F* y, double* wide,
                             double* squares) {
    using Vec = typename Wide<F, W>::Vec;
    using Narrow = typename Wide<F, W>::Narrow;
    const double *x0 = move.x0 + at, *x1 = move.x1 + at, *g0 = move.g0 + at, *g1 = move.g1 + at;
    Vec ss = {}, yy = {};
    size_t i = 0;
    for (; i + W <= n; i += W) {
        const Narrow si = __builtin_convertvector(read<Vec>(x1 + i) - read<Vec>(x0 + i), Narrow);
        const Narrow yi = __builtin_convertvector(read<Vec>(g1 + i) - read<Vec>(g0 + i), Narrow);
        const Vec s_wide = __builtin_convertvector(si, Vec), y_wide = __builtin_convertvector(yi, Vec);
        __builtin_memcpy(s + i, &si, sizeof si);
        __builtin_memcpy(y + i, &yi, sizeof yi);
        __builtin_memcpy(wide + i, &y_wide, sizeof y_wide);
        ss += s_wide * s_wide;
        yy += y_wide * y_wide;
    }
    squares[0] += sum_of<W>(ss);
    squares[1] += sum_of<W>(yy);
    for (; i < n; ++i) {
        s[i] = static_cast<F>(x1[i] - x0[i]);
        y[i] = static_cast<F>(g1[i] - g0[i]);
        wide[i] = static_cast<double>(y[i]);
        squares[0] += static_cast<double>(s[i]) * static_cast<double>(s[i]);
        squares[1] += wide[i] * wide[i];
    }
}

template <size_t K, class F, size_t W>
SEQLAB_INLINED void project_some(const F* const* rows, const double* a, const double* b, size_t n,
                                 double* out) {
    using Vec = typename Wide<F, W>::Vec;
    Vec p[K] = {}, q[K] = {};
    size_t i = 0;
    for (; i + W <= n; i += W) {
        const Vec x = read<Vec>(a + i), y = read<Vec>(b + i);
        for (size_t k = 0; k < K; ++k) {
            const Vec row = widened<F, W>(rows[k] + i);
            p[k] += row * x;
            q[k] += row * y;
        }
    }
    for (size_t k = 0; k < K; ++k) {
        double rest_p = 0.0, rest_q = 0.0;
        for (size_t j = i; j < n; ++j) {
            const double row = static_cast<double>(rows[k][j]);
            rest_p += row * a[j];
            rest_q += row * b[j];
        }
        out[2 * k] += sum_of<W>(p[k]) + rest_p;
        out[2 * k + 1] += sum_of<W>(q[k]) + rest_q;
    }
}

template <size_t K, class F, size_t W>
SEQLAB_INLINED void combine_some(const F* const* rows, const double* c, size_t n, double* q) {
    using Vec = typename Wide<F, W>::Vec;
    size_t i = 0;
    for (; i + W <= n; i += W) {
        Vec x = read<Vec>(q + i);
        for (size_t k = 0; k < K; ++k) x += c[k] * widened<F, W>(rows[k] + i);
        __builtin_memcpy(q + i, &x, sizeof x);
    }
    for (; i < n; ++i)
        for (size_t k = 0; k < K; ++k) q[i] += c[k] * static_cast<double>(rows[k][i]);
}

// Up to five rows at a time, in groups of nearly one size: what they share is loaded once.
SEQLAB_INLINED size_t group(size_t left) {
    const size_t groups = (left + 4) / 5;
    return (left + groups - 1) / groups;
}

template <class F, size_t W>
SEQLAB_INLINED void project_all(const F* const* rows, size_t count, const double* a, const double* b,
                                size_t n, double* out) {
    while (count > 0) {
        const size_t now = group(count);
        if (now == 5) project_some<5, F, W>(rows, a, b, n, out);
        if (now == 4) project_some<4, F, W>(rows, a, b, n, out);
        if (now == 3) project_some<3, F, W>(rows, a, b, n, out);
        if (now == 2) project_some<2, F, W>(rows, a, b, n, out);
        if (now == 1) project_some<1, F, W>(rows, a, b, n, out);
        rows += now, out += 2 * now, count -= now;
    }
}

template <class F, size_t W>
SEQLAB_INLINED void combine_all(const F* const* rows, size_t count, const double* c, size_t n, double* q) {
    while (count > 0) {
        const size_t now = group(count);
        if (now == 5) combine_some<5, F, W>(rows, c, n, q);
        if (now == 4) combine_some<4, F, W>(rows, c, n, q);
        if (now == 3) combine_some<3, F, W>(rows, c, n, q);
        if (now == 2) combine_some<2, F, W>(rows, c, n, q);
        if (now == 1) combine_some<1, F, W>(rows, c, n, q);
        rows += now, c += now, count -= now;
    }
}

// NAME, width in doubles, attribute
#define SEQLAB_PASSES(NAME, W, TARGET)                                                                     \
    template <class F>                                                                                     \
    TARGET void NAME##_take(const Move& move, size_t at, size_t n, F* s, F* y, double* wide,               \
                            double* squares) {                                                             \
        take_all<F, W>(move, at, n, s, y, wide, squares);                                                  \
    }                                                                                                      \
    template <class F>                                                                                     \
    TARGET void NAME##_project(const F* const* rows, size_t count, const double* a, const double* b,       \
                               size_t n, double* out) {                                                    \
        project_all<F, W>(rows, count, a, b, n, out);                                                      \
    }                                                                                                      \
    template <class F>                                                                                     \
    TARGET void NAME##_combine(const F* const* rows, size_t count, const double* c, size_t n, double* q) { \
        combine_all<F, W>(rows, count, c, n, q);                                                           \
    }

SEQLAB_PASSES(plain, 2, )
#ifdef SEQLAB_HAVE_X86_KERNELS
SEQLAB_PASSES(avx2, 4, __attribute__((target("avx2,fma"))))
SEQLAB_PASSES(avx512, 8, __attribute__((target("avx512f,avx512dq,avx2,fma,prefer-vector-width=512"))))
#endif
#undef SEQLAB_PASSES

}  // namespace

template <class F>
Passes<F> passes() {
#ifdef SEQLAB_HAVE_X86_KERNELS
    const char* set = kernels().name;
    if (std::strcmp(set, "avx512") == 0) return {avx512_take<F>, avx512_project<F>, avx512_combine<F>};
    if (std::strcmp(set, "avx2") == 0) return {avx2_take<F>, avx2_project<F>, avx2_combine<F>};
#endif
    return {plain_take<F>, plain_project<F>, plain_combine<F>};
}

template Passes<float> passes<float>();
template Passes<double> passes<double>();

}  // namespace seqlab::optimise
