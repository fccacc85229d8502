#include "linear/tagging/one_sequence.hpp"

namespace seqlab {

bool OneSequence::takes(std::size_t T) const {
    constexpr std::size_t most_work = std::size_t{1} << 22;
    const PinKernels pin(decoder_.best().set());
    const std::size_t L = decoder_.best().L();
    return T > 0 && T * L * L <= most_work && !is_long<float>(T, L);
}

std::span<const Label> OneSequence::best(const PlacedEntries& rows) {
    const PinKernels pin(decoder_.best().set());
    const std::size_t T = rows.tokens(), size = T * decoder_.best().L() + decoder_.LP();
    float* const node = room_.node.of(size);
    scorer_(rows, 0, T, node);
    path_.resize(T);
    if (!decoder_.best().one(T, node, node + size, path_.data(), room_)) return {};
    return path_;
}

}  // namespace seqlab
