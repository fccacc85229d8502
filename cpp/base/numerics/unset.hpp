#pragma once

#include <cstddef>

#include "base/numerics/buffer.hpp"

namespace seqlab {

// An uninitialised array of numbers, all of which will be written before they are read. A std::vector would set them to
// zero first, and the thread that does so would get all the pages from the system, even if other threads fill them
// later.
template <class T>
class Unset {
public:
    Unset() = default;
    explicit Unset(std::size_t size) : data_(room_.of(size)), size_(size) {}

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

private:
    Buffer<T> room_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace seqlab
