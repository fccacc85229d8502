#pragma once

#include <cstddef>

#include "base/parallel/poll.hpp"

namespace seqlab {

// poll() after 65,536 steps of a loop whose steps take nanoseconds.
class PollSteps {
public:
    void operator()(std::size_t steps = 1) {
        if ((count_ += steps) < (1 << 16)) return;
        count_ = 0;
        poll();
    }

private:
    std::size_t count_ = 0;
};

}  // namespace seqlab
