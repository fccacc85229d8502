// Input and output of an E step over chains.
#pragma once

namespace seqlab {

// Logs of π (L), A (L, L), and of the end of a sequence (L) or null.
struct ChainTables {
    const double *start, *edge, *end;
};

// Expected counts that an E step adds to, and log P of every sequence.
struct ChainSums {
    double *start, *edge, *end;  // (L), (L, L), (L)
    double* log_z;               // (sequences): -inf for an impossible sequence, which adds nothing
};

}  // namespace seqlab
