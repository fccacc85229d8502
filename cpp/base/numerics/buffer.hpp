#pragma once

#include <cstddef>
#include <memory>
#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace seqlab {

// Uninitialised memory for n numbers, aligned to cache lines; it grows and never shrinks. Large buffers ask the system
// for huge pages, as NumPy does: touching 4 KiB pages for the first time would cost more than the computation in them.
template <class F>
class Buffer {
public:
    F* of(std::size_t n) {
        if (n > size_) {
            const bool large = n * sizeof(F) >= 2 * LARGE_PAGE;
            const std::align_val_t align{large ? LARGE_PAGE : 64};
            data_ = {static_cast<F*>(::operator new(n * sizeof(F), align)), Free{align}};
            size_ = n;
#if defined(__linux__)
            if (large) madvise(data_.get(), n * sizeof(F), MADV_HUGEPAGE);
#endif
        }
        return data_.get();
    }

private:
    static constexpr std::size_t LARGE_PAGE = std::size_t{1} << 21;
    struct Free {
        std::align_val_t align{64};
        void operator()(F* p) const { ::operator delete(p, align); }
    };
    std::unique_ptr<F, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace seqlab
