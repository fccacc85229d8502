// Release Python's global interpreter lock (GIL) while the core works, and take it again for a callback.
//
// When the program ends, Python ends a daemon thread that asks for the lock by pthread_exit. That unwinds the frames of
// C++ like an exception, and the first noexcept function calls abort(). So such a thread is caught where it asked, and
// sleeps until the process is gone. (Checking first whether Python is ending is not enough: that may begin while the
// thread waits for the lock.)
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

#include "base/parallel/poll.hpp"
#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace seqlab::bind {

// Call f(), during which Python may end this thread.
template <class F>
auto ended_by_sleep(F f) {
#if defined(__GLIBCXX__)
    try {
        return f();
    } catch (const abi::__forced_unwind&) {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
#else
    return f();  // pthread_exit unwinds nothing here
#endif
}

// Throw if this thread is to stop: runs signal handlers, which may raise, and checks the flags of this thread.
void ask_python();

// Releases the GIL like nanobind's gil_scoped_release; poll() in long loops checks for signals and flags.
class Unlocked {
public:
    Unlocked() : state_(PyEval_SaveThread()), poll_(ask_python) {}
    ~Unlocked() {
        ended_by_sleep([this] { PyEval_RestoreThread(state_); });
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    PyThreadState* state_;
    Poll poll_;
};

// call(), which may use Python, with the lock.
template <class Call>
auto locked(Call call) {
    struct Lock {
        PyGILState_STATE state = ended_by_sleep(PyGILState_Ensure);
        ~Lock() { PyGILState_Release(state); }
    } lock;
    return ended_by_sleep(call);
}

}  // namespace seqlab::bind
