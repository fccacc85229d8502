#include "optimise/orthant.hpp"

namespace seqlab::optimise {

namespace {

template <class T>
inline T least(T a, T b) {
    return a < b ? a : b;
}
template <class T>
inline T most(T a, T b) {
    return a > b ? a : b;
}

}  // namespace

// eq:owlqn   ◇_i = g_i + c_i sign(x_i)               where x_i is not 0
//            ◇_i = g_i - min(c_i, max(-c_i, g_i))    where it is
double pseudo_gradient(const L1& l1, const double* x, const double* g, std::size_t n, double* pseudo,
                       std::size_t threads) {
    return penalised_sums<1>(l1, n, threads, [=](auto t, std::size_t i, auto c, auto add) {
        using T = decltype(t);
        const T xi = load<T>(x + i), gi = load<T>(g + i);
        const T at_zero = gi - least<T>(c, most<T>(-c, gi));
        const T off_zero = xi > 0.0 ? gi + c : gi - c;
        const T slope = xi == 0.0 ? at_zero : off_zero;
        store(pseudo + i, slope);
        add(0, slope * slope);
    })[0];
}

// eq:owlqn   d_i = 0 where c_i > 0 and d_i ◇_i >= 0
void align(const L1& l1, const double* pseudo, double* d, std::size_t first, std::size_t last) {
    penalty_ranges(l1, first, last, [&](std::size_t from, std::size_t to, auto c_of) {
        sums<0>(from, to, [=](auto t, std::size_t i, auto) {
            using T = decltype(t);
            const T di = load<T>(d + i), down = di * load<T>(pseudo + i), zero = t * 0.0;
            const T kept = down < 0.0 ? di : zero;
            store(d + i, c_of(t, i) > 0.0 ? kept : di);
        });
    });
}

// eq:owlqn   to_i = x_i + t d_i, and 0 where c_i > 0 and its sign is not that of x_i (of -◇_i where x_i = 0)
Stepped step_in_orthant(const L1& l1, const double* x, const double* pseudo, const double* d, double step,
                        std::size_t n, double* out, std::size_t threads) {
    const auto [change, penalty, squares, active] =
        penalised_sums<4>(l1, n, threads, [=](auto t, std::size_t i, auto c, auto add) {
            using T = decltype(t);
            const T xi = load<T>(x + i), slope = load<T>(pseudo + i), zero = t * 0.0;
            const T moved = xi + step * load<T>(d + i);
            const T side = xi == 0.0 ? -slope : xi;
            const T positive = moved > 0.0 ? moved : zero, negative = moved < 0.0 ? moved : zero;
            const T negative_side = side < 0.0 ? negative : zero;
            const T cut = side > 0.0 ? positive : negative_side;
            const T at = c > 0.0 ? cut : moved;
            store(out + i, at);
            add(0, slope * (at - xi));
            add(1, c * absolute<T>(at));
            add(2, at * at);
            add(3, at == 0.0 ? zero : zero + 1.0);
        });
    return {change, penalty, squares, active};
}

double penalty(const L1& l1, const double* x, std::size_t n, std::size_t threads) {
    return penalised_sums<1>(l1, n, threads, [=](auto t, std::size_t i, auto c, auto add) {
        using T = decltype(t);
        add(0, c * absolute<T>(load<T>(x + i)));
    })[0];
}

}  // namespace seqlab::optimise
