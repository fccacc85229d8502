// Release Python's global interpreter lock (GIL) while the core works, and take it again for a callback.
//
// When the program ends, Python would terminate a daemon thread that asks for the lock, in the middle of C++ code,
// which leads to abort(). Such a thread waits here until the process has ended.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace seqlab::bind {

inline void wait_if_python_ends() {
#if PY_VERSION_HEX >= 0x030D0000
    while (Py_IsFinalizing())
#else
    while (_Py_IsFinalizing())
#endif
        std::this_thread::sleep_for(std::chrono::seconds(1));
}

// Replaces nanobind's gil_scoped_release.
class Unlocked {
public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    ~Unlocked() {
        wait_if_python_ends();
        PyEval_RestoreThread(state_);
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    PyThreadState* state_;
};

// Replaces nanobind's gil_scoped_acquire.
class Locked {
public:
    Locked() {
        wait_if_python_ends();
        state_ = PyGILState_Ensure();
    }
    ~Locked() { PyGILState_Release(state_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace seqlab::bind
