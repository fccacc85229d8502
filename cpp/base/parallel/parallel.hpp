#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel/team.hpp"

namespace seqlab {

// Helpers that stay as long as this lives: whatever its thread runs in parallel meanwhile is given to them, as many as there
// are. To make a thread takes some fifty microseconds, and an iteration of a training has a dozen loops, most of them shorter
// than a millisecond.
class Crew {
public:
    explicit Crew(std::size_t threads) : team_(threads), before_(at_hand()) {
        if (threads > 1) at_hand() = &team_;
    }
    ~Crew() { at_hand() = before_; }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // The helpers of this thread; null when it has none, or when they are at work.
    static Team*& at_hand() {
        static thread_local Team* team = nullptr;
        return team;
    }

private:
    Team team_;
    Team* before_;
};

// Run job(i) for i in [0, count) on up to `threads` threads. Which thread runs which job is chance, so a job may
// write only what belongs to i; sums are taken afterwards in the order of i. That is why results do not depend
// on the number of threads. Threads are made per call, or per Crew: a pool that stays would not survive os.fork() in the user's
// program.
template <class Job>
void parallel_for(std::size_t count, std::size_t threads, Job job) {
    if (threads > count) threads = count;
    if (threads <= 1) {
        for (std::size_t i = 0; i < count; ++i) job(i);
        return;
    }
    if (Team* const team = std::exchange(Crew::at_hand(), nullptr)) {
        const struct Back {
            Team* team;
            ~Back() { Crew::at_hand() = team; }
        } back{team};
        return team->run(count, job);
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) job(i);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::thread> helpers;
    helpers.reserve(threads);
    try {
        for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    } catch (const std::exception&) {
        // The system gives no more threads, or no memory for them: those that started, and this one, do the work.
    }
    work();
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

// Run work(from, to) for ranges that make up [0, size), one per thread: for loops whose turns do not know of each other.
template <class Work>
void parallel_ranges(std::size_t size, std::size_t threads, Work work) {
    constexpr std::size_t worth_a_thread = 1 << 15;
    const std::size_t ranges = std::clamp<std::size_t>(size / worth_a_thread, 1, threads);
    parallel_for(ranges, ranges, [&](std::size_t i) { work(size * i / ranges, size * (i + 1) / ranges); });
}

}  // namespace seqlab
