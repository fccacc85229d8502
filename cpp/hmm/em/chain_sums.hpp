// Input and output of an E step over chains.
#pragma once

namespace seqlab {

// Logs of π (L), A (L, ..., L), and of the end of a sequence (L) or null; in order 2 and 3 also of the transitions into
// positions 1 and 2, which have fewer previous labels: (L, L) and (L, L, L).
struct ChainTables {
    const double *start, *edge, *end;
    const double* head[2] = {nullptr, nullptr};
};

// Expected counts that an E step adds to, and log P of every sequence.
struct ChainSums {
    double *start, *edge, *end;  // (L), (L, ..., L), (L)
    double* log_z;               // (sequences): -inf for an impossible sequence, which adds nothing
    double* head[2] = {nullptr, nullptr};
};

}  // namespace seqlab
