#include "linear/online/live_weights.hpp"

#include <algorithm>
#include <limits>

namespace seqlab::online {

namespace {

// Positions of the weights in `number`.
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
      slots_(features.slots()),
      chain_(task, rows.plan, rows.LP),
      moves_(slots_.triple - slots_.move),
      triples_(slots_.edge - slots_.triple),
      move_(cells(task.transitions.number, moves_.size())),
      triple_(cells(task.transitions.triple, triples_.size())) {}

template <class F>
void LiveWeights<F>::load(const double* theta) {
    chain_.load(theta);
    for (std::size_t i = 0; i < moves_.size(); ++i) moves_[i] = static_cast<F>(theta[task_.first_move() + i]);
    for (std::size_t i = 0; i < triples_.size(); ++i)
        triples_[i] = static_cast<F>(theta[task_.first_move() + moves_.size() + i]);
    if (task_.plain()) make_edges();
}

template <class F>
void LiveWeights<F>::make_edges() {
    const std::size_t L = task_.transitions.L, LP = kernels().of<F>().padded(L);
    F* const M = table_.of(2 * LP * LP);
    std::fill_n(M, 2 * LP * LP, -std::numeric_limits<F>::infinity());
    for (std::size_t a = 0; a < L; ++a)
        for (std::size_t y = 0; y < L; ++y)
            M[a * LP + y] = M[LP * LP + y * LP + a] = chain_.moves()[a * L + y];
    edges_ = {L, LP, M, M + LP * LP, 0.0};
}

template <class F>
void LiveWeights<F>::add_to_transition(std::size_t slot, F x) {
    if (slot < slots_.triple) {
        const std::size_t i = slot - slots_.move;
        moves_[i] += x;
        chain_.add_to_move(move_[i], x);
        if (!task_.plain()) return;
        const std::size_t a = move_[i] / edges_.L, y = move_[i] % edges_.L, LP = edges_.LP;
        F* const M = table_.of(0);
        M[a * LP + y] += x;
        M[LP * LP + y * LP + a] += x;
        return;
    }
    if (slot < slots_.edge) {
        const std::size_t i = slot - slots_.triple;
        triples_[i] += x;
        chain_.add_to_triple(triple_[i], x);
        return;
    }
    chain_.add_to_pair(slot - slots_.edge, x);
}

template class LiveWeights<float>;
template class LiveWeights<double>;

}  // namespace seqlab::online
