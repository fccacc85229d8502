// One short sequence and the questions about it: its best labels, and its posterior, which is computed once.
//
// A call for a handful of tokens takes a few microseconds: nothing is allocated after the first calls, there are no
// threads, and whoever calls may keep Python's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linear/tagging/row_decoder.hpp"

namespace seqlab {

class OneSequence {
public:
    // begin: attribute a has weights begin[a] .. begin[a + 1] of the model. Both must outlive this.
    OneSequence(const RowDecoder& decoder, std::span<const std::int64_t> begin);

    // True for lengths that are worth a call of their own: at most some milliseconds.
    bool takes(std::size_t T) const;
    // values: null when all are 1
    void set(std::span<const std::int64_t> indptr, std::span<const std::int32_t> ids, const double* values);

    std::size_t T() const { return indptr_.empty() ? 0 : indptr_.size() - 1; }
    std::size_t L() const { return decoder_.best().L(); }

    // The best labels (T); empty when none are legal.
    std::span<const Label> best();
    // (T, L) in float64, with the scores of first and last labels (eq:linear-score)
    std::vector<double> scores();
    // False when numbers are too far apart for float64 as they are (eq:certificate), or no labels are legal.
    bool sum();
    // After sum():
    double marginal(std::size_t t, std::size_t y) const { return gamma_[t * L() + y]; }
    double log_probability(std::span<const Label> path) const;

private:
    Entries entries() const { return {indptr_, ids_.data(), weighted_ ? values_.data() : nullptr}; }
    void score();

    const RowDecoder& decoder_;
    const std::span<const std::int64_t> begin_;
    RowScorer scorer_;
    BestLabels::Room room_;
    std::vector<Label> path_;

    std::vector<std::int64_t> indptr_;
    std::vector<std::int32_t> ids_;
    std::vector<double> values_;
    bool weighted_ = false;

    enum class Sum { unknown, known, impossible };
    Sum state_ = Sum::unknown;
    std::optional<DenseTable<double>> table_;  // made when it is first needed
    std::vector<double> node_, gamma_;
    Buffer<double> wide_;
    double log_z_ = 0.0;
};

}  // namespace seqlab
