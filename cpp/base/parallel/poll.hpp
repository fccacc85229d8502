// Long loops ask now and then whether they shall go on: a signal (Ctrl-C), or another thread, may want them to end.
//
// The thread that calls the core makes a Poll, with a function that throws if the work shall end. poll() in a loop calls
// that function a few times a second; helper threads of parallel loops only look whether their caller was told to end,
// and then end too. A loop that takes less than a millisecond needs no poll().
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

namespace seqlab {

// Thrown by poll() in helper threads, and by questions that have nothing else to throw.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

class Poll {
public:
    using Question = void (*)();  // throws if the work of this thread shall end

    explicit Poll(Question question);
    ~Poll();
    Poll(const Poll&) = delete;
    Poll& operator=(const Poll&) = delete;

    // Make this the poll of a helper thread, for one job.
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

    // Throw what the question threw, if it did: it says more than Stopped.
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

// Ask whether to go on; throws if not. A look at the clock: some 30 nanoseconds.
void poll();

// poll() at position t of a sequence, as often as the work of a position, so many multiply-adds, makes it worthwhile.
inline void poll_at(std::size_t t, std::size_t work) {
    if (work >= (1 << 14) || t % 1024 == 0) poll();
}

// Wait-and-see for the end of a parallel loop: nothing may be thrown while helpers work on it.
inline void poll_quietly(std::exception_ptr& failure) {
    if (failure) return;
    try {
        poll();
    } catch (...) {
        failure = std::current_exception();
    }
}

// Throw the failure of a parallel loop, if there is one; what its caller was told comes before that of its helpers.
inline void rethrow_first(const std::exception_ptr& failure) {
    if (!failure) return;
    if (const Poll* const mine = Poll::here()) mine->rethrow();
    std::rethrow_exception(failure);
}

}  // namespace seqlab
