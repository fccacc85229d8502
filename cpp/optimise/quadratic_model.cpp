#include "optimise/quadratic_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "optimise/orthant.hpp"
#include "optimise/slices.hpp"

namespace seqlab::optimise {

namespace {

// Coordinate descent ends when a sweep gains less than this part of what the first one did. With 1e-3 it takes 2.5 times
// as many sweeps, and the minimisation 2 % fewer iterations.
constexpr double enough = 0.1;
constexpr int most_sweeps = 40;
constexpr double least_rise = 1e-10;  // of the gradient along a step, as a part of its length
constexpr double least_bend = 1e-3;   // of B, as a part of B₀, where rounding has made it smaller

double dot(const float* a, const double* b, std::size_t n, std::size_t threads) {
    return sum_slices<1>(n, threads, [=](std::size_t from, std::size_t to) {
        double lane[8] = {};
        std::size_t i = from;
        for (; i + 8 <= to; i += 8)
            for (std::size_t k = 0; k < 8; ++k) lane[k] += static_cast<double>(a[i + k]) * b[i + k];
        for (; i < to; ++i) lane[0] += static_cast<double>(a[i]) * b[i];
        return std::array{((lane[0] + lane[1]) + (lane[2] + lane[3])) +
                          ((lane[4] + lane[5]) + (lane[6] + lane[7]))};
    })[0];
}

// Invert a (p, p) matrix in place by Gauss and Jordan's elimination, with row pivots.
void invert(std::vector<double>& a, std::size_t p) {
    std::vector<double> inverse(p * p, 0.0);
    for (std::size_t k = 0; k < p; ++k) inverse[k * p + k] = 1.0;
    const auto row = [p](std::vector<double>& of, std::size_t k) {
        return of.begin() + static_cast<std::ptrdiff_t>(k * p);
    };
    const auto length = static_cast<std::ptrdiff_t>(p);
    for (std::size_t k = 0; k < p; ++k) {
        std::size_t pivot = k;
        for (std::size_t r = k + 1; r < p; ++r)
            if (std::abs(a[r * p + k]) > std::abs(a[pivot * p + k])) pivot = r;
        if (pivot != k) {
            std::swap_ranges(row(a, k), row(a, k) + length, row(a, pivot));
            std::swap_ranges(row(inverse, k), row(inverse, k) + length, row(inverse, pivot));
        }
        const double by = 1.0 / a[k * p + k];
        for (std::size_t j = 0; j < p; ++j) a[k * p + j] *= by, inverse[k * p + j] *= by;
        for (std::size_t r = 0; r < p; ++r) {
            const double factor = a[r * p + k];
            if (r == k || factor == 0.0) continue;
            for (std::size_t j = 0; j < p; ++j) {
                a[r * p + j] -= factor * a[k * p + j];
                inverse[r * p + j] -= factor * inverse[k * p + j];
            }
        }
    }
    a.swap(inverse);
}

}  // namespace

QuadraticModel::QuadraticModel(std::size_t n, int memory, const Diagonal* diagonal, std::size_t threads)
    : n_(n),
      memory_(static_cast<std::size_t>(memory)),
      threads_(threads),
      diagonal_(diagonal),
      sds_(memory_ * memory_),
      sy_(memory_ * memory_),
      s_(n),
      y_(n),
      ds_(n) {}

void QuadraticModel::record(Snapshot& state) {
    std::uint64_t count = steps_.size();
    state.reading() ? state("model.steps", count) : state.keep("model.steps", std::vector{count});
    if (state.reading() && count > memory_) throw SnapshotMismatch("model.steps is too large");
    steps_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        const std::string name = "model." + std::to_string(k);
        steps_[k].s.resize(n_), steps_[k].y.resize(n_);
        state(name + ".s", steps_[k].s.data(), n_);
        state(name + ".y", steps_[k].y.data(), n_);
        state(name + ".bend", steps_[k].bend);
    }
    state("model.version", version_);
    state("model.sds", sds_.data(), sds_.size());
    state("model.sy", sy_.data(), sy_.size());
}

void QuadraticModel::see(const StepEnds& move) {
    newest_.s.resize(n_), newest_.y.resize(n_);
    const auto [sy, ss, yy] = sum_slices<3>(n_, threads_, [&](std::size_t from, std::size_t to) {
        std::array<double, 3> sums{};
        for (std::size_t i = from; i < to; ++i) {
            const double s = move.x1[i] - move.x0[i], y = move.g1[i] - move.g0[i];
            newest_.s[i] = static_cast<float>(s), newest_.y[i] = static_cast<float>(y);
            sums[0] += s * y, sums[1] += s * s, sums[2] += y * y;
        }
        return sums;
    });
    if (!(sy > least_rise * ss) || !std::isfinite(yy)) return;
    if (steps_.size() == memory_) forget_oldest();
    steps_.push_back(newest_);
    weigh(steps_.size() - 1);
}

