#include "linear/online/decoder.hpp"

#include <algorithm>
#include <limits>

#include "inference/best.hpp"

namespace seqlab::online {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

}  // namespace

template <class F>
void Decoder<F>::look_at(const LiveWeights<F>& weights, std::size_t s) {
    weights_ = &weights;
    s_ = s;
    trellis_ = scores_(weights.chain(), s, s + 1)[0];
}

template <class F>
const Label* Decoder<F>::best() {
    return run(trellis_, best_);
}

// eq:loss-augmented   Δ is a sum over positions, so it is added to the node scores
template <class F>
const Label* Decoder<F>::best_with_cost(double factor) {
    const std::size_t cells = trellis_.T * trellis_.L;
    F* const node = node_room_.of(cells + LP_);
    std::copy_n(trellis_.node, cells, node);
    add_cost(factor, node);
    Trellis<F> dearer = trellis_;
    dearer.node = node;
    return run(dearer, best_);
}

template <class F>
void Decoder<F>::add_cost(double factor, F* node) const {
    const std::size_t L = trellis_.L;
    for (std::size_t t = 0; t < trellis_.T; ++t, node += L) {
        const F cost = static_cast<F>(factor * known_.cost(s_, t));
        const auto add = [&](std::size_t from, std::size_t to) {
            for (std::size_t y = from; y < to; ++y) node[y] += cost;
        };
        const Labels right = known_.all(s_) ? Labels{known_.labels(s_) + t, 1} : known_.list(s_, t);
        std::size_t from = 0;
        for (const Label y : right) {
            add(from, static_cast<std::size_t>(y));
            from = static_cast<std::size_t>(y) + 1;
        }
        add(from, L);
    }
}

template <class F>
const Label* Decoder<F>::gold() {
    if (known_.all(s_)) return known_.labels(s_);
    return run(scores_.restricted(known_.partial(s_)), gold_);
}

template <class F>
const Label* Decoder<F>::run(const Trellis<F>& trellis, std::vector<Label>& path) {
    if (path.size() < trellis.T) path.resize(trellis.T);
    if (!task_.plain()) {
        Label* const out = path.data();
        double score = 0.0;
        viterbi<F>(Batch<F>(&trellis, 1), &out, &score, 1);
        return score > impossible ? out : nullptr;
    }
    const auto& k = kernels().of<F>();
    Chain<F> chain = chain_of(trellis);
    chain.path = path.data();
    k.viterbi(weights_->edges(), trellis.T, &chain, 1,
              rows_room_.of(k.viterbi_room(trellis.L, trellis.T, 1)));
    return chain.log_z > impossible ? path.data() : nullptr;
}

template class Decoder<float>;
template class Decoder<double>;

}  // namespace seqlab::online
