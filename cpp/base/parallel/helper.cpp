#include "base/parallel/helper.hpp"

#include <mutex>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace seqlab {

namespace {

#if defined(__unix__) || defined(__APPLE__)
// Have os.fork() wait until no thread is being started.
[[maybe_unused]] const int registered =
    pthread_atfork([] { starting().lock(); }, [] { starting().unlock(); }, [] { starting().unlock(); });
#endif

}  // namespace

std::mutex& starting() {
    static std::mutex lock;
    return lock;
}

}  // namespace seqlab
