// Minimise a smooth function, or a smooth function plus an L1 penalty.
//
// These routines see only the function: no model, no data, no Python. Each starts from theta, runs one line search per
// iteration, and leaves the best point in theta, also when the objective throws. During the run theta is scratch
// memory: the current point is passed to Report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/numerics/snapshot.hpp"

namespace seqlab::optimise {

// Return the value at theta and write the gradient to `gradient`. A value that is not finite counts as a failed step.
using Objective = std::function<double(const double* theta, double* gradient)>;

struct Progress {
    int iteration;  // 0: the start
    int evaluations;
    int trials;            // evaluations of this iteration's line search
    double value;          // penalty included
    double gradient_norm;  // of the pseudo-gradient where there is a penalty
    double theta_norm;
    double step;
    std::size_t active;  // coordinates that are not 0
};

// Called at the start and after every iteration; false ends the minimisation. `recorded` takes a snapshot of it, from
// which it goes on behind this call.
using Report = std::function<bool(const Progress&, const double* theta, const Recorded& recorded)>;

enum class Stop {
    gradient,     // |gradient| <= epsilon max(1, |theta|)
    value,        // over `period` iterations the value decreased by less than a fraction delta
    iterations,   // max_iterations
    stopped,      // Report returned false
    no_progress,  // no step finds a lower value: rounding error of the value, or a wrong gradient
    bad_start,    // value or gradient at the start is not finite; theta is unchanged
};

struct Outcome {
    Stop reason;
    int iterations;
    int evaluations;
    double value;
    double gradient_norm;
    std::size_t active;
};

// eq:stopping
struct Stopping {
    double epsilon = 1e-5;
    double delta = 1e-5;
    int period = 10;         // 0: no test of the value
    int max_iterations = 0;  // 0: no limit
};

enum class LineSearch {
    more_thuente,         // interpolates; ends with the strong Wolfe conditions
    backtracking,         // halves until sufficient decrease, grows until the slope has risen (Wolfe)
    strong_backtracking,  // backtracking with the strong Wolfe conditions
    armijo,               // halves until sufficient decrease
};

// eq:wolfe
struct Searching {
    LineSearch kind = LineSearch::more_thuente;
    int max_trials = 20;
    double decrease = 1e-4;
    double curvature = 0.9;
    double min_step = 1e-20;
    double max_step = 1e20;
    double precision = 1e-15;  // relative error of a value: smaller decreases are not searched for
};

// L1 penalty c_i |theta_i|: c_i is each[i] when given, otherwise `all` for begin <= i < end and 0 outside.
struct L1 {
    double all = 0.0;
    std::size_t begin = 0;
    std::size_t end = SIZE_MAX;
    const double* each = nullptr;

    bool any() const { return each != nullptr || all > 0.0; }
};

// Estimated diagonal of the inverse Hessian, n positive numbers, owned by the caller. Report may write new numbers, and
// then increments the version.
struct Diagonal {
    const double* inverse = nullptr;  // null: the identity
    unsigned version = 0;
    bool rescale = true;  // multiply by the factor that fits the newest step, as without a diagonal
};

// Length of the first step along d, and of the first one after a restart; slope = gradient·d < 0.
using FirstStep = std::function<double(const double* d, double slope)>;

struct LbfgsOptions {
    Stopping stopping{};
    Searching searching{};
    std::size_t threads = 1;  // for long vectors; the objective has its own setting
    int memory = 6;
    bool float32 = true;   // number type of the history; sums are always float64
    FirstStep first_step;  // empty: 1 / |d|
    const Diagonal* diagonal = nullptr;
    L1 l1{};  // if not empty: OWL-QN or proximal steps, with the armijo search
    // Called when the minimisation would end, or when an iteration decreased the value by less than refine_below; true
    // means that the objective is more exact from now on (float64 after float32), so that the current point is
    // evaluated again.
    std::function<bool()> refine;
    double refine_below = 0.0;
};

struct ConjugateGradientOptions {
    Stopping stopping{};
    Searching searching{.curvature = 0.1};
    double first_step = 0.0;  // 0: 1 / |gradient|
    int restart = 0;          // steepest descent after this many iterations; 0: after n
    std::size_t threads = 1;
};

struct GradientOptions {
    Stopping stopping{};
    Searching searching{.kind = LineSearch::armijo, .decrease = 0.3};
    double first_step = 0.0;  // 0: 1 / |gradient|
    double fixed_step = 0.0;  // above 0: no line search, theta -= fixed_step · gradient
    std::size_t threads = 1;
};

// eq:lbfgs, and eq:owlqn where there is a penalty. All methods: `resumed` is a snapshot to go on from, or null.
Outcome lbfgs(const Objective& objective, double* theta, std::size_t n, const LbfgsOptions& options,
              const Report& report, Snapshot* resumed = nullptr);

// eq:proximal: the L1 penalty is kept in the model of every step, so that coordinates may reach and cross 0.
Outcome proximal(const Objective& objective, double* theta, std::size_t n, const LbfgsOptions& options,
                 const Report& report, Snapshot* resumed = nullptr);

// eq:conjugate-gradient
Outcome conjugate_gradient(const Objective& objective, double* theta, std::size_t n,
                           const ConjugateGradientOptions& options, const Report& report,
                           Snapshot* resumed = nullptr);

// eq:gradient-descent
Outcome gradient_descent(const Objective& objective, double* theta, std::size_t n,
                         const GradientOptions& options, const Report& report, Snapshot* resumed = nullptr);

}  // namespace seqlab::optimise
