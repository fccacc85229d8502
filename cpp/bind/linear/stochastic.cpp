#include "linear/stochastic/stochastic.hpp"
#include "bind/stl.hpp"

#include <memory>
#include <tuple>

#include "bind/linear/task.hpp"
#include "bind/snapshot.hpp"

namespace seqlab::bind {

namespace {

// A descent, with the task that it reads kept alive.
struct KeptStochastic {
    nb::object task;
    std::unique_ptr<Stochastic> descent;
};

void set_up_stochastic(KeptStochastic* self, const nb::object& task, const In<double>& theta, double l2,
                       std::size_t batch, double rate, RateSchedule schedule, bool adagrad, bool averaged,
                       bool float32, std::uint64_t seed) {
    const Task& of = nb::cast<const KeptTask&>(task).task;
    new (self) KeptStochastic{task, nullptr};
    const Unlocked unlocked;
    self->descent =
        make_stochastic(of, theta.data(), {l2, batch, rate, schedule, adagrad, averaged, float32, seed});
}

}  // namespace

void bind_stochastic(nb::module_& m) {
    nb::enum_<RateSchedule>(m, "RateSchedule", "How the rate falls.")
        .value("inverse", RateSchedule::inverse)
        .value("constant", RateSchedule::constant)
        .value("sqrt", RateSchedule::sqrt)
        .value("exponential", RateSchedule::exponential);
    nb::class_<KeptStochastic>(m, "Stochastic", "Stochastic gradient descent (eq:sgd, eq:adagrad).")
        .def("__init__", &set_up_stochastic, "task"_a, "theta"_a.noconvert(), "l2"_a, "batch"_a, "rate"_a,
             "schedule"_a, "adagrad"_a, "averaged"_a, "float32"_a, "seed"_a)
        .def_prop_ro("size", [](const KeptStochastic& self) { return self.descent->size(); })
        .def(
            "epoch",
            [](KeptStochastic& self, std::size_t threads, const Maybe<std::int64_t>& order) {
                StochasticEpoch told;
                {
                    const Unlocked unlocked;
                    told =
                        order ? self.descent->epoch(span_of(*order), threads) : self.descent->epoch(threads);
                }
                return std::tuple(told.loss, told.squares, told.rate, told.active);
            },
            "threads"_a, "order"_a.noconvert() = nb::none(),
            "Visit every sequence once, or those of an order: losses before the steps, |theta|² after, the "
            "last "
            "rate, weights not 0.")
        .def(
            "restart",
            [](KeptStochastic& self, double rate) {
                const Unlocked unlocked;
                self.descent->restart(rate);
            },
            "rate"_a, "Begin anew where the learner began, with this rate.")
        .def(
            "weights",
            [](KeptStochastic& self, const Out<double>& theta) {
                const Unlocked unlocked;
                self.descent->weights(theta.data());
            },
            "theta"_a.noconvert(), "The weights of a model that stops now.")
        .def(
            "snapshot",
            [](KeptStochastic& self) {
                return arrays_of([&](Snapshot& state) { self.descent->record(state); });
            },
            "The state after an epoch, as views: valid until the next one.")
        .def(
            "resume",
            [](KeptStochastic& self, const Arrays& arrays) {
                Snapshot state = snapshot_of(arrays);
                self.descent->record(state);
            },
            "arrays"_a, "Go on from a snapshot.");
}

}  // namespace seqlab::bind
