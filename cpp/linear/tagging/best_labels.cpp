#include "linear/tagging/best_labels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/parallel/poll.hpp"
#include "inference/best.hpp"

namespace seqlab {

BestLabels::BestLabels(std::size_t L, const float* edge, const float* start, const float* end)
    : set_(kernels()),
      L_(L),
      edge_(edge, edge + L * L),
      start_(start, start + L),
      end_(end, end + L),
      table_(DenseTable<float>::scores(edge, L)) {}

std::vector<std::size_t> BestLabels::blocks(const std::int64_t* offset, std::size_t sentences) {
    std::vector<std::size_t> cut{0};
    for (std::size_t s = 0; s < sentences; ++s) {
        const std::int64_t tokens = offset[s + 1] - offset[cut.back()];
        if (tokens > static_cast<std::int64_t>(block_tokens) && s > cut.back()) cut.push_back(s);
    }
    if (sentences > 0) cut.push_back(sentences);
    return cut;
}

namespace {

// Upper limit of scores: those of real models are far below it, and a sum of twenty is still a float32 number.
constexpr float largest_score = 1e35F;

// A corrupt file may hold any numbers, and no kernel expects NaN. Absolute values are ordered like their bits, which
// the compiler compares many at a time.
void make_moderate(float* node, std::size_t size) {
    constexpr auto limit = std::bit_cast<std::int32_t>(largest_score);
    std::int32_t below = 0;
    for (std::size_t i = 0; i < size; ++i)
        below |= limit - (std::bit_cast<std::int32_t>(node[i]) & 0x7FFFFFFF);
    if (below >= 0) return;
    for (std::size_t i = 0; i < size; ++i)
        if (!(std::abs(node[i]) <= largest_score)) node[i] = 0.0F;
}

}  // namespace

void BestLabels::close(std::size_t T, float* node) const {
    float* const last = node + (T - 1) * L_;
    for (std::size_t y = 0; y < L_; ++y) node[y] += start_[y];
    for (std::size_t y = 0; y < L_; ++y) last[y] += end_[y];
}

bool BestLabels::one(std::size_t T, float* node, const float* node_end, Label* path, Room& room) const {
    make_moderate(node, T * L_);
    close(T, node);
    const std::int64_t offset[] = {0, static_cast<std::int64_t>(T)};
    const std::size_t first = 0;
    return decode_together(offset, &first, 1, 0, node, node_end, path, room);
}

std::int64_t BestLabels::decode(const std::int64_t* offset, std::size_t first, std::size_t last, float* node,
                                const float* node_end, Label* ids, Room& room) const {
    const std::int64_t from = offset[first];
    const auto length = [&](std::size_t s) { return offset[s + 1] - offset[s]; };
    make_moderate(node, static_cast<std::size_t>(offset[last] - from) * L_);
    room.order.clear();
    for (std::size_t s = first; s < last; ++s) {
        if (length(s) == 0) continue;
        room.order.push_back(s);
        close(static_cast<std::size_t>(length(s)), node + static_cast<std::size_t>(offset[s] - from) * L_);
    }
    std::sort(room.order.begin(), room.order.end(), [&](std::size_t a, std::size_t b) {
        return length(a) != length(b) ? length(a) < length(b) : a < b;
    });
    std::int64_t failed = none;
    for (std::size_t i = 0; i < room.order.size();) {
        poll();
        std::size_t run = 1;
        while (run < 4 && i + run < room.order.size() && length(room.order[i]) == length(room.order[i + run]))
            ++run;
        if (run == 3) run = 2;  // kernels exist for 1, 2 and 4
        if (!decode_together(offset, room.order.data() + i, run, from, node, node_end, ids, room))
            failed = std::min(failed, static_cast<std::int64_t>(room.order[i]));
        i += run;
    }
    return failed;
}

bool BestLabels::decode_together(const std::int64_t* offset, const std::size_t* sentence, std::size_t count,
                                 std::int64_t from, float* node, const float* node_end, Label* ids,
                                 Room& room) const {
    const auto T = static_cast<std::size_t>(offset[*sentence + 1] - offset[*sentence]);
    Chain<float> chain[4];
    for (std::size_t s = 0; s < count; ++s) {
        const auto begin = static_cast<std::size_t>(offset[sentence[s]] - from);
        chain[s].node = node + begin * L_;
        chain[s].node_end = node_end;
        chain[s].path = ids + begin;
    }
    if (is_long<float>(T, L_)) {
        bool possible = true;
        for (std::size_t s = 0; s < count; ++s) possible &= decode_long(T, chain[s].node, chain[s].path);
        return possible;
    }
    const auto& k = set_.f32;
    k.viterbi(table_.edges(), T, chain, count, room.rows.of(k.viterbi_room(L_, T, count)));
    return std::all_of(chain, chain + count, [](const Chain<float>& one) {
        return one.log_z > -std::numeric_limits<double>::infinity();
    });
}

bool BestLabels::decode_long(std::size_t T, const float* node, Label* path) const {
    Trellis<float> trellis;
    trellis.T = T;
    trellis.L = L_;
    trellis.node = node;
    trellis.edge = edge_.data();
    double score = 0.0;
    viterbi<float>(Batch<float>(&trellis, 1), &path, &score, 1);
    return score > -std::numeric_limits<double>::infinity();
}

}  // namespace seqlab
