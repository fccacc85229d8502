// Settings of the optimisers from Python: all numbers in one object, and a function to report to.
#pragma once

#include "bind/batch.hpp"
#include "bind/snapshot.hpp"
#include "optimise/optimise.hpp"

namespace seqlab::bind {

enum class Method { lbfgs, proximal, conjugate_gradient, gradient };

struct Settings {
    Method method = Method::lbfgs;
    optimise::Stopping stopping{};
    optimise::Searching searching{};
    int memory = 6;
    bool float32 = true;
    double first_step = 0.0;  // 0: 1 / |d|
    double fixed_step = 0.0;
    int restart = 0;
    const double* diagonal = nullptr;
    optimise::L1 l1{};
    nb::object alive_diagonal, alive_l1;
};

// View of the optimiser's memory, valid during one call.
inline nb::object seen(const double* data, std::size_t n) {
    return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<1>>(data, {n}), nb::rv_policy::reference);
}
inline nb::object written(double* data, std::size_t n) {
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {n}), nb::rv_policy::reference);
}

// report(iteration, evaluations, trials, value, gradient_norm, theta_norm, step, active, snapshot, theta) -> bool, or None for
// silence; snapshot() gives the state by which `resumed` goes on from here.
// Pending signals (Ctrl-C) are raised here, so that a native objective can be interrupted between iterations.
optimise::Report report_to(const nb::object& report, std::size_t n);

optimise::LbfgsOptions lbfgs_options(const Settings& settings);

optimise::Outcome minimise(const optimise::Objective& objective, double* theta, std::size_t n,
                           const Settings& settings, const optimise::Report& report, std::size_t threads,
                           Snapshot* resumed);

}  // namespace seqlab::bind
