#include <nanobind/stl/tuple.h>

#include <memory>
#include <tuple>

#include "bind/task.hpp"
#include "learn/online/perceptron.hpp"

namespace seqlab::bind {

namespace {

// A learner and the task it looks into.
struct KeptLearner {
    nb::object task;
    std::unique_ptr<online::OnlineLearner> learner;
};

template <class Of, class... Options>
KeptLearner make(const nb::object& task, const In<double>& theta, const Options&... options) {
    const Task& of = nb::cast<const KeptTask&>(task).task;
    std::unique_ptr<online::OnlineLearner> learner;
    {
        nb::gil_scoped_release unlocked;
        learner = std::make_unique<Of>(of, theta.data(), options...);
    }
    return {task, std::move(learner)};
}

void bind_learner(nb::module_& m) {
    nb::class_<KeptLearner>(m, "OnlineLearner", "Weights that change after every sequence.")
        .def_prop_ro("size", [](const KeptLearner& self) { return self.learner->size(); })
        .def(
            "epoch",
            [](KeptLearner& self) {
                online::Pass pass;
                {
                    nb::gil_scoped_release unlocked;
                    pass = self.learner->epoch();
                }
                return std::tuple(pass.mistakes, pass.updates, pass.loss);
            },
            "One visit to every sequence: wrong tokens, sequences that changed weights, summed loss.")
        .def(
            "weights",
            [](const KeptLearner& self, const Out<double>& theta) {
                nb::gil_scoped_release unlocked;
                self.learner->weights(theta.data());
            },
            "theta"_a.noconvert(), "The weights of a model that stops now.");
}

}  // namespace

void bind_online(nb::module_& m) {
    bind_learner(m);
    m.def(
        "perceptron",
        [](const nb::object& task, const In<double>& theta, bool averaged, bool shuffle, std::uint64_t seed) {
            return make<online::Perceptron>(task, theta, online::Schedule{averaged, shuffle, seed});
        },
        "task"_a, "theta"_a.noconvert(), "averaged"_a, "shuffle"_a, "seed"_a, "eq:perceptron");
}

}  // namespace seqlab::bind
