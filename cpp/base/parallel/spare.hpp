// A pool of workspaces that are costly to make: a thread takes one and returns it for other threads to use.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace seqlab {

// Holds as many objects as were ever in use at the same time.
template <class Thing>
class Spare {
public:
    // Take an unused object, or make a new one.
    template <class Make>
    std::unique_ptr<Thing> get(Make make) {
        {
            const std::lock_guard<std::mutex> lock(guard_);
            if (!things_.empty()) {
                std::unique_ptr<Thing> thing = std::move(things_.back());
                things_.pop_back();
                return thing;
            }
        }
        return make();
    }
    // Called by destructors: without memory for one more, the object is let go.
    void put(std::unique_ptr<Thing> thing) noexcept {
        const std::lock_guard<std::mutex> lock(guard_);
        try {
            things_.push_back(std::move(thing));
        } catch (const std::bad_alloc&) {
        }
    }

private:
    std::mutex guard_;
    std::vector<std::unique_ptr<Thing>> things_;
};

}  // namespace seqlab
