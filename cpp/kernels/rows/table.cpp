// The routines for rows of weights, scores and optimiser steps in the table of an instruction set. Compiled once for
// each set (CMakeLists.txt).
#include "kernels/rows/coordinates.hpp"
#include "kernels/rows/history.hpp"
#include "kernels/rows/primitives.hpp"
#include "kernels/rows/weight_rows.hpp"

namespace seqlab::SEQLAB_ISA {

template <class F>
static void add(FloatKernels<F>& k) {
    k.max_step = step<F, MaxPlus>;
    k.sum_step = step<F, SumTimes>;
    k.sum_back = sum_back<F>;
    k.exp_row = exp_row<F>;
    k.row_lanes = row_lanes<F>;
    k.gather_rows = gather_rows<F>;
    k.sum_rows = sum_rows<F>;
    k.scatter_rows = scatter_rows<F>;
    k.row_vectors = row_vectors<F>;
    k.mark_lane = mark_lane<F>;
    k.move_rows = move_rows<F>;
    k.take_step = take_step<F>;
    k.project_history = project_history<F>;
    k.combine_history = combine_history<F>;
}

void add_row_kernels(Kernels& k) {
    add(k.f32);
    add(k.f64);
    k.log_step = log_step;
    k.log_back = log_back;
    k.project_coordinates = project_coordinates;
    k.sweep_coordinates = sweep_coordinates;
}

}  // namespace seqlab::SEQLAB_ISA
