#pragma once

#include <cstdint>
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace seqlab {

// Flushes denormal numbers to zero on this thread for the life of this object; the destructor restores the old mode.
// Denormals cost a hundred cycles each, and the certificate (eq:certificate) already counts them as lost.
class FlushToZero {
public:
    FlushToZero() : before_(read()) { write(before_ | bits); }
    ~FlushToZero() { write(before_); }
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;

private:
#if defined(__x86_64__) || defined(__i386__)
    using Word = std::uint32_t;
    static constexpr Word bits = 0x8040;  // flush results, treat denormal inputs as zero
    static Word read() { return _mm_getcsr(); }
    static void write(Word w) { _mm_setcsr(w); }
#elif defined(__aarch64__)
    using Word = std::uint64_t;
    static constexpr Word bits = Word{1} << 24;
    static Word read() {
        Word w;
        asm volatile("mrs %0, fpcr" : "=r"(w));
        return w;
    }
    static void write(Word w) { asm volatile("msr fpcr, %0" : : "r"(w)); }
#else
    using Word = std::uint32_t;
    static constexpr Word bits = 0;
    static Word read() { return 0; }
    static void write(Word) {}
#endif
    Word before_;
};

}  // namespace seqlab
