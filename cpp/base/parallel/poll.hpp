// Interruption of long loops by a signal (Ctrl-C) or by another thread.
//
// The thread that calls the core makes a Poll, with a function that throws if the work is to stop. poll() in a loop
// calls that function ten times a second; helper threads of parallel loops only check whether their caller was stopped,
// and then stop too. A loop that takes less than a millisecond needs no poll().
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

namespace seqlab {

// Thrown by poll() in helper threads, and by questions without an exception of their own.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

class Poll {
public:
    using Question = void (*)();  // throws if this thread is to stop

    explicit Poll(Question question);
    ~Poll();
    Poll(const Poll&) = delete;
    Poll& operator=(const Poll&) = delete;

    // Set the caller's poll in a helper thread, for one job.
    class Lent {
    public:
        explicit Lent(Poll* poll);
        ~Lent();
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;

    private:
        Poll* before_;
        bool owner_before_;
    };

    // The poll of this thread; null when it has none.
    static Poll* here();

    // Rethrow the exception of the question, if any; it has more information than Stopped.
    void rethrow() const {
        if (stopped_.load(std::memory_order_acquire)) std::rethrow_exception(why_);
    }

private:
    friend void poll();
    void ask();

    const Question question_;
    std::atomic<bool> stopped_{false};
    std::exception_ptr why_;
    Poll* const before_;
    const bool owner_before_;
};

// Throw if the work is to stop. Usually this only reads the clock, in about 30 nanoseconds.
void poll();

// poll() at position t of a sequence, or at every 1024th position if each takes little work (multiply-adds).
inline void poll_at(std::size_t t, std::size_t work) {
    if (work >= (1 << 14) || t % 1024 == 0) poll();
}

// poll() for a caller that waits for helpers: the exception is stored, because none may be thrown while they work.
inline void poll_quietly(std::exception_ptr& failure) {
    if (failure) return;
    try {
        poll();
    } catch (...) {
        failure = std::current_exception();
    }
}

// Make the thread-local data of this thread: ours, and those that exceptions need.
void make_thread_data();

// Throw the failure of a parallel loop, if any; the caller's exception has priority over those of helpers.
inline void rethrow_first(const std::exception_ptr& failure) {
    if (!failure) return;
    if (const Poll* const mine = Poll::here()) mine->rethrow();
    std::rethrow_exception(failure);
}

}  // namespace seqlab
