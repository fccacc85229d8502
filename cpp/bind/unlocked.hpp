// Release Python's global interpreter lock (GIL) while the core works, and take it again for a callback.
//
// When the program ends, Python ends a daemon thread at the moment it asks for the lock, by pthread_exit. That unwinds the frames of
// C++ as an exception would, and the first function that may not throw answers with abort(). So such a thread is caught
// where it asked, and sleeps until the process is gone. (Looking beforehand whether Python ends is not enough: it may begin to while
// the thread waits for the lock.)
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

// Ask whether this thread shall go on: runs handlers of signals (which may raise), and looks at the flag that it heeds.
void ask_python();

// Replaces nanobind's gil_scoped_release; long loops inside ask Python now and then whether to go on.
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
