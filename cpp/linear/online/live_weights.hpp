// Weights that change a few at a time, always in the layouts that the kernels read.
#pragma once

#include <vector>

#include "base/numerics/buffer.hpp"
#include "inference/dense.hpp"
#include "linear/data/task.hpp"
#include "linear/likelihood/chain_weights.hpp"
#include "linear/online/features.hpp"

namespace seqlab::online {

template <class F>
class LiveWeights {
public:
    LiveWeights(const Task& task, const ChainRows<F>& rows, const Features<F>& features);

    void load(const double* theta);
    double operator[](std::size_t slot) const;
    void add(std::size_t slot, F x);
    void record(Snapshot& state);

    const ChainWeights<F>& chain() const { return chain_; }
    // The transitions padded for the dense kernels; for tasks that are plain.
    const DenseEdges<F>& edges() const { return edges_; }

private:
    void make_edges();
    void add_to_transition(std::size_t slot, F x);

    const Task& task_;
    Slots slots_;
    ChainWeights<F> chain_;
    std::vector<std::int32_t> lane_;  // lane of weight k in the dense table, or -1: it is in the list
    struct Place {
        std::size_t level, cell;
    };
    std::vector<F> moves_;      // by number; the tables have -inf where a transition is forbidden
    std::vector<Place> place_;  // place of each in the tables
    Buffer<F> table_;
    DenseEdges<F> edges_{};
};

template <class F>
inline double LiveWeights<F>::operator[](std::size_t slot) const {
    if (slot < slots_.dense) return static_cast<double>(chain_.node().dense()[slot]);
    if (slot < slots_.move) return static_cast<double>(chain_.node().listed()[slot - slots_.dense]);
    if (slot < slots_.edge) return static_cast<double>(moves_[slot - slots_.move]);
    return static_cast<double>(chain_.pairs()[slot - slots_.edge]);
}

template <class F>
inline void LiveWeights<F>::add(std::size_t slot, F x) {
    if (slot >= slots_.move) return add_to_transition(slot, x);
    (slot < slots_.dense ? chain_.node().dense()[slot] : chain_.node().listed()[slot - slots_.dense]) += x;
}

}  // namespace seqlab::online
