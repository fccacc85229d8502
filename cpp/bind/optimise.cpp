#include "bind/optimise.hpp"
#include "bind/stl.hpp"

#include <tuple>

namespace seqlab::bind {

using optimise::LineSearch;
using optimise::Outcome;
using optimise::Stop;

namespace {

optimise::Objective objective_of(const nb::object& objective, std::size_t n) {
    return [&objective, n](const double* theta, double* gradient) {
        return locked([&] { return nb::cast<double>(objective(seen(theta, n), written(gradient, n))); });
    };
}

using Result = std::tuple<Stop, int, int, double, double, std::size_t>;

Result minimise_in_python(const nb::object& objective, const Out<double>& theta, const Settings& settings,
                          const nb::object& report, const nb::object& resumed) {
    const std::size_t n = theta.size();
    const optimise::Objective asked = objective_of(objective, n);
    const optimise::Report told = report_to(report, n);
    Resumed state(resumed);
    Outcome out{};
    {
        const Unlocked unlocked;
        out = minimise(asked, theta.data(), n, settings, told, 1, state.get());
    }
    return {out.reason, out.iterations, out.evaluations, out.value, out.gradient_norm, out.active};
}

void bind_names(nb::module_& m) {
    nb::enum_<Method>(m, "Method", "Optimisation method.")
        .value("lbfgs", Method::lbfgs)
        .value("proximal", Method::proximal)
        .value("conjugate_gradient", Method::conjugate_gradient)
        .value("gradient", Method::gradient);
    nb::enum_<LineSearch>(m, "LineSearch", "Line search method (eq:wolfe).")
        .value("more_thuente", LineSearch::more_thuente)
        .value("backtracking", LineSearch::backtracking)
        .value("strong_backtracking", LineSearch::strong_backtracking)
        .value("armijo", LineSearch::armijo);
    nb::enum_<Stop>(m, "Stop", "Reason why an optimisation ended (eq:stopping).")
        .value("gradient", Stop::gradient)
        .value("value", Stop::value)
        .value("iterations", Stop::iterations)
        .value("stopped", Stop::stopped)
        .value("no_progress", Stop::no_progress)
        .value("bad_start", Stop::bad_start);
}

// Expose a member of a part of the settings as a property of the settings.
template <class Part, class X>
void bind_field(nb::class_<Settings>& settings, const char* name, Part Settings::* part, X Part::* field) {
    settings.def_prop_rw(
        name, [=](const Settings& self) { return self.*part.*field; },
        [=](Settings& self, X value) { self.*part.*field = value; });
}

void bind_settings(nb::module_& m) {
    using optimise::Searching;
    using optimise::Stopping;
    nb::class_<Settings> settings(m, "Settings", "Options of an optimiser.");
    bind_field(settings, "epsilon", &Settings::stopping, &Stopping::epsilon);
    bind_field(settings, "delta", &Settings::stopping, &Stopping::delta);
    bind_field(settings, "period", &Settings::stopping, &Stopping::period);
    bind_field(settings, "max_iterations", &Settings::stopping, &Stopping::max_iterations);
    bind_field(settings, "line_search", &Settings::searching, &Searching::kind);
    bind_field(settings, "max_linesearch", &Settings::searching, &Searching::max_trials);
    bind_field(settings, "decrease", &Settings::searching, &Searching::decrease);
    bind_field(settings, "curvature", &Settings::searching, &Searching::curvature);
    bind_field(settings, "precision", &Settings::searching, &Searching::precision);
    settings.def(nb::init<>())
        .def_rw("method", &Settings::method)
        .def_rw("memory", &Settings::memory)
        .def_rw("float32", &Settings::float32)
        .def_rw("first_step", &Settings::first_step)
        .def_rw("fixed_step", &Settings::fixed_step)
        .def_rw("restart", &Settings::restart)
        .def(
            "set_diagonal",
            [](Settings& s, const In<double>& inverse) {
                s.diagonal = inverse.data();
                s.alive_diagonal = nb::cast(inverse);
            },
            "inverse"_a.noconvert())
        .def(
            "set_l1",
            [](Settings& s, double all, std::size_t begin, std::size_t end) {
                s.l1 = {.all = all, .begin = begin, .end = end};
            },
            "all"_a, "begin"_a, "end"_a)
        .def(
            "set_l1_each",
            [](Settings& s, const In<double>& each) {
                s.l1 = {.each = each.data()};
                s.alive_l1 = nb::cast(each);
            },
            "each"_a.noconvert());
}

}  // namespace

optimise::Report report_to(const nb::object& report, std::size_t n) {
    return [&report, n](const optimise::Progress& p, const double* theta, const Recorded& recorded) {
        return locked([&] {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (report.is_none()) return true;
            return nb::cast<bool>(report(p.iteration, p.evaluations, p.trials, p.value, p.gradient_norm,
                                         p.theta_norm, p.step, p.active, recorder(recorded), seen(theta, n)));
        });
    };
}

optimise::LbfgsOptions lbfgs_options(const Settings& settings) {
    optimise::LbfgsOptions options;
    options.stopping = settings.stopping;
    options.searching = settings.searching;
    options.memory = settings.memory;
    options.float32 = settings.float32;
    if (settings.first_step > 0.0)
        options.first_step = [step = settings.first_step](const double*, double) { return step; };
    options.l1 = settings.l1;
    return options;
}

Outcome minimise(const optimise::Objective& objective, double* theta, std::size_t n, const Settings& settings,
                 const optimise::Report& report, std::size_t threads, Snapshot* resumed) {
    const auto& [stopping, searching] = std::tie(settings.stopping, settings.searching);
    if (settings.method == Method::conjugate_gradient)
        return conjugate_gradient(objective, theta, n,
                                  {stopping, searching, settings.first_step, settings.restart, threads},
                                  report, resumed);
    if (settings.method == Method::gradient)
        return gradient_descent(objective, theta, n,
                                {stopping, searching, settings.first_step, settings.fixed_step, threads},
                                report, resumed);
    optimise::LbfgsOptions options = lbfgs_options(settings);
    const optimise::Diagonal diagonal{settings.diagonal};
    options.diagonal = &diagonal;
    options.threads = threads;
    const auto method = settings.method == Method::proximal ? optimise::proximal : optimise::lbfgs;
    return method(objective, theta, n, options, report, resumed);
}

void bind_optimise(nb::module_& m) {
    nb::exception<SnapshotMismatch>(m, "SnapshotMismatch", PyExc_ValueError);
    bind_names(m);
    bind_settings(m);
    m.def(
        "minimise", &minimise_in_python, "objective"_a, "theta"_a.noconvert(), "settings"_a,
        "report"_a.none(), "resumed"_a = nb::none(),
        "Walk theta downhill in place; objective(theta, gradient) writes the gradient and returns the value "
        "(eq:lbfgs, eq:owlqn, eq:proximal, eq:conjugate-gradient, eq:gradient-descent).");
}

}  // namespace seqlab::bind
