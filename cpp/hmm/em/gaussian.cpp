#include "hmm/em/gaussian.hpp"

#include <algorithm>
#include <vector>

namespace seqlab {

namespace {

constexpr std::size_t POSITIONS = 512;  // a row of sums stays in the first-level cache
constexpr std::size_t SUMS =
    8;  // partial sums: with a single one, each addition would wait for the one before

}  // namespace

void diagonal_scores(const double* x, std::size_t T, std::size_t D, const double* mean,
                     const double* precision, const double* constant, std::size_t L, double* node) {
    std::vector<double> rows(L * POSITIONS);
    for (std::size_t from = 0; from < T; from += POSITIONS) {
        const std::size_t n = std::min(POSITIONS, T - from);
        for (std::size_t y = 0; y < L; ++y) {
            double* const row = rows.data() + y * POSITIONS;
            std::fill(row, row + n, constant[y]);
            for (std::size_t d = 0; d < D; ++d) {
                const double m = mean[y * D + d], p = -0.5 * precision[y * D + d];
                const double* const at = x + d * T + from;
                for (std::size_t t = 0; t < n; ++t) row[t] += p * (at[t] - m) * (at[t] - m);
            }
        }
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t y = 0; y < L; ++y) node[(from + t) * L + y] = rows[y * POSITIONS + t];
    }
}

void diagonal_moments(const double* x, std::size_t T, std::size_t D, const double* gamma, const double* mean,
                      std::size_t L, double* first, double* second) {
    std::vector<double> rows(L * POSITIONS);
    std::fill(first, first + L * D, 0.0);
    std::fill(second, second + L * D, 0.0);
    for (std::size_t from = 0; from < T; from += POSITIONS) {
        const std::size_t n = std::min(POSITIONS, T - from);
        const std::size_t whole = (n + SUMS - 1) / SUMS * SUMS;
        std::fill(rows.begin(), rows.end(), 0.0);
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t y = 0; y < L; ++y) rows[y * POSITIONS + t] = gamma[(from + t) * L + y];
        double some[POSITIONS] = {};
        for (std::size_t d = 0; d < D; ++d) {
            std::copy_n(x + d * T + from, n, some);
            for (std::size_t y = 0; y < L; ++y) {
                const double* const weight = rows.data() + y * POSITIONS;
                const double m = mean[y * D + d];
                double one[SUMS] = {}, two[SUMS] = {};
                for (std::size_t t = 0; t < whole; t += SUMS)
                    for (std::size_t i = 0; i < SUMS; ++i) {
                        const double away = some[t + i] - m, part = weight[t + i] * away;
                        one[i] += part;
                        two[i] += part * away;
                    }
                for (std::size_t i = 0; i < SUMS; ++i) {
                    first[y * D + d] += one[i];
                    second[y * D + d] += two[i];
                }
            }
        }
    }
}

void full_scores(const double* x, std::size_t T, std::size_t D, const double* mean, const double* factor,
                 const double* constant, std::size_t L, double* node) {
    std::vector<double> rows(L * POSITIONS), away(D * POSITIONS);
    double part[POSITIONS];
    for (std::size_t from = 0; from < T; from += POSITIONS) {
        const std::size_t n = std::min(POSITIONS, T - from);
        for (std::size_t y = 0; y < L; ++y) {
            double* const row = rows.data() + y * POSITIONS;
            std::fill(row, row + n, constant[y]);
            for (std::size_t d = 0; d < D; ++d)
                for (std::size_t t = 0; t < n; ++t)
                    away[d * POSITIONS + t] = x[d * T + from + t] - mean[y * D + d];
            for (std::size_t i = 0; i < D; ++i) {
                std::fill(part, part + n, 0.0);
                for (std::size_t j = 0; j <= i; ++j) {
                    const double w = factor[(y * D + i) * D + j];
                    const double* const at = away.data() + j * POSITIONS;
                    for (std::size_t t = 0; t < n; ++t) part[t] += w * at[t];
                }
                for (std::size_t t = 0; t < n; ++t) row[t] -= 0.5 * part[t] * part[t];
            }
        }
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t y = 0; y < L; ++y) node[(from + t) * L + y] = rows[y * POSITIONS + t];
    }
}

void full_moments(const double* x, std::size_t T, std::size_t D, const double* gamma, const double* mean,
                  std::size_t L, double* first, double* second) {
    std::vector<double> weight(POSITIONS), away(D * POSITIONS), part(POSITIONS);
    std::fill(first, first + L * D, 0.0);
    std::fill(second, second + L * D * D, 0.0);
    const auto sum = [](std::size_t n, auto term) {
        double sums[SUMS] = {}, total = 0;
        for (std::size_t t = 0; t < n; t += SUMS)
            for (std::size_t i = 0; i < SUMS; ++i) sums[i] += term(t + i);
        for (const double one : sums) total += one;
        return total;
    };
    for (std::size_t from = 0; from < T; from += POSITIONS) {
        const std::size_t n = std::min(POSITIONS, T - from);
        const std::size_t whole = (n + SUMS - 1) / SUMS * SUMS;
        for (std::size_t y = 0; y < L; ++y) {
            std::fill(weight.begin(), weight.end(), 0.0);
            for (std::size_t t = 0; t < n; ++t) weight[t] = gamma[(from + t) * L + y];
            for (std::size_t d = 0; d < D; ++d)
                for (std::size_t t = 0; t < n; ++t)
                    away[d * POSITIONS + t] = x[d * T + from + t] - mean[y * D + d];
            for (std::size_t d = 0; d < D; ++d) {
                const double* const mine = away.data() + d * POSITIONS;
                for (std::size_t t = 0; t < whole; ++t) part[t] = weight[t] * mine[t];
                first[y * D + d] += sum(whole, [&](std::size_t t) { return part[t]; });
                for (std::size_t e = 0; e <= d; ++e) {
                    const double* const other = away.data() + e * POSITIONS;
                    second[(y * D + d) * D + e] +=
                        sum(whole, [&](std::size_t t) { return part[t] * other[t]; });
                }
            }
        }
    }
    for (std::size_t y = 0; y < L; ++y)
        for (std::size_t d = 0; d < D; ++d)
            for (std::size_t e = 0; e < d; ++e) second[(y * D + e) * D + d] = second[(y * D + d) * D + e];
}

}  // namespace seqlab
