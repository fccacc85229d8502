#include <memory>

#include "base/parallel/parallel.hpp"
#include "bind/corpus/strings.hpp"
#include "bind/linear/task.hpp"
#include "bind/optimise.hpp"
#include "bind/stl.hpp"
#include "linear/data/pairs.hpp"
#include "linear/likelihood/batch_descent.hpp"
#include "linear/likelihood/likelihood.hpp"
#include "linear/likelihood/local_likelihood.hpp"
#include "linear/stochastic/averaged_start.hpp"
#include "linear/tagging/scorer.hpp"

namespace seqlab::bind {

namespace {

// A loss, with the task that it reads kept alive.
struct KeptLoss {
    nb::object task;
    std::unique_ptr<Loss> loss;
};

// A loss that Python computes, for example on other machines.
class AskedLoss final : public Loss {
public:
    AskedLoss(std::size_t size, nb::object value, nb::object curvature)
        : size_(size), value_(std::move(value)), curvature_(std::move(curvature)) {}

    std::size_t size() const override { return size_; }
    double operator()(const double* theta, double* gradient, std::size_t) override {
        return locked([&] { return nb::cast<double>(value_(seen(theta, size_), written(gradient, size_))); });
    }
    void curvature(const double* theta, double* diagonal, std::size_t) override {
        locked([&] {
            curvature_(seen(theta, size_), written(diagonal, size_));
            return true;
        });
    }

private:
    std::size_t size_;
    nb::object value_, curvature_;
};

void bind_asked(nb::module_& m) {
    struct Asked : KeptLoss {};
    nb::class_<Asked, KeptLoss>(m, "AskedLoss", "A loss that Python computes, for example on other machines.")
        .def(
            "__init__",
            [](Asked* self, std::size_t size, const nb::object& value, const nb::object& curvature) {
                new (self) Asked{{nb::none(), std::make_unique<AskedLoss>(size, value, curvature)}};
            },
            "size"_a, "value"_a, "curvature"_a,
            "value(theta, gradient) writes the gradient and returns the value; curvature(theta, diagonal) "
            "writes.");
}

template <class Of>
void bind_loss(nb::module_& m, const char* name, const char* doc) {
    struct Kind : KeptLoss {};
    nb::class_<Kind, KeptLoss>(m, name, doc)
        .def(
            "__init__",
            [](Kind* self, const nb::object& task) {
                const Task& of = nb::cast<const KeptTask&>(task).task;
                new (self) Kind{{task, nullptr}};
                self->loss = std::make_unique<Deferred>(
                    of.size(), [&of](std::size_t threads) { return std::make_unique<Of>(of, threads); });
            },
            "task"_a);
}

using Result = std::tuple<optimise::Stop, int, int, double, double, std::size_t>;

Result minimise_loss(KeptLoss& self, const Out<double>& theta, const Maybe<double>& centre, double l2,
                     const Settings& settings, std::size_t threads, const nb::object& report,
                     const nb::object& resumed) {
    const optimise::Report told = report_to(report, theta.size());
    const optimise::Objective objective = [&](const double* x, double* gradient) {
        return with_l2(*self.loss, x, gradient, l2, data_of(centre), threads);
    };
    Resumed state(resumed);
    optimise::Outcome out{};
    {
        const Unlocked unlocked;
        const Crew crew(threads);
        out = minimise(objective, theta.data(), theta.size(), settings, told, threads, state.get());
    }
    return {out.reason, out.iterations, out.evaluations, out.value, out.gradient_norm, out.active};
}

// Minimise as LBFGS does: preconditioned, float32 first.
Result descend_loss(KeptLoss& self, const nb::object& exact, const Out<double>& theta,
                    const Maybe<double>& centre, double l2, bool precondition, const Settings& settings,
                    std::size_t threads, const nb::object& report, const nb::object& resumed) {
    const optimise::Report told = report_to(report, theta.size());
    Resumed state(resumed);
    Loss* const last = exact.is_none() ? nullptr : nb::cast<KeptLoss&>(exact).loss.get();
    BatchOptions options;
    options.lbfgs = lbfgs_options(settings);
    options.l2 = l2;
    options.centre = data_of(centre);
    options.precondition = precondition;
    optimise::Outcome out{};
    {
        const Unlocked unlocked;
        out = descend(*self.loss, last, theta.data(), options, threads, told, state.get());
    }
    return {out.reason, out.iterations, out.evaluations, out.value, out.gradient_norm, out.active};
}

void bind_losses(nb::module_& m) {
    nb::class_<KeptLoss>(m, "Loss", "A sum over sequences that batch learners make small.")
        .def_prop_ro("size", [](const KeptLoss& self) { return self.loss->size(); })
        .def(
            "__call__",
            [](KeptLoss& self, const In<double>& theta, const Out<double>& gradient, std::size_t threads) {
                const Unlocked unlocked;
                const Crew crew(threads);
                return (*self.loss)(theta.data(), gradient.data(), threads);
            },
            "theta"_a.noconvert(), "gradient"_a.noconvert(), "threads"_a)
        .def(
            "curvature",
            [](KeptLoss& self, const In<double>& theta, const Out<double>& diagonal, std::size_t threads) {
                const Unlocked unlocked;
                const Crew crew(threads);
                self.loss->curvature(theta.data(), diagonal.data(), threads);
            },
            "theta"_a.noconvert(), "diagonal"_a.noconvert(), "threads"_a)
        .def("minimise", &minimise_loss, "theta"_a.noconvert(), "centre"_a.none().noconvert(), "l2"_a,
             "settings"_a, "threads"_a, "report"_a.none(), "resumed"_a = nb::none(),
             "Walk theta downhill in place on loss + l2 |theta|².")
        .def("descend", &descend_loss, "exact"_a.none(), "theta"_a.noconvert(), "centre"_a.none().noconvert(),
             "l2"_a, "precondition"_a, "settings"_a, "threads"_a, "report"_a.none(), "resumed"_a = nb::none(),
             "The same by L-BFGS or proximal steps, preconditioned, the loss `exact` taking over near the "
             "end.");
    bind_loss<Likelihood<float>>(m, "Likelihood32",
                                 "Negative log-likelihood of a linear-chain CRF (eq:crf-likelihood).");
    bind_loss<Likelihood<double>>(m, "Likelihood64",
                                  "Negative log-likelihood of a linear-chain CRF (eq:crf-likelihood).");
    bind_loss<LocalLikelihood<float>>(m, "LocalLikelihood32",
                                      "Negative log-likelihood of an MEMM (eq:memm-likelihood).");
    bind_loss<LocalLikelihood<double>>(m, "LocalLikelihood64",
                                       "Negative log-likelihood of an MEMM (eq:memm-likelihood).");
}

template <class F>
struct KeptScorer {
    In<std::int64_t> begin;
    In<std::int32_t> label;
    std::unique_ptr<Scorer<F>> scorer;
};

template <class F>
void bind_scorer(nb::module_& m, const char* name) {
    using K = KeptScorer<F>;
    nb::class_<K>(m, name, "Node scores from attributes (eq:linear-score).")
        .def(
            "__init__",
            [](K* self, const In<std::int64_t>& begin, const In<std::int32_t>& label,
               const In<double>& weights, std::size_t L) {
                const Observed observed{span_of(begin), span_of(label)};
                new (self) K{begin, label, std::make_unique<Scorer<F>>(observed, weights.data(), L)};
            },
            "begin"_a.noconvert(), "label"_a.noconvert(), "weights"_a.noconvert(), "L"_a)
        .def(
            "__call__",
            [](const K& self, const In<std::int64_t>& indptr, const In<std::int32_t>& ids,
               const Maybe<double>& values, const Out<F>& node, std::size_t threads) {
                const Entries entries{span_of(indptr), ids.data(), data_of(values)};
                Unlocked unlocked;
                (*self.scorer)(entries, node.data(), threads);
            },
            "indptr"_a.noconvert(), "ids"_a.noconvert(), "values"_a.none().noconvert(), "node"_a.noconvert(),
            "threads"_a);
}

void bind_start(nb::module_& m) {
    m.def(
        "averaged_start",
        [](const KeptTask& task, const Out<double>& theta, double l2, double l1, int epochs, int burn_in,
           double rate, std::uint64_t seed, bool local, std::size_t threads, const nb::object& keep,
           const nb::object& resumed) {
            std::function<void(const Recorded&)> kept;
            if (!keep.is_none())
                kept = [&](const Recorded& recorded) { locked([&] { keep(recorder(recorded)); }); };
            Resumed state(resumed);
            Unlocked unlocked;
            return AveragedStart(task.task, threads)
                .run(theta.data(), {l2, l1, epochs, burn_in, rate, seed, local, kept, state.get()}, threads);
        },
        "task"_a, "theta"_a.noconvert(), "l2"_a, "l1"_a, "epochs"_a, "burn_in"_a, "rate"_a, "seed"_a,
        "local"_a, "threads"_a, "keep"_a = nb::none(), "resumed"_a = nb::none(),
        "Averaged stochastic gradient descent from theta, in place (eq:averaged-sgd).");
    nb::class_<PairMarks>(m, "PairMarks",
                          "Labels that each attribute was met with, of one part after another.")
        .def(nb::init<std::size_t, std::size_t>(), "attributes"_a, "L"_a)
        .def(
            "add",
            [](PairMarks& self, const In<std::int64_t>& indptr, const In<std::int32_t>& ids,
               const In<std::int32_t>& labels, std::size_t threads) {
                Unlocked unlocked;
                self.add({span_of(indptr), ids.data(), nullptr}, labels.data(), {}, threads);
            },
            "indptr"_a.noconvert(), "ids"_a.noconvert(), "labels"_a.noconvert(), "threads"_a)
        .def(
            "pairs",
            [](const PairMarks& self) {
                Pairs pairs = self.pairs();
                return std::make_tuple(as_array(std::move(pairs.begin)), as_array(std::move(pairs.label)));
            },
            "(begin, label), as observed_pairs() gives them.");
    m.def(
        "observed_pairs",
        [](const In<std::int64_t>& indptr, const In<std::int32_t>& ids, const In<std::int32_t>& labels,
           const Maybe<std::int64_t>& set_offset, const Maybe<std::int32_t>& set_ids, std::size_t attributes,
           std::size_t L, std::size_t threads) {
            Pairs pairs;
            {
                Unlocked unlocked;
                const ActiveLists sets{span_of(set_offset), data_of(set_ids)};
                pairs = observed_pairs({span_of(indptr), ids.data(), nullptr}, labels.data(), sets,
                                       attributes, L, threads);
            }
            return std::make_tuple(as_array(std::move(pairs.begin)), as_array(std::move(pairs.label)));
        },
        "indptr"_a.noconvert(), "ids"_a.noconvert(), "labels"_a.noconvert(),
        "set_offset"_a.none().noconvert(), "set_ids"_a.none().noconvert(), "attributes"_a, "L"_a, "threads"_a,
        "Which labels each attribute was met with: (begin, label).");
}

}  // namespace

void bind_learn(nb::module_& m) {
    bind_scorer<float>(m, "Scorer32");
    bind_scorer<double>(m, "Scorer64");
    bind_losses(m);
    bind_asked(m);
    bind_start(m);
}

}  // namespace seqlab::bind
