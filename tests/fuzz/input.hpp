// Numbers and text out of the bytes that libFuzzer gives, and the way to say that a law does not hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace seqlab::fuzz {

// Takes bytes from the front; behind the end all are 0.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const char*>(data), size) {}

    bool empty() const { return left_.empty(); }
    template <class X>
    X number() {
        X found{};
        const std::string_view bytes = text(sizeof(X));
        std::memcpy(&found, bytes.data(), bytes.size());
        return found;
    }
    // From 0 to limit - 1.
    std::size_t below(std::size_t limit) {
        return (limit <= 256 ? number<std::uint8_t>() : number<std::uint32_t>()) % limit;
    }
    bool yes() { return number<std::uint8_t>() & 1; }
    std::string_view text(std::size_t size) {
        const std::string_view taken = left_.substr(0, size);
        left_.remove_prefix(taken.size());
        return taken;
    }
    std::string_view rest() { return text(left_.size()); }
    // Up to the next byte 0, which is taken too.
    std::string_view string() {
        const std::string_view taken = text(std::min(left_.find('\0'), left_.size()));
        text(1);
        return taken;
    }

private:
    std::string_view left_;
};

// An array of its own, so that a sanitizer sees every access beyond its end.
template <class X>
std::vector<X> array_of(std::string_view bytes) {
    std::vector<X> array(bytes.size() / sizeof(X));
    if (!array.empty()) std::memcpy(array.data(), bytes.data(), array.size() * sizeof(X));
    return array;
}

inline void law(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "this does not hold: %s\n", what);
    std::abort();
}

}  // namespace seqlab::fuzz
