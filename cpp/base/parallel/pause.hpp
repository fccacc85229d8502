#pragma once

namespace seqlab {

// A moment's rest in a loop that waits for another thread, so that a neighbour on the same core gets on.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace seqlab
