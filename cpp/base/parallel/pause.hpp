#pragma once

namespace seqlab {

// Pause briefly in a loop that waits for another thread, so that the other hardware thread of the core can run.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace seqlab
