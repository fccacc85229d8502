// A text cut into tokens and sentences.
#pragma once

#include <cstdint>
#include <vector>

namespace seqlab::text {

struct Segmentation {
    std::vector<std::int64_t> begins, ends;  // (tokens): code points begin .. end - 1
    std::vector<std::uint8_t> joined;        // (tokens): 1 where a token continues the word before it
    std::vector<std::int64_t> offsets;       // (N + 1): sentence i has tokens offsets[i] .. offsets[i + 1]
};

}  // namespace seqlab::text
