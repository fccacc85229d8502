// What an E step is given and what it adds to.
#pragma once

namespace seqlab {

// Logs of π (L), A (L, L), and of the end of a sequence (L) or null.
struct ChainTables {
    const double *start, *edge, *end;
};

// What a pass adds to, and log P of every sequence.
struct ChainSums {
    double *start, *edge, *end;  // (L), (L, L), (L)
    double* log_z;               // (sequences): -inf for one that cannot be, which adds nothing
};

}  // namespace seqlab
