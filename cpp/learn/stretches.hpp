// Sums over a corpus: stretches of sentences, as many at a time as there are threads, added in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "inference/kernels/kernels.hpp"
#include "numerics/sum.hpp"
#include "parallel/parallel.hpp"
#include "parallel/spare.hpp"

namespace seqlab {

// Those who are through with part i add what they have when 0 .. i - 1 have been added. Parts are begun in order, so the one
// whose turn it is never waits for another.
class Turns {
public:
    // add() when it is the turn of `part`. A part that has failed, there or before, passes its turn on, so that nobody waits
    // for ever.
    template <class Add>
    void take(std::size_t part, Add add) {
        std::unique_lock<std::mutex> lock(guard_);
        changed_.wait(lock, [&] { return next_ == part; });
        const Passed passed{*this};
        add();
    }

private:
    struct Passed {
        Turns& turns;
        ~Passed() {
            ++turns.next_;
            turns.changed_.notify_all();
        }
    };

    std::mutex guard_;
    std::condition_variable changed_;
    std::size_t next_ = 0;
};

// What was added before another stretch failed must not stay for the next time.
template <class Counts>
struct Cleared {
    Counts& sum;
    int failures = std::uncaught_exceptions();
    ~Cleared() {
        if (std::uncaught_exceptions() > failures) sum.clear();
    }
};

// The loss of all stretches: run(first, last, worker) gives that of sentences first .. last, and leaves counts in the worker,
// which go to `sum` and from there to `total`. The same bits for any number of threads. The counts of the last stretch are added
// by all threads: there is nothing else to do by then.
template <class Worker, class Counts, class Make, class Run>
double over_stretches(const std::vector<std::size_t>& cuts, std::size_t threads, Spare<Worker>& workers,
                      Counts& sum, double* total, Make make, Run run) {
    Turns turns;
    CompensatedSum loss;
    std::unique_ptr<Worker> last;
    const Cleared<Counts> otherwise{sum};
    parallel_for(cuts.size() - 1, threads, [&, &set = kernels()](std::size_t i) {
        const PinKernels pin(set);
        std::unique_ptr<Worker> worker;
        double lost = 0.0;
        try {
            worker = workers.get(make);
            lost = run(cuts[i], cuts[i + 1], *worker);
        } catch (...) {
            turns.take(i, [] {});
            throw;
        }
        turns.take(i, [&] {
            loss.add(lost);
            if (i + 2 < cuts.size()) worker->counts.move_into(sum);
        });
        if (i + 2 < cuts.size())
            workers.put(std::move(worker));
        else
            last = std::move(worker);
    });
    last->counts.move_into(sum, threads);
    workers.put(std::move(last));
    sum.move_to(total, threads);
    return loss.value();
}

}  // namespace seqlab
