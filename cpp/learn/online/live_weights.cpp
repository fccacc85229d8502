#include "learn/online/live_weights.hpp"

#include <algorithm>
#include <limits>

namespace seqlab::online {

namespace {

// Where in `number` each weight stands.
std::vector<std::size_t> cells(std::span<const std::int32_t> number, std::size_t count) {
    std::vector<std::size_t> cell(count);
    for (std::size_t i = 0; i < number.size(); ++i)
        if (number[i] >= 0) cell[static_cast<std::size_t>(number[i])] = i;
    return cell;
}

}  // namespace

template <class F>
LiveWeights<F>::LiveWeights(const Task& task, const ChainRows<F>& rows, const Features<F>& features)
    : task_(task),
      layout_(features.layout()),
      chain_(task, rows.plan, rows.LP),
      lane_(task.observed.weights(), -1),
      moves_(layout_.triple - layout_.move),
      triples_(layout_.edge - layout_.triple),
      move_(cells(task.moves.number, moves_.size())),
      triple_(cells(task.moves.triple, triples_.size())) {
    for (std::size_t row = 0; row < rows.plan.rows(); ++row)
        for (std::size_t y = 0; y < rows.L; ++y)
            if (const auto k = features.number(row, y); k >= 0)
                lane_[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(row * rows.LP + y);
}

template <class F>
void LiveWeights<F>::load(const double* theta) {
    chain_.load(theta);
    for (std::size_t i = 0; i < moves_.size(); ++i) moves_[i] = static_cast<F>(theta[layout_.move + i]);
    for (std::size_t i = 0; i < triples_.size(); ++i) triples_[i] = static_cast<F>(theta[layout_.triple + i]);
    if (task_.plain()) make_edges();
}

template <class F>
void LiveWeights<F>::make_edges() {
    const std::size_t L = task_.moves.L, LP = kernels().of<F>().padded(L);
    F* const M = table_.of(2 * LP * LP);
    std::fill_n(M, 2 * LP * LP, -std::numeric_limits<F>::infinity());
    for (std::size_t a = 0; a < L; ++a)
        for (std::size_t y = 0; y < L; ++y)
            M[a * LP + y] = M[LP * LP + y * LP + a] = chain_.moves()[a * L + y];
    edges_ = {L, LP, M, M + LP * LP, 0.0};
}

template <class F>
void LiveWeights<F>::add_to_transition(std::size_t k, F x) {
    if (k < layout_.triple) {
        const std::size_t i = k - layout_.move;
        moves_[i] += x;
        chain_.add_to_move(move_[i], x);
        if (!task_.plain()) return;
        const std::size_t a = move_[i] / edges_.L, y = move_[i] % edges_.L, LP = edges_.LP;
        F* const M = table_.of(0);
        M[a * LP + y] += x;
        M[LP * LP + y * LP + a] += x;
        return;
    }
    if (k < layout_.edge) {
        const std::size_t i = k - layout_.triple;
        triples_[i] += x;
        chain_.add_to_triple(triple_[i], x);
        return;
    }
    chain_.add_to_pair(k - layout_.edge, x);
}

template class LiveWeights<float>;
template class LiveWeights<double>;

}  // namespace seqlab::online