void QuadraticModel::forget_oldest() {
    steps_.erase(steps_.begin());
    for (std::vector<double>* products : {&sds_, &sy_})
        for (std::size_t i = 0; i + 1 < memory_; ++i)
            for (std::size_t j = 0; j + 1 < memory_; ++j)
                (*products)[i * memory_ + j] = (*products)[(i + 1) * memory_ + j + 1];
}

void QuadraticModel::weigh(std::size_t of) {
    Step& step = steps_[of];
    const auto [yhy] = sum_slices<1>(n_, threads_, [&](std::size_t from, std::size_t to) {
        double sum = 0.0;
        for (std::size_t i = from; i < to; ++i) {
            s_[i] = static_cast<double>(step.s[i]), y_[i] = static_cast<double>(step.y[i]);
            ds_[i] = s_[i] / inverse(i);
            sum += y_[i] * y_[i] * inverse(i);
        }
        return std::array{sum};
    });
    for (std::size_t j = 0; j <= of; ++j) {
        sds_[of * memory_ + j] = sds_[j * memory_ + of] = dot(steps_[j].s.data(), ds_.data(), n_, threads_);
        sy_[j * memory_ + of] = dot(steps_[j].s.data(), y_.data(), n_, threads_);
        sy_[of * memory_ + j] = dot(steps_[j].y.data(), s_.data(), n_, threads_);
    }
    step.bend = yhy / sy_[of * memory_ + of];
}

void QuadraticModel::weigh_anew() {
    version_ = diagonal_->version;
    for (std::size_t k = 0; k < steps_.size(); ++k) weigh(k);
}

std::vector<double> QuadraticModel::middle(double gamma) const {
    const std::size_t m = steps_.size(), p = 2 * m;
    std::vector<double> k(p * p, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) k[i * p + j] = gamma * sds_[i * memory_ + j];
        for (std::size_t j = 0; j < i; ++j) k[i * p + m + j] = k[(m + j) * p + i] = sy_[i * memory_ + j];
        k[(m + i) * p + m + i] = -sy_[i * memory_ + i];
    }
    invert(k, p);
    std::vector<double> padded(width() * width(), 0.0);
    for (std::size_t i = 0; i < p; ++i)
        std::copy_n(k.begin() + static_cast<std::ptrdiff_t>(i * p), p,
                    padded.begin() + static_cast<std::ptrdiff_t>(i * width()));
    return padded;
}

// Find the coordinates that can move: not 0, or pulled away from 0 by more than their penalty.
void QuadraticModel::gather(const double* x, const double* g, const L1& l1) {
    free_.clear();
    penalty_ranges(l1, 0, n_, [&](std::size_t from, std::size_t to, auto c_of) {
        for (std::size_t i = from; i < to; ++i)
            if (const double c = c_of(0.0, i); x[i] != 0.0 || std::abs(g[i]) > c)
                free_.push_back({i, x[i], g[i], c, 0.0, 0.0, x[i]});
    });
}

void QuadraticModel::gather_rows(double gamma) {
    const std::size_t m = steps_.size(), p = width();
    const std::vector<double> k = middle(gamma);
    w_.resize(free_.size() * p);
    kw_.resize(free_.size() * p);
    u_.assign(p, 0.0);
    parallel_ranges(free_.size(), threads_, [&, &set = kernels()](std::size_t from, std::size_t to) {
        for (std::size_t f = from; f < to; ++f) {
            Coordinate& here = free_[f];
            float* const w = w_.data() + f * p;
            here.b = here.b0 = gamma / inverse(here.i);
            for (std::size_t j = 0; j < m; ++j) {
                w[j] = static_cast<float>(here.b0) * steps_[j].s[here.i];
                w[m + j] = steps_[j].y[here.i];
            }
            std::fill(w + 2 * m, w + p, 0.0F);
        }
        set.project_coordinates(free_.data() + from, to - from, w_.data() + from * p, k.data(), p,
                                kw_.data() + from * p);
        for (std::size_t f = from; f < to; ++f) free_[f].b = std::max(free_[f].b, least_bend * free_[f].b0);
    });
}

// eq:proximal   d = argmin g·d + ½ d·B d + Σ c_i |x_i + d_i|
double QuadraticModel::lowest(const double* x, const double* g, const L1& l1, double bend, double* d) {
    if (!steps_.empty() && diagonal_ && diagonal_->version != version_) weigh_anew();
    gather(x, g, l1);
    gather_rows(steps_.empty() ? bend : steps_.back().bend);
    const auto sweep = [&] {
        return kernels().sweep_coordinates(free_.data(), free_.size(), w_.data(), kw_.data(), width(),
                                           u_.data());
    };
    const double first = sweep();
    for (int k = 1; k < most_sweeps && !steps_.empty(); ++k)
        if (!(sweep() > enough * first)) break;
    std::fill_n(d, n_, 0.0);
    double change = 0.0;
    for (const Coordinate& here : free_) {
        d[here.i] = here.at - here.x;
        change += here.g * d[here.i] + here.c * (std::abs(here.at) - std::abs(here.x));
    }
    return change;
}

}  // namespace seqlab::optimise
