// Finding the lowest point of a smooth function, or of a smooth function plus an L1 penalty.
//
// The function is all these routines know: no model, no data, no Python. Each walks from theta downwards, one line search
// an iteration, and leaves the best point it has found in theta, also when the objective throws. Until then theta is scratch:
// where the walk stands is what Report is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace seqlab::optimise {

// Value at theta, and the gradient written to `gradient`. What is not finite counts as a failed step.
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

// Called at the start and after every iteration; false ends the walk.
using Report = std::function<bool(const Progress&, const double* theta)>;

enum class Stop {
    gradient,     // |gradient| <= epsilon max(1, |theta|)
    value,        // over `period` iterations the value fell by less than delta of itself
    iterations,   // max_iterations
    stopped,      // Report said so
    no_progress,  // no step finds a lower value: the last digits of the value, or a wrong gradient
    bad_start,    // value or gradient at the start is not finite; theta is as it was
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
    int period = 10;         // 0: the value is not looked at
    int max_iterations = 0;  // 0: no limit
};

enum class LineSearch {
    more_thuente,         // interpolates; ends with the strong Wolfe conditions
    backtracking,         // halves until enough decrease, grows until the slope has risen (Wolfe)
    strong_backtracking,  // the same with the strong Wolfe conditions
    armijo,               // halves until enough decrease
};

// eq:wolfe
struct Searching {
    LineSearch kind = LineSearch::more_thuente;
    int max_trials = 20;
    double decrease = 1e-4;
    double curvature = 0.9;
    double min_step = 1e-20;
    double max_step = 1e20;
    double precision = 1e-15;  // relative error of a value: a smaller decrease is not searched for
};

// Penalty c_i |theta_i|: `each` when given, else `all` for begin <= i < end and nothing outside.
struct L1 {
    double all = 0.0;
    std::size_t begin = 0;
    std::size_t end = SIZE_MAX;
    const double* each = nullptr;

    bool any() const { return each != nullptr || all > 0.0; }
};

// A guess at the diagonal of the inverse Hessian, n positive numbers. The caller owns both; Report may write new numbers, and
// says so by a new version.
struct Diagonal {
    const double* inverse = nullptr;  // null: the identity
    unsigned version = 0;
    bool rescale = true;  // times the factor that fits the newest move, as without a diagonal
};

// Length of the first step along d, and of the first one after a restart; slope = gradient·d < 0.
using FirstStep = std::function<double(const double* d, double slope)>;

struct LbfgsOptions {
    Stopping stopping{};
    Searching searching{};
    std::size_t threads = 1;  // for long vectors; the objective has its own
    int memory = 6;
    bool float32 = true;   // how moves are remembered; sums are float64 in any case
    FirstStep first_step;  // empty: 1 / |d|
    const Diagonal* diagonal = nullptr;
    L1 l1{};  // any: OWL-QN, with the armijo search
    // Asked when the walk would end, or when an iteration gained less than refine_below of the value; true: the objective
    // is a more exact one from now on (float64 after float32), so the walk looks again and goes on.
    std::function<bool()> refine;
    double refine_below = 0.0;
};

struct ConjugateGradientOptions {
    Stopping stopping{};
    Searching searching{.curvature = 0.1};
    double first_step = 0.0;  // 0: 1 / |gradient|
    int restart = 0;          // steepest descent every so many iterations; 0: every n
    std::size_t threads = 1;
};

struct GradientOptions {
    Stopping stopping{};
    Searching searching{.kind = LineSearch::armijo, .decrease = 0.3};
    double first_step = 0.0;  // 0: 1 / |gradient|
    double fixed_step = 0.0;  // over 0: no search, theta -= fixed_step · gradient
    std::size_t threads = 1;
};

// eq:lbfgs, and eq:owlqn where there is a penalty
Outcome lbfgs(const Objective& objective, double* theta, std::size_t n, const LbfgsOptions& options,
              const Report& report);

// eq:conjugate-gradient
Outcome conjugate_gradient(const Objective& objective, double* theta, std::size_t n,
                           const ConjugateGradientOptions& options, const Report& report);

// eq:gradient-descent
Outcome gradient_descent(const Objective& objective, double* theta, std::size_t n,
                         const GradientOptions& options, const Report& report);

}  // namespace seqlab::optimise
