#include "base/parallel/poll.hpp"

#include <chrono>
#include <exception>

namespace seqlab {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto interval = std::chrono::milliseconds(100);

struct Here {
    Poll* poll = nullptr;
    bool owner = false;  // this thread made the Poll, and may call its function
};
thread_local Here now;
thread_local Clock::time_point due;  // per thread: many short calls check as often as a long one

}  // namespace

Poll::Poll(Question question) : question_(question), before_(now.poll), owner_before_(now.owner) {
    now = {this, true};
}
Poll::~Poll() {
    now = {before_, owner_before_};
}

Poll::Lent::Lent(Poll* poll) : before_(now.poll), owner_before_(now.owner) {
    now = {poll, false};
}
Poll::Lent::~Lent() {
    now = {before_, owner_before_};
}

Poll* Poll::here() {
    return now.poll;
}

void Poll::ask() {
    const auto time = Clock::now();
    if (time < due) return;
    due = time + interval;
    try {
        question_();
    } catch (...) {
        why_ = std::current_exception();
        stopped_.store(true, std::memory_order_release);
        throw;
    }
    due = Clock::now() + interval;  // question_() may have waited for Python's lock
}

void poll() {
    Poll* const mine = now.poll;
    if (!mine) return;
    if (mine->stopped_.load(std::memory_order_relaxed)) throw Stopped{};
    if (now.owner) mine->ask();
}

void make_thread_data() {
    [[maybe_unused]] Poll* volatile const mine = now.poll;
    [[maybe_unused]] const volatile int thrown = std::uncaught_exceptions();
}

}  // namespace seqlab
