// Clusters of vectors by k-means, to initialise EM.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seqlab {

// T vectors of D numbers, one after another.
struct Points {
    const double* x = nullptr;
    std::size_t T = 0, D = 0;
};

struct KMeansOptions {
    std::size_t K = 1;
    std::size_t rounds = 100;  // largest number of Lloyd's algorithm
    double still = 0;          // ends when the centres move by less, as a sum of squares
    std::size_t threads = 1;
};

// eq:k-means   Find the clusters of `all`, (T,). Every row of `chance` (runs x K numbers from 0 to 1) draws a start by
// k-means++ from `sample`; the best of these runs on the sample starts Lloyd's algorithm on all vectors.
void k_means(const Points& all, const Points& sample, const double* chance, std::size_t runs,
             const KMeansOptions& options, std::int64_t* cluster);

}  // namespace seqlab
