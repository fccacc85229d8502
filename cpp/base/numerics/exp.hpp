// Compute exp of a whole vector, for arguments at or below zero (scores minus their maximum).
//
// x = n ln 2 + r with |r| <= ln 2 / 2; exp(r) is its Taylor polynomial (degree 13 in float64, 7 in float32: truncation
// error below a tenth of an ulp), multiplied by 2^n through the exponent bits. Results below the smallest normal number
// become that number, also for -inf: callers treat -inf themselves.
#pragma once

#include "base/numerics/lanes.hpp"

namespace seqlab::SEQLAB_ISA {

template <class F>
struct ExpConstants;

template <>
struct ExpConstants<float> {
    static constexpr float lowest = -87.33654F;  // just above log of the smallest normal number
    static constexpr float log2_e = 1.44269504F, ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
    static constexpr float round = 12582912.0F;  // 1.5 * 2^23: adding it leaves the integer in the low bits
    static constexpr int shift = 23;
    static constexpr std::int32_t one_bits = 127 << 23;
    static constexpr int degree = 7;
    static constexpr float taylor[8] = {1.F,      1.F,       1.F / 2,   1.F / 6,
                                        1.F / 24, 1.F / 120, 1.F / 720, 1.F / 5040};
};

template <>
struct ExpConstants<double> {
    static constexpr double lowest = -708.39;
    static constexpr double log2_e = 1.4426950408889634, ln2_high = 0.6931471803691238,
                            ln2_low = 1.9082149292705877e-10;
    static constexpr double round = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr int shift = 52;
    static constexpr std::int64_t one_bits = std::int64_t{1023} << 52;
    static constexpr int degree = 13;
    static constexpr double taylor[14] = {
        1.,        1.,         1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
        1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800.};
};

template <class F>
SEQLAB_INLINE Vec<F> exp_nonpositive(Vec<F> x) {
    using C = ExpConstants<F>;
    x = larger<F>(x, splat(C::lowest));
    const Vec<F> rounded = x * C::log2_e + C::round;
    const Vec<F> n = rounded - C::round;
    Vec<F> r = x - n * C::ln2_high;
    r = r - n * C::ln2_low;
    Vec<F> p = splat(C::taylor[C::degree]);
    for (int i = C::degree - 1; i >= 0; --i) p = p * r + C::taylor[i];
    // A cast between vectors keeps the bits.
    const Mask<F> bits = ((Mask<F>)rounded << C::shift) + C::one_bits;
    return p * (Vec<F>)bits;
}

// Compute exp(x) in float64 for x >= -700 with half the multiplications, where a table of sixteen numbers fits two
// registers: x log2 e = n / 16 + r with |r| <= 1 / 32, and 2^r needs only six terms (error 1.5e-17, Chebyshev
// coefficients). A single constant for log2 e leaves an error of |x| 2^-54, less than the rounding error of any x that
// is a difference.
SEQLAB_INLINE Vec<double> exp_above_faintest(Vec<double> x) {
#if defined(__AVX512F__) && !defined(__clang__)
    constexpr double round = 422212465065984.0;  // 1.5 * 2^48: adding it leaves sixteenths in the low bits
    constexpr double log2_e = 1.4426950408889634;
    // 2^(i / 16), with i / 16 in units of the exponent subtracted from the bits: adding n restores it
    constexpr double power[16] = {1.0,
                                  1.0442737824274138,
                                  1.0905077326652577,
                                  1.1387886347566916,
                                  1.189207115002721,
                                  1.241857812073484,
                                  1.2968395546510096,
                                  1.3542555469368927,
                                  1.4142135623730951,
                                  1.4768261459394993,
                                  1.5422108254079407,
                                  1.6104903319492543,
                                  1.681792830507429,
                                  1.7562521603732995,
                                  1.8340080864093424,
                                  1.9152065613971474};
    Vec<double> low, high;
    __builtin_memcpy(&low, power, sizeof low);
    __builtin_memcpy(&high, power + 8, sizeof high);
    const Mask<double> lanes = lane_numbers<double>();
    const Mask<double> first = (Mask<double>)low - (lanes << 48);
    const Mask<double> second = (Mask<double>)high - ((lanes + 8) << 48);
    const Vec<double> rounded = x * log2_e + round;
    const Vec<double> r = x * log2_e - (rounded - round);
    Vec<double> q = splat(0.00015403723981118498);
    q = q * r + 0.0013333781577210431;
    q = q * r + 0.009618129106919535;
    q = q * r + 0.05550410865663927;
    q = q * r + 0.24022650695910075;
    q = (q * r + 0.6931471805599457) * r;
    const Mask<double> n = (Mask<double>)rounded;
    const Vec<double> scale = (Vec<double>)(__builtin_shuffle(first, second, n) + (n << 48));
    return scale * q + scale;
#else
    return exp_nonpositive<double>(x);
#endif
}

// Compute exp(x - shift), at least `least`; -inf, and nothing else if least > 0, gives an exact zero.
template <class F>
SEQLAB_INLINE Vec<F> weight_of(Vec<F> x, F shift, F least) {
    const Vec<F> e = larger<F>(exp_nonpositive<F>(x - shift), splat(least));
    return x > MINUS_INFINITY<F> ? e : Vec<F>{};
}

}  // namespace seqlab::SEQLAB_ISA
