#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/parallel/poll.hpp"

namespace seqlab {

// Held while a thread is started, and while the process forks.
//
// The C library uses the memory of threads that have ended again for new ones. While it does, that memory belongs to no
// one for a moment, and a process forked then would free it once more.
std::mutex& starting();

// Start a thread. Throws when the system refuses it, or memory for it.
//
// The C library makes the thread-local data of a thread at their first use, and ends the program if there is no memory
// left then. So memory is set aside here, and the thread gives it back to have these data made before its work begins.
template <class Work>
std::thread start_helper(Work work) {
    constexpr std::size_t enough = 4096;
    const std::lock_guard<std::mutex> lock(starting());
    return std::thread([aside = std::make_unique<std::byte[]>(enough), work = std::move(work)]() mutable {
        aside.reset();
        make_thread_data();
        work();
    });
}

}  // namespace seqlab
