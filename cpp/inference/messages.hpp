// Forward and backward messages of one sequence, kept to compute probabilities of any of its spans.
#pragma once

#include "inference/path_sum.hpp"
#include "inference/plan.hpp"

namespace seqlab {

// Labels read as tags of spans.
struct SpanTypes {
    const Label* type;           // (L,) number of the type of a label, -1 outside spans
    const std::uint8_t* border;  // (L, L) 1 if no span continues from one label to the next, otherwise 0
};

template <class F>
class Messages {
public:
    // Borrows the trellis, which must outlive this object.
    explicit Messages(const Trellis<F>& trellis);

    // eq:span   P(y_i .. y_{j-1} = path) = Σ over states of (α_{i-1} continued along the labels of the path) ⊗ β_{j-1}.
    // NaN if the sums cannot be computed.
    double span(std::size_t i, std::size_t j, const Label* path);

    // eq:typed-span   P(i .. j - 1, i < j, is a span of the type): α_{i-1} continued over a border into labels of the
    // type, along these without a border, and over a border out of them.
    double typed_span(std::size_t i, std::size_t j, Label type, const SpanTypes& types);

    double log_z() const { return sum_.log_z(); }

private:
    void carry(std::size_t t, Label y, std::vector<double>& row);
    void carry(std::size_t t, const SpanTypes& types, Label type, bool over_border, std::vector<double>& row);
    double entered(std::size_t t);
    double share(std::size_t t, std::vector<double>& row) const;

    const Steps<F> steps_;
    PathSum<F, LogSpace> sum_;
    std::vector<double> beta_;     // rows at the same offsets as those of α
    std::vector<double> entered_;  // shift of the scores of transitions into t; NaN where it is not known yet
    bool possible_ = false;
};

// Probabilities of spans of a ragged batch: of sequence i those numbered first[i] .. first[i + 1], which are the
// positions begin .. end - 1 with this type. log_z[i] is that of the sequence, and 0 for one without spans.
struct SpanQuestions {
    const std::int64_t* first;
    const std::int64_t* begin;
    const std::int64_t* end;
    const Label* type;
};

template <class F>
void span_probabilities(Batch<F> batch, const SpanTypes& types, const SpanQuestions& asked,
                        double* probability, double* log_z, std::size_t threads);

// eq:filter   P(y_t | x_1..t) = Σ_rest α_t(rest, y), for all t; out (T, L). Returns log Z; out is not written if that is
// -inf or NaN.
template <class F>
double filtered(const Trellis<F>& trellis, double* out);

}  // namespace seqlab
