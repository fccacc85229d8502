#pragma once

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>

#include "base/parallel/poll.hpp"

namespace seqlab {

// Start a thread. Throws when the system refuses it, or memory for it.
//
// The C library makes the thread-local data of a thread at their first use, and ends the program if there is no memory
// left then. So memory is set aside here, and the thread gives it back to have these data made before its work begins.
template <class Work>
std::thread start_helper(Work work) {
    constexpr std::size_t enough = 4096;
    return std::thread([aside = std::make_unique<std::byte[]>(enough), work = std::move(work)]() mutable {
        aside.reset();
        make_thread_data();
        work();
    });
}

}  // namespace seqlab
