// Best labels of a corpus under a first-order chain with shared transitions, block by block.
//
// A block is whole sentences of some thousand tokens: their scores are computed, decoded and dropped while they are in
// the cache, so memory does not grow with the corpus. Sentences of one length go through Viterbi in lockstep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/parallel/parallel.hpp"
#include "inference/dense.hpp"

namespace seqlab {

class BestLabels {
public:
    // edge (L, L), start (L) and end (L): added at transitions, first and last tokens; -inf forbids.
    BestLabels(std::size_t L, const float* edge, const float* start, const float* end);

    std::size_t L() const { return L_; }
    // The instruction set that the tables are padded for.
    const Kernels& set() const { return set_; }

    // Write ids (tokens) of the best paths (eq:viterbi). make() gives each thread a scorer; scorer(first, last, node)
    // writes the scores of sentences first .. last, and may write `spare` numbers more. Returns the first sentence
    // without a legal path, or -1.
    template <class Make>
    std::int64_t operator()(const std::int64_t* offset, std::size_t sentences, std::size_t spare, Make make,
                            Label* ids, std::size_t threads) const;

    // Memory for one call after another.
    struct Room {
        Buffer<float> node, rows;
        std::vector<std::size_t> order;
    };
    // Write path (T) of one sentence that is not long (is_long), from its scores node (T, L), which are changed; false
    // when no path is legal. The caller has pinned set().
    bool one(std::size_t T, float* node, const float* node_end, Label* path, Room& room) const;

private:
    static constexpr std::size_t block_tokens = 4096;
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

    static std::vector<std::size_t> blocks(const std::int64_t* offset, std::size_t sentences);
    // Add the scores of first and last labels to those of a sentence.
    void close(std::size_t T, float* node) const;
    // Decode scores in node to paths in ids, both from the block's first token on. Returns the first impossible
    // sentence, or none.
    std::int64_t decode(const std::int64_t* offset, std::size_t first, std::size_t last, float* node,
                        const float* node_end, Label* ids, Room& room) const;
    bool decode_together(const std::int64_t* offset, const std::size_t* sentence, std::size_t count,
                         std::int64_t from, float* node, const float* node_end, Label* ids, Room& room) const;
    bool decode_long(std::size_t T, const float* node, Label* path) const;

    const Kernels& set_;
    std::size_t L_;
    std::vector<float> edge_, start_, end_;
    DenseTable<float> table_;
};

template <class Make>
std::int64_t BestLabels::operator()(const std::int64_t* offset, std::size_t sentences, std::size_t spare,
                                    Make make, Label* ids, std::size_t threads) const {
    const std::vector<std::size_t> cut = blocks(offset, sentences);
    const std::size_t workers = std::min(threads, cut.size() - 1);
    std::vector<std::int64_t> failed(cut.size(), none);
    std::atomic<std::size_t> next{0};
    // The labels of a block do not depend on the thread that takes it.
    parallel_for(workers, workers, [&](std::size_t) {
        const PinKernels pin(set_);
        auto scorer = make();
        Room room;
        for (std::size_t b = next++; b + 1 < cut.size(); b = next++) {
            poll();
            const auto from = static_cast<std::size_t>(offset[cut[b]]);
            const std::size_t size = (static_cast<std::size_t>(offset[cut[b + 1]]) - from) * L_ + spare;
            float* const node = room.node.of(size);
            scorer(cut[b], cut[b + 1], node);
            failed[b] = decode(offset, cut[b], cut[b + 1], node, node + size, ids + from, room);
        }
    });
    const std::int64_t first = *std::min_element(failed.begin(), failed.end());
    return first == none ? -1 : first;
}

}  // namespace seqlab
