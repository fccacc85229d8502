// Python's lock, let go while the core works, and taken again for a call back.
//
// A daemon thread that asks for the lock when the program ends would be ended by Python on the spot, in the middle of C++, which
// answers with abort(). It waits instead, for ever, which is not long.
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

// As nanobind's gil_scoped_release.
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

// As nanobind's gil_scoped_acquire.
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
