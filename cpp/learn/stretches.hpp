// Sums over a corpus: stretches of sentences, as many at a time as there are threads, added in order.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "inference/kernels/kernels.hpp"
#include "numerics/sum.hpp"
#include "parallel/parallel.hpp"

namespace seqlab {

// The loss of all stretches: run(first, last, worker) gives that of sentences first .. last, and leaves counts in the worker,
// which go to `sum` and from there to `total`. Workers are made when they are missing. The same bits for any number of threads.
template <class Worker, class Counts, class Make, class Run>
double over_stretches(const std::vector<std::size_t>& cuts, std::size_t threads,
                      std::vector<std::unique_ptr<Worker>>& workers, Counts& sum, double* total, Make make,
                      Run run) {
    const std::size_t parts = cuts.size() - 1;
    threads = std::min(threads, parts);
    while (workers.size() < threads) workers.push_back(make());
    CompensatedSum loss;
    for (std::size_t first = 0; first < parts; first += threads) {
        const std::size_t count = std::min(threads, parts - first);
        parallel_for(count, threads, [&, &set = kernels()](std::size_t i) {
            const PinKernels pin(set);
            workers[i]->loss = run(cuts[first + i], cuts[first + i + 1], *workers[i]);
        });
        for (std::size_t i = 0; i < count; ++i) {
            loss.add(workers[i]->loss);
            workers[i]->counts.move_into(sum);
        }
    }
    sum.move_to(total);
    return loss.value();
}

}  // namespace seqlab
