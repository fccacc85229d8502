#include <memory>
#include <tuple>

#include "bind/linear/task.hpp"
#include "bind/snapshot.hpp"
#include "bind/stl.hpp"
#include "linear/online/arow.hpp"
#include "linear/online/passive_aggressive.hpp"
#include "linear/online/perceptron.hpp"
#include "linear/online/structured_svm.hpp"

namespace seqlab::bind {

namespace {

// A learner, with the task that it reads kept alive.
struct KeptLearner {
    nb::object task;
    std::unique_ptr<online::OnlineLearner> learner;
};

// A learner that can also compute its duality gap.
struct KeptSvm : KeptLearner {};

template <class Of, class Kept = KeptLearner, class... Options>
Kept make(const nb::object& task, const In<double>& theta, const Options&... options) {
    const Task& of = nb::cast<const KeptTask&>(task).task;
    std::unique_ptr<online::OnlineLearner> learner;
    {
        Unlocked unlocked;
        learner = std::make_unique<Of>(of, theta.data(), options...);
    }
    Kept kept;
    kept.task = task;
    kept.learner = std::move(learner);
    return kept;
}

void bind_learner(nb::module_& m) {
    nb::class_<KeptLearner>(m, "OnlineLearner", "Weights that change after every sequence.")
        .def_prop_ro("size", [](const KeptLearner& self) { return self.learner->size(); })
        .def(
            "epoch",
            [](KeptLearner& self, const Maybe<std::int64_t>& order) {
                online::Pass pass;
                {
                    Unlocked unlocked;
                    pass = order ? self.learner->epoch(span_of(*order)) : self.learner->epoch();
                }
                return std::tuple(pass.mistakes, pass.updates, pass.loss);
            },
            "order"_a.noconvert() = nb::none(),
            "One visit to every sequence, or to those of an order: wrong tokens, sequences that changed "
            "weights, "
            "summed loss.")
        .def(
            "weights",
            [](const KeptLearner& self, const Out<double>& theta) {
                Unlocked unlocked;
                self.learner->weights(theta.data());
            },
            "theta"_a.noconvert(), "The weights of a model that stops now.")
        .def(
            "last_weights",
            [](const KeptLearner& self, const Out<double>& theta) {
                Unlocked unlocked;
                self.learner->last_weights(theta.data());
            },
            "theta"_a.noconvert(), "The weights after the last visit, not their mean.")
        .def(
            "snapshot",
            [](KeptLearner& self) {
                return arrays_of([&](Snapshot& state) { self.learner->record(state); });
            },
            "The state after an epoch, as views: valid until the next one.")
        .def(
            "resume",
            [](KeptLearner& self, const Arrays& arrays) {
                Snapshot state = snapshot_of(arrays);
                self.learner->record(state);
            },
            "arrays"_a, "Go on from a snapshot.");
}

void bind_svm(nb::module_& m) {
    nb::class_<KeptSvm, KeptLearner>(m, "StructuredSvm", "eq:structured-svm")
        .def(
            "check",
            [](KeptSvm& self, std::size_t threads) {
                online::Check found{};
                {
                    Unlocked unlocked;
                    found = static_cast<online::StructuredSvm&>(*self.learner).check(threads);
                }
                return std::tuple(found.primal, found.dual);
            },
            "threads"_a, "Primal and dual value (eq:duality-gap); the dual is NaN where there is none.")
        .def(
            "renew",
            [](KeptSvm& self) {
                Unlocked unlocked;
                return static_cast<online::StructuredSvm&>(*self.learner).renew();
            },
            "Chooses paths for labels known in part by the weights of the moment: how many are new.");
    const auto bind = [&]<class Of>(const char* name) {
        m.def(
            name,
            [](const nb::object& task, const In<double>& theta, double l2, bool averaged,
               std::uint64_t seed) {
                return make<Of, KeptSvm>(task, theta, online::Schedule{averaged, true, seed}, l2);
            },
            "task"_a, "theta"_a.noconvert(), "l2"_a, "averaged"_a, "seed"_a, "eq:structured-svm");
    };
    bind.operator()<online::FrankWolfe>("frank_wolfe");
    bind.operator()<online::Subgradient>("subgradient");
}

}  // namespace

void bind_online(nb::module_& m) {
    bind_learner(m);
    bind_svm(m);
    nb::class_<LibcRandom>(m, "LibcRandom", "rand() of Linux's C library, from its first number on.")
        .def(nb::init<>())
        .def(
            "shuffle",
            [](LibcRandom& self, const Out<std::int64_t>& order) {
                for (std::size_t i = 0; i < order.size(); ++i)
                    std::swap(order.data()[i], order.data()[self() % order.size()]);
            },
            "order"_a.noconvert(), "Swap each entry with one by chance, as CRFsuite does.");
    m.def(
        "perceptron",
        [](const nb::object& task, const In<double>& theta, bool averaged, bool shuffle, std::uint64_t seed) {
            return make<online::Perceptron>(task, theta, online::Schedule{averaged, shuffle, seed});
        },
        "task"_a, "theta"_a.noconvert(), "averaged"_a, "shuffle"_a, "seed"_a, "eq:perceptron");
    m.def(
        "passive_aggressive",
        [](const nb::object& task, const In<double>& theta, int kind, double C, int cost, bool averaged,
           bool shuffle, std::uint64_t seed) {
            return make<online::PassiveAggressive>(
                task, theta, online::Schedule{averaged, shuffle, seed},
                online::PassiveAggressiveOptions{kind, C, static_cast<online::Cost>(cost)});
        },
        "task"_a, "theta"_a.noconvert(), "kind"_a, "C"_a, "cost"_a, "averaged"_a, "shuffle"_a, "seed"_a,
        "eq:passive-aggressive");
    m.def(
        "arow",
        [](const nb::object& task, const In<double>& theta, double r, bool shuffle, std::uint64_t seed) {
            return make<online::Arow>(task, theta, online::Schedule{false, shuffle, seed}, r);
        },
        "task"_a, "theta"_a.noconvert(), "r"_a, "shuffle"_a, "seed"_a, "eq:arow");
}

}  // namespace seqlab::bind
