// Threads that stay for many short jobs: starting a thread takes as long as such a job.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel/helper.hpp"
#include "base/parallel/pause.hpp"
#include "base/parallel/poll.hpp"

namespace seqlab {

// Every free thread takes the next job. The caller does not wait for a helper that the system has not scheduled: it
// runs the jobs itself.
class Team {
public:
    explicit Team(std::size_t threads)
        : patience_(threads <= std::thread::hardware_concurrency() ? patient : impatient) {
        try {
            threads = std::min(threads, most_threads);
            helpers_.reserve(threads);
            for (std::size_t k = 1; k < threads; ++k) helpers_.push_back(start_helper([this] { serve(); }));
        } catch (const std::exception&) {
            // The system refuses more threads, or memory for them: the caller and those that started do the work.
        }
    }
    ~Team() {
        if (process() != maker_) {
            // This is the child of a fork in a callback: the helpers belong to the parent and can be neither joined nor
            // destroyed here, so they are leaked.
            new std::vector<std::thread>(std::move(helpers_));
            return;
        }
        stop_ = true;
        call(helpers_.size());
        for (std::thread& helper : helpers_) helper.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    // Run job(i) for every i < count. As in parallel_for, a job may write only the results of its own i.
    template <class Job>
    void run(std::size_t count, Job job) {
        if (helpers_.empty() || count <= 1) {
            for (std::size_t i = 0; i < count; ++i) {
                poll();
                job(i);
            }
            return;
        }
        done_ = 0;
        job_ = &job;
        poll_ = Poll::here();
        work_ = [](void* of, std::size_t i) { (*static_cast<Job*>(of))(i); };
        next_.store(std::uint64_t{count} << 32, std::memory_order_release);  // from here on helpers take jobs
        call(std::min(count - 1, helpers_.size()));
        work();
        std::exception_ptr told;
        for (int turn = 0; done_.load(std::memory_order_acquire) < count; ++turn) {
            rest(turn);
            if (turn % 1024 == 1023) poll_quietly(told);
        }
        const std::exception_ptr failure = std::exchange(failure_, nullptr);
        rethrow_first(failure ? failure : told);
    }

private:
    static constexpr std::size_t most_threads =
        32;  // loops have few parts, and idle helpers would only compete for the core
    // Iterations of busy waiting before a helper yields the core. Waking a sleeping thread takes longer than the
    // caller's serial work between two rounds, a millisecond at most; but with more threads than cores, another thread
    // needs this core.
    static constexpr int patient = 60'000, impatient = 4'000;

    void rest(int turn) const {
        if (turn >= patience_) return std::this_thread::yield();
        pause();
    }
    static long process() {
#if defined(__unix__) || defined(__APPLE__)
        return getpid();
#else
        return 0;
#endif
    }
    // Wake up to `wanted` sleeping helpers; helpers that are not woken are not waited for.
    void call(std::size_t wanted) {
        round_.fetch_add(1);  // sequentially consistent with the number of sleepers, which is read next
        if (wanted == helpers_.size()) return round_.notify_all();
        for (std::size_t k = 0; k < wanted; ++k) round_.notify_one();
    }
    void serve() {
        for (std::uint32_t seen = 0; !stop_; seen = round_.load(std::memory_order_acquire)) {
            work(true);
            for (int turn = 0; turn < patience_ && round_.load(std::memory_order_acquire) == seen; ++turn)
                rest(turn);
            round_.wait(seen, std::memory_order_acquire);
        }
    }
    // The job count and the next job number are read in one atomic load: a late helper may hold a number of an earlier
    // round (or none), which must not be compared with the count of this round. A number below its own count was given
    // out after everything else was written, and its round lasts until that job is done, so the data read then belong
    // to that round.
    void work(bool helping = false) {
        for (;;) {
            const std::uint64_t taken = next_.fetch_add(1, std::memory_order_acq_rel);
            const auto i = static_cast<std::size_t>(taken & 0xffffffff);
            if (i >= taken >> 32) return;
            try {
                std::optional<Poll::Lent> lent;
                if (helping) lent.emplace(poll_.load(std::memory_order_relaxed));
                poll();
                work_.load(std::memory_order_relaxed)(job_.load(std::memory_order_relaxed), i);
            } catch (...) {
                const std::lock_guard<std::mutex> lock(guard_);
                if (!failure_) failure_ = std::current_exception();
            }
            done_.fetch_add(1, std::memory_order_release);
        }
    }

    std::atomic<std::uint64_t> next_{0};  // jobs of the round in the upper half, jobs taken in the lower half
    std::atomic<std::size_t> done_{0};
    std::atomic<void*> job_{nullptr};
    std::atomic<Poll*> poll_{nullptr};  // the caller's
    std::atomic<void (*)(void*, std::size_t)> work_{nullptr};
    std::atomic<std::uint32_t> round_{0};
    std::atomic<bool> stop_{false};
    std::mutex guard_;
    std::exception_ptr failure_;
    std::vector<std::thread> helpers_;
    const long maker_ = process();
    const int patience_;
};

}  // namespace seqlab
