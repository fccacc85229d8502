#include "linear/online/live_weights.hpp"

#include <algorithm>
#include <limits>

namespace seqlab::online {

template <class F>
LiveWeights<F>::LiveWeights(const Task& task, const ChainRows<F>& rows, const Features<F>& features)
    : task_(task),
      slots_(features.slots()),
      chain_(task, rows.plan, rows.LP),
      moves_(task.transitions.weights()),
      place_(task.transitions.weights()) {
    for (std::size_t level = 1; level <= task.transitions.order(); ++level)
        for (std::size_t cell = 0; cell < task.transitions.cells(level); ++cell)
            if (const auto k = task.transitions.weight(level, cell); k >= 0)
                place_[static_cast<std::size_t>(k)] = {level, cell};
}

template <class F>
void LiveWeights<F>::load(const double* theta) {
    chain_.load(theta);
    for (std::size_t i = 0; i < moves_.size(); ++i) moves_[i] = static_cast<F>(theta[task_.first_move() + i]);
    if (task_.plain()) make_edges();
}

template <class F>
void LiveWeights<F>::record(Snapshot& state) {
    chain_.record(state);
    state("moves", moves_.data(), moves_.size());
    if (state.reading() && task_.plain()) make_edges();
}

template <class F>
void LiveWeights<F>::make_edges() {
    const std::size_t L = task_.transitions.L, LP = kernels().of<F>().padded(L);
    F* const M = table_.of(2 * LP * LP);
    std::fill_n(M, 2 * LP * LP, -std::numeric_limits<F>::infinity());
    for (std::size_t a = 0; a < L; ++a)
        for (std::size_t y = 0; y < L; ++y)
            M[a * LP + y] = M[LP * LP + y * LP + a] = chain_.moves(1)[a * L + y];
    edges_ = {L, LP, M, M + LP * LP, 0.0};
}

template <class F>
void LiveWeights<F>::add_to_transition(std::size_t slot, F x) {
    if (slot >= slots_.edge) return chain_.add_to_pair(slot - slots_.edge, x);
    const std::size_t i = slot - slots_.move;
    moves_[i] += x;
    chain_.add_to_move(place_[i].level, place_[i].cell, x);
    if (!task_.plain()) return;
    const std::size_t a = place_[i].cell / edges_.L, y = place_[i].cell % edges_.L, LP = edges_.LP;
    F* const M = table_.of(0);
    M[a * LP + y] += x;
    M[LP * LP + y * LP + a] += x;
}

template class LiveWeights<float>;
template class LiveWeights<double>;

}  // namespace seqlab::online
