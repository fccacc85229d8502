// Multiply-adds on registers and nothing else: the most that one core can do. Prints GFLOP/s of float32 and of float64.
// VECTOR_BYTES and the instruction set come from the command line (see peak.py).
#include <chrono>
#include <cstddef>
#include <cstdio>

template <class F>
double peak() {
    typedef F Vec __attribute__((vector_size(VECTOR_BYTES)));
    constexpr std::size_t CHAINS = VECTOR_BYTES == 64 ? 16 : 10;  // as many as registers hold
    constexpr long ROUNDS = 400000;
    Vec x[CHAINS];
    for (std::size_t i = 0; i < CHAINS; ++i) x[i] = static_cast<F>(i) - Vec{};
    Vec a = static_cast<F>(0.5) - Vec{}, b = static_cast<F>(0.25) - Vec{};
    double best = 0.0;
    for (int attempt = 0; attempt < 100; ++attempt) {
        const auto begin = std::chrono::steady_clock::now();
        for (long r = 0; r < ROUNDS; ++r)
            for (std::size_t i = 0; i < CHAINS; ++i) x[i] = x[i] * a + b;
        asm volatile("" : : "g"(&x) : "memory");
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        const double flops = 2.0 * ROUNDS * CHAINS * (VECTOR_BYTES / sizeof(F));
        const double rate = 1e-9 * flops / seconds.count();
        best = rate > best ? rate : best;
    }
    return best;
}

int main() {
    std::printf("%f %f\n", peak<float>(), peak<double>());
}
