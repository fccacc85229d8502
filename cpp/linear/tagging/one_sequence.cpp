#include "linear/tagging/one_sequence.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics/flush_to_zero.hpp"

namespace seqlab {

OneSequence::OneSequence(const RowDecoder& decoder, std::span<const std::int64_t> begin)
    : decoder_(decoder), begin_(begin), scorer_(decoder.scorer()) {}

bool OneSequence::takes(std::size_t T) const {
    constexpr std::size_t most_work = std::size_t{1} << 22;
    const PinKernels pin(decoder_.best().set());
    return T > 0 && T * L() * L() <= most_work && !is_long<float>(T, L()) && !is_long<double>(T, L());
}

void OneSequence::set(std::span<const std::int64_t> indptr, std::span<const std::int32_t> ids,
                      const double* values) {
    indptr_.assign(indptr.begin(), indptr.end());
    ids_.assign(ids.begin(), ids.end());
    weighted_ = values != nullptr;
    if (values) values_.assign(values, values + ids.size());
    state_ = Sum::unknown;
}

std::span<const Label> OneSequence::best() {
    const PinKernels pin(decoder_.best().set());
    const std::size_t size = T() * L() + decoder_.LP();
    float* const node = room_.node.of(size);
    scorer_(entries(), 0, T(), node);
    path_.resize(T());
    if (!decoder_.best().one(T(), node, node + size, path_.data(), room_)) return {};
    return path_;
}

// eq:linear-score in float64. Numbers in a mapped file are checked where they are used.
void OneSequence::score() {
    const ModelWeights& model = decoder_.model();
    const std::size_t labels = L();
    node_.assign(T() * labels, 0.0);
    if (T() == 0) return;
    for (std::size_t t = 0; t < T(); ++t)
        for (std::int64_t i = indptr_[t]; i < indptr_[t + 1]; ++i) {
            const auto a = static_cast<std::size_t>(ids_[static_cast<std::size_t>(i)]);
            if (a + 1 >= begin_.size() || a + 1 == 0) continue;
            const auto from = static_cast<std::uint64_t>(read_once(begin_.data() + a));
            const auto to = static_cast<std::uint64_t>(read_once(begin_.data() + a + 1));
            const double value = weighted_ ? values_[static_cast<std::size_t>(i)] : 1.0;
            for (std::uint64_t k = from; k < to && k < model.size(); ++k) {
                const auto y = static_cast<std::size_t>(read_once(model.label.data() + k));
                if (y < labels) node_[t * labels + y] += value * model.exact(k);
            }
        }
    const TransitionScores& chain = decoder_.chain();
    for (std::size_t y = 0; y < labels; ++y) node_[y] += static_cast<double>(chain.start[y]);
    for (std::size_t y = 0; y < labels; ++y)
        node_[(T() - 1) * labels + y] += static_cast<double>(chain.end[y]);
}

std::vector<double> OneSequence::scores() {
    if (state_ == Sum::unknown) score();
    return {node_.begin(), node_.begin() + static_cast<std::ptrdiff_t>(T() * L())};
}

bool OneSequence::sum() {
    if (state_ != Sum::unknown) return state_ == Sum::known;
    const PinKernels pin(decoder_.best().set());
    if (!table_) table_ = DenseTable<double>::potentials(decoder_.chain().edge.data(), L());
    score();
    const std::size_t size = T() * L();
    gamma_.resize(size);
    Chain<double> chain{};
    chain.node = node_.data();
    chain.node_end = node_.data() + size;
    chain.gamma = gamma_.data();
    const auto& k = kernels().f64;
    bool possible = true;
    for (std::size_t i = 0; i < size; ++i) possible &= node_[i] <= 1e300;
    if (possible) {
        const FlushToZero quick;
        k.forward_backward(table_->edges(), T(), &chain, 1, wide_.of(k.pair_room(L(), T(), 1)), nullptr);
        possible = chain.certified && std::isfinite(chain.log_z);
    }
    log_z_ = chain.log_z;
    state_ = possible ? Sum::known : Sum::impossible;
    return possible;
}

double OneSequence::log_probability(std::span<const Label> path) const {
    const double* const edge = decoder_.chain().edge.data();
    double score = -log_z_;
    for (std::size_t t = 0; t < path.size(); ++t) {
        const auto y = static_cast<std::size_t>(path[t]);
        score += node_[t * L() + y];
        if (t > 0) score += edge[static_cast<std::size_t>(path[t - 1]) * L() + y];
    }
    return std::min(score, 0.0);
}

}  // namespace seqlab
