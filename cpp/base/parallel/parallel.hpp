#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel/helper.hpp"
#include "base/parallel/poll.hpp"
#include "base/parallel/team.hpp"

namespace seqlab {

// Helper threads that live as long as this object: every parallel loop of the thread that made it runs on them.
// Starting a thread takes some fifty microseconds, and one training iteration has a dozen loops, most of them shorter
// than a millisecond.
class Crew {
public:
    explicit Crew(std::size_t threads) : team_(threads), before_(at_hand()) {
        if (threads > 1) at_hand() = &team_;
    }
    ~Crew() { at_hand() = before_; }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // The helpers of this thread; null when it has none, or when they are busy.
    static Team*& at_hand() {
        static thread_local Team* team = nullptr;
        return team;
    }

private:
    Team team_;
    Team* before_;
};

// Run job(i) for i in [0, count) on up to `threads` threads. The scheduler decides which thread runs which job, so a
// job may write only the results of its own i; sums are taken afterwards in the order of i. Therefore results do not
// depend on the number of threads. Threads are started per call, or per Crew: a permanent pool would not survive
// os.fork() in the user's program.
template <class Job>
void parallel_for(std::size_t count, std::size_t threads, Job job) {
    if (threads > count) threads = count;
    if (threads <= 1) {
        for (std::size_t i = 0; i < count; ++i) {
            poll();
            job(i);
        }
        return;
    }
    if (Team* const team = std::exchange(Crew::at_hand(), nullptr)) {
        const struct Back {
            Team* team;
            ~Back() { Crew::at_hand() = team; }
        } back{team};
        return team->run(count, job);
    }
    std::atomic<std::size_t> next{0}, running{0};
    std::exception_ptr failure;
    std::mutex guard;
    std::condition_variable ended;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                poll();
                job(i);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    const auto help = [&, caller = Poll::here()] {
        const Poll::Lent lent(caller);
        work();
        const std::lock_guard<std::mutex> lock(guard);
        if (--running == 0) ended.notify_one();
    };
    std::vector<std::thread> helpers;
    helpers.reserve(threads);
    try {
        for (std::size_t i = 1; i < threads; ++i) {
            ++running;
            helpers.push_back(start_helper(help));
        }
    } catch (const std::exception&) {
        // The system refuses more threads, or memory for them: this thread and those that started do the work.
        --running;
    }
    work();
    for (std::unique_lock<std::mutex> lock(guard); running > 0;) {
        ended.wait_for(lock, std::chrono::milliseconds(100));
        lock.unlock();
        std::exception_ptr told;
        poll_quietly(told);
        lock.lock();
        if (told && !failure) failure = told;
    }
    for (std::thread& helper : helpers) helper.join();
    rethrow_first(failure);
}

// Run work(from, to) for ranges that make up [0, size), one per thread: for loops with independent iterations.
template <class Work>
void parallel_ranges(std::size_t size, std::size_t threads, Work work) {
    constexpr std::size_t worth_a_thread = 1 << 15;
    const std::size_t ranges = std::clamp<std::size_t>(size / worth_a_thread, 1, threads);
    parallel_for(ranges, ranges, [&](std::size_t i) { work(size * i / ranges, size * (i + 1) / ranges); });
}

}  // namespace seqlab
