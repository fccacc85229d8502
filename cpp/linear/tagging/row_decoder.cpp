#include "linear/tagging/row_decoder.hpp"

namespace seqlab {

std::int64_t RowDecoder::operator()(const Entries& rows, const std::int64_t* offset, std::size_t sentences,
                                    Label* ids, std::size_t threads) const {
    return decode(rows, offset, sentences, ids, threads);
}

std::int64_t RowDecoder::operator()(const PlacedEntries& rows, const std::int64_t* offset,
                                    std::size_t sentences, Label* ids, std::size_t threads) const {
    return decode(rows, offset, sentences, ids, threads);
}

template <class Rows>
std::int64_t RowDecoder::decode(const Rows& rows, const std::int64_t* offset, std::size_t sentences,
                                Label* ids, std::size_t threads) const {
    const auto make = [&] {
        return [scorer = scorer(), &rows, offset](std::size_t first, std::size_t last, float* node) mutable {
            scorer(rows, static_cast<std::size_t>(offset[first]), static_cast<std::size_t>(offset[last]),
                   node);
        };
    };
    return best_(offset, sentences, weights_.LP(), make, ids, threads);
}

}  // namespace seqlab
