// Decoder of a first-order model whose attributes come as rows of numbers. Weights up to 1e12 and values up to 1e18, as
// the door admits them, give scores that float32 can hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "linear/tagging/best_labels.hpp"
#include "linear/tagging/row_scorer.hpp"

namespace seqlab {

class RowDecoder {
public:
    // rows, place_of: as laid out by lay_out
    RowDecoder(const ModelWeights& model, std::span<const float> rows,
               std::span<const std::uint64_t> place_of, BestLabels best)
        : best_(std::move(best)),
          weights_(model, rows, best_.L(), best_.set().f32.row_lanes(best_.L())),
          place_of_(place_of) {}

    const BestLabels& best() const { return best_; }
    std::size_t LP() const { return weights_.LP(); }
    RowScorer scorer() const { return {weights_, place_of_}; }
    // Locations of the weights of every attribute: Place::bits.
    std::span<const std::uint64_t> places() const { return place_of_; }

    // Write ids (tokens) of the best paths; returns the first sentence without a legal one, or -1.
    std::int64_t operator()(const Entries& rows, const std::int64_t* offset, std::size_t sentences,
                            Label* ids, std::size_t threads) const;
    std::int64_t operator()(const PlacedEntries& rows, const std::int64_t* offset, std::size_t sentences,
                            Label* ids, std::size_t threads) const;

private:
    template <class Rows>
    std::int64_t decode(const Rows& rows, const std::int64_t* offset, std::size_t sentences, Label* ids,
                        std::size_t threads) const;

    BestLabels best_;
    PlacedWeights weights_;
    std::span<const std::uint64_t> place_of_;
};

}  // namespace seqlab
