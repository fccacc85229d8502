// Weights in the layout that the kernels read, and sums over tokens in the layout that they write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "base/numerics/snapshot.hpp"
#include "base/parallel/parallel.hpp"
#include "linear/data/feature_rows.hpp"

namespace seqlab {

// One number per weight: dense rows with LP lanes for the attributes that have one, a plain list for all the others.
// The rows of clusters, which have no weights of their own, come after the rows of attributes.
template <class F>
class WeightTable {
public:
    WeightTable(const Observed& observed, const RowPlan& plan, std::size_t LP)
        : observed_(observed),
          plan_(&plan),
          LP_(LP),
          size_(plan.rows_and_sums() * LP),
          table_(dense_.of(size_ + LP)) {
        std::fill_n(table_, size_ + LP, F{0});
        listed_.assign(observed.weights(), F{0});
    }

    std::size_t LP() const { return LP_; }
    F* dense() { return table_; }
    const F* dense() const { return table_; }
    F* listed() { return listed_.data(); }
    const F* listed() const { return listed_.data(); }

    // The entry of weight k, which belongs to attribute a.
    F& at(std::size_t a, std::size_t k) {
        const std::int32_t row = plan_->row(a);
        return row == RowPlan::listed ? listed_[k]
                                      : table_[static_cast<std::size_t>(row) * LP_ +
                                               static_cast<std::size_t>(observed_.label[k])];
    }
    void clear() {
        std::fill_n(table_, size_, F{0});
        std::ranges::fill(listed_, F{0});
    }
    // Set all weights of attribute a, and the unused lanes beside them, to zero.
    void clear(std::size_t a) {
        if (const std::int32_t row = plan_->row(a); row != RowPlan::listed)
            std::fill_n(table_ + static_cast<std::size_t>(row) * LP_, LP_, F{0});
        else
            std::fill(listed_.begin() + observed_.begin[a], listed_.begin() + observed_.begin[a + 1], F{0});
    }

    // Load the weights theta; lanes without a weight stay zero.
    void load(const double* theta, std::size_t threads = 1) {
        each([&](F& x, std::size_t k) { x = static_cast<F>(theta[k]); }, threads);
    }
    // Add the sums to `total`, and reset them to zero.
    void move_to(double* total, std::size_t threads = 1) {
        each([&](F& x, std::size_t k) { total[k] += take(x); }, threads);
        // Lanes without a weight collect sums too and must be reset, or they would grow without limit.
        parallel_ranges(size_, threads, [&](std::size_t from, std::size_t to) {
            std::fill(table_ + from, table_ + to, F{0});
        });
    }
    // total += all numbers, in the same layout, then reset to zero. Whole rows are added: several times faster than
    // move_to.
    void move_into(WeightTable& total, std::size_t threads = 1) {
        move(table_, total.table_, size_, threads);
        move(listed_.data(), total.listed_.data(), listed_.size(), threads);
    }
    // total[k] += part · weight k
    void add_to(double* total, double part, std::size_t threads = 1) {
        each([&](F& x, std::size_t k) { total[k] += part * static_cast<double>(x); }, threads);
    }
    // All numbers as they are, unused lanes too.
    void record(Snapshot& state, const std::string& name) {
        state(name + ".dense", table_, size_);
        state(name + ".listed", listed_.data(), listed_.size());
    }
    void multiply(F factor) {
        for (std::size_t i = 0; i < size_; ++i) table_[i] *= factor;
        for (F& x : listed_) x *= factor;
    }
    // Move every weight towards zero by `by`, at most to zero.
    void soften(F by) {
        const auto nearer = [by](F x) { return x > by ? x - by : x < -by ? x + by : F{0}; };
        for (std::size_t i = 0; i < size_; ++i) table_[i] = nearer(table_[i]);
        for (F& x : listed_) x = nearer(x);
    }
    // Like move_to, for the first attributes only: those used by so many tokens that float32 sums would drift.
    void move_first_rows(std::size_t attributes, double* total) {
        for (std::size_t a = 0; a < attributes; ++a)
            if (plan_->row(a) != RowPlan::listed)
                each_in_row(a, [&](F& x, std::size_t k) { total[k] += take(x); });
    }
    void move_first_listed(std::size_t attributes, double* total) {
        for (std::size_t a = 0; a < attributes; ++a)
            if (plan_->row(a) == RowPlan::listed)
                for (auto k = static_cast<std::size_t>(observed_.begin[a]);
                     k < static_cast<std::size_t>(observed_.begin[a + 1]); ++k)
                    total[k] += take(listed_[k]);
    }

private:
    static double take(F& x) { return static_cast<double>(std::exchange(x, F{0})); }
    static void move(F* from, F* to, std::size_t size, std::size_t threads) {
        parallel_ranges(size, threads, [=](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) to[i] += from[i];
            std::fill(from + begin, from + end, F{0});
        });
    }
    // Call f(number, k) for every weight k. Parts have about equally many weights: frequent attributes, which come
    // first, have more.
    template <class Visit>
    void each(Visit f, std::size_t threads) {
        parallel_ranges(observed_.weights(), threads, [&](std::size_t from, std::size_t to) {
            each_between(attribute_from(from), attribute_from(to), f);
        });
    }
    // The first attribute all of whose weights are numbered `weight` or higher.
    std::size_t attribute_from(std::size_t weight) const {
        const auto found = std::ranges::lower_bound(observed_.begin, static_cast<std::int64_t>(weight));
        return std::min(plan_->attributes(), static_cast<std::size_t>(found - observed_.begin.begin()));
    }
    template <class Visit>
    void each_between(std::size_t a, std::size_t last, Visit f) {
        while (a < last) {
            const std::size_t first = a;
            while (a < last && plan_->row(a) == RowPlan::listed) ++a;
            for (auto k = observed_.begin[first]; k < observed_.begin[a]; ++k)
                f(listed_[static_cast<std::size_t>(k)], static_cast<std::size_t>(k));
            for (; a < last && plan_->row(a) != RowPlan::listed; ++a) each_in_row(a, f);
        }
    }
    template <class Visit>
    void each_in_row(std::size_t a, Visit f) {
        F* const lanes = table_ + static_cast<std::size_t>(plan_->row(a)) * LP_;
        for (auto k = observed_.begin[a]; k < observed_.begin[a + 1]; ++k)
            f(lanes[observed_.label[static_cast<std::size_t>(k)]], static_cast<std::size_t>(k));
    }

    Observed observed_;
    const RowPlan* plan_;
    std::size_t LP_, size_;
    Buffer<F> dense_;
    F* table_;
    std::vector<F> listed_;
};

}  // namespace seqlab
