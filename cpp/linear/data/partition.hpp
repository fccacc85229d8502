// Sums over a corpus by several threads, bit-identical for any number of them (docs/decisions/0010).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "base/numerics/sum.hpp"
#include "base/parallel/parallel.hpp"
#include "base/parallel/pause.hpp"
#include "base/parallel/spare.hpp"
#include "kernels/kernels.hpp"
#include "linear/data/task.hpp"

namespace seqlab {

// A partition of the corpus into shards, and of shards into parts, which depends on the data alone. Every shard has its
// own sums, to which its parts are added in order, and the sums of shards are added in order, too.
struct Partition {
    std::vector<std::size_t> cuts{0};   // part p has sentences cuts[p] .. cuts[p + 1]
    std::vector<std::size_t> first{0};  // shard i has parts first[i] .. first[i + 1]

    explicit Partition(const Task& task);

    std::size_t parts() const { return cuts.size() - 1; }
    std::size_t size() const { return first.size() - 1; }
};

// The schedule of a pass: the parts in progress, and the part of each shard that may add its counts next.
template <class Counts>
class Ledger {
public:
    struct Part {
        std::size_t shard, number;
    };

    // The sums of the first shard are the total, `sum`.
    Ledger(const Partition& cut, Counts& sum, Spare<Counts>& spare)
        : shards_(cut.size()), parts_left_(cut.parts()), sum_(sum), spare_(spare) {
        for (std::size_t i = 0; i < cut.size(); ++i) {
            shards_[i].next = shards_[i].turn = cut.first[i];
            shards_[i].end = cut.first[i + 1];
            shards_[i].done = cut.first[i] == cut.first[i + 1];
        }
    }

    // Take the next part: of the shard with the fewest parts in progress, since these wait for each other.
    std::optional<Part> begin() {
        const std::lock_guard<std::mutex> lock(guard_);
        if (failed_) return std::nullopt;
        Shard* best = nullptr;
        for (Shard& shard : shards_)
            if (shard.next < shard.end && (!best || shard.busy < best->busy)) best = &shard;
        if (!best) return std::nullopt;
        ++best->busy;
        return Part{static_cast<std::size_t>(best - shards_.data()), best->next++};
    }
    // Return the sums to add to, once the parts before this one have been added. They are all in progress, so the wait
    // is short.
    template <class Make>
    Counts& counts(Part part, Make make) {
        Shard& shard = shards_[part.shard];
        wait_for(part);
        if (part.shard == 0) return sum_;
        if (!shard.counts) shard.counts = spare_.get(make);
        return *shard.counts;
    }
    void end(Part part, bool well) {
        Shard& shard = shards_[part.shard];
        wait_for(part);
        bool others_left = false;
        {
            const std::lock_guard<std::mutex> lock(guard_);
            --shard.busy;
            failed_ = failed_ || !well;
            shard.done = part.number + 1 == shard.end;
            others_left = --parts_left_ > 0;
        }
        if (shard.done && others_left) add_done();
        shard.turn.exchange(part.number + 1);  // sequentially consistent with the number of sleepers
        shard.turn.notify_all();
    }
    // Add the remaining shards with all threads: no other work is left by then.
    void finish(std::size_t threads) {
        for (; added_ < shards_.size(); ++added_) add(shards_[added_], threads);
    }

private:
    struct Shard {
        std::size_t next = 0, end = 0, busy = 0;  // parts to begin, and parts in progress
        std::atomic<std::size_t> turn{0};         // the part to be added next
        std::unique_ptr<Counts> counts;
        bool done = false;
    };
    static constexpr int patience = 4'000;  // waking a thread takes longer than most waits

    void wait_for(Part part) {
        const std::atomic<std::size_t>& turn = shards_[part.shard].turn;
        const auto now = [&] { return turn.load(std::memory_order_acquire); };
        for (int i = 0; i < patience && now() != part.number; ++i) pause();
        for (std::size_t at = now(); at != part.number; at = now()) turn.wait(at, std::memory_order_acquire);
    }
    // Add the shards whose turn it is, unless another thread is adding; the rest is added later.
    void add_done() {
        const std::unique_lock<std::mutex> adding(adding_, std::try_to_lock);
        while (adding && next_is_done()) add(shards_[added_++], 1);
    }
    bool next_is_done() {
        const std::lock_guard<std::mutex> lock(guard_);
        return !failed_ && added_ < shards_.size() && shards_[added_].done;
    }
    void add(Shard& shard, std::size_t threads) {
        if (!shard.counts) return;
        shard.counts->move_into(sum_, threads);
        try {
            spare_.put(std::move(shard.counts));
        } catch (const std::bad_alloc&) {
            // Allocation failed: new sums are made when they are needed.
        }
    }

    std::vector<Shard> shards_;
    std::size_t parts_left_;
    std::size_t added_ = 0;  // shards
    bool failed_ = false;
    std::mutex guard_, adding_;  // adding_ protects added_ and all sums that are being added
    Counts& sum_;
    Spare<Counts>& spare_;
};

// One part from begin to end; the destructor also ends it after an exception.
template <class Counts, class Make>
class Turn {
public:
    Turn(Ledger<Counts>& ledger, typename Ledger<Counts>::Part part, const Make& make)
        : ledger_(ledger), part_(part), make_(make) {}
    ~Turn() { ledger_.end(part_, std::uncaught_exceptions() == failures_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // The sums to add to, which belong to this part alone until its end.
    Counts& counts() { return ledger_.counts(part_, make_); }

private:
    Ledger<Counts>& ledger_;
    typename Ledger<Counts>::Part part_;
    const Make& make_;
    int failures_ = std::uncaught_exceptions();
};

// After a failure, partial sums must not remain for the next pass.
template <class Counts>
struct Cleared {
    Counts& sum;
    int failures = std::uncaught_exceptions();
    ~Cleared() {
        if (std::uncaught_exceptions() > failures) sum.clear();
    }
};

// Compute the loss of a corpus: run(first, last, worker, turn) returns that of sentences first .. last, and adds their
// counts to turn.counts(); the counts of all parts go to `total`.
template <class Worker, class Counts, class MakeWorker, class MakeCounts, class Run>
double over_partition(const Partition& partition, std::size_t threads, Spare<Worker>& workers,
                      Spare<Counts>& spare, Counts& sum, double* total, MakeWorker make_worker,
                      MakeCounts make_counts, Run run) {
    const Cleared<Counts> otherwise{sum};
    Ledger<Counts> ledger(partition, sum, spare);
    std::vector<double> losses(partition.parts());
    const std::size_t workers_used = std::min(threads, partition.parts());
    parallel_for(workers_used, workers_used, [&, &set = kernels()](std::size_t) {
        const PinKernels pin(set);
        std::unique_ptr<Worker> worker = workers.get(make_worker);
        while (const auto part = ledger.begin()) {
            Turn<Counts, MakeCounts> turn(ledger, *part, make_counts);
            losses[part->number] =
                run(partition.cuts[part->number], partition.cuts[part->number + 1], *worker, turn);
        }
        workers.put(std::move(worker));
    });
    ledger.finish(threads);
    sum.move_to(total, threads);
    CompensatedSum loss;
    for (const double lost : losses) loss.add(lost);
    return loss.value();
}

}  // namespace seqlab
