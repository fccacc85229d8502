#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace seqlab {

// Room for n numbers on a cache-line boundary, not initialised; grows, never shrinks.
template <class F>
class Buffer {
public:
    F* of(std::size_t n) {
        if (n > size_) {
            data_.reset(static_cast<F*>(::operator new(n * sizeof(F), std::align_val_t{64})));
            size_ = n;
        }
        return data_.get();
    }

private:
    struct Free {
        void operator()(F* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    std::unique_ptr<F, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace seqlab
