#include "bind/batch.hpp"
#include "bind/stl.hpp"
#include "inference/messages.hpp"
#include "inference/nbest.hpp"
#include "inference/stream.hpp"

namespace seqlab::bind {

namespace {

template <class F>
void bind_nbest(nb::module_& m, const char* name) {
    using N = NBest<F>;
    nb::class_<N>(m, name, "Paths of one sequence, best first, computed on demand (eq:nbest).")
        .def(
            "__init__",
            [](N* self, const BatchOf<F>& batch, std::size_t i) {
                Unlocked unlocked;
                new (self) N(batch.at(i));
            },
            "batch"_a, "i"_a, nb::keep_alive<1, 2>())
        .def(
            "take",
            [](N& self, std::size_t n, const Out<Label>& ids, const Out<double>& scores) {
                const std::size_t T = n ? ids.size() / n : 0;
                Unlocked unlocked;
                std::size_t got = 0;
                for (; got < n && self.next(ids.data() + got * T, scores.data() + got); ++got) poll();
                return got;
            },
            "n"_a, "ids"_a.noconvert(), "scores"_a.noconvert());
}

template <class F>
void bind_messages(nb::module_& m, const char* name) {
    using M = Messages<F>;
    nb::class_<M>(m, name,
                  "Forward and backward messages of one sequence, for probabilities of spans (eq:span).")
        .def(
            "__init__",
            [](M* self, const BatchOf<F>& batch, std::size_t i) {
                Unlocked unlocked;
                new (self) M(batch.at(i));
            },
            "batch"_a, "i"_a, nb::keep_alive<1, 2>())
        .def(
            "span",
            [](M& self, std::size_t i, std::size_t j, const In<Label>& ids) {
                return self.span(i, j, ids.data());
            },
            "i"_a, "j"_a, "ids"_a.noconvert())
        .def(
            "typed_span",
            [](M& self, std::size_t i, std::size_t j, Label type, const In<Label>& types,
               const In<std::uint8_t>& borders) {
                return self.typed_span(i, j, type, {types.data(), borders.data()});
            },
            "i"_a, "j"_a, "type"_a, "types"_a.noconvert(), "borders"_a.noconvert());
}

std::vector<double> copy_of(const In<double>& x) {
    return {x.data(), x.data() + x.size()};
}

void bind_stream(nb::module_& m) {
    nb::class_<Stream>(m, "Stream", "Forward recursion fed one position at a time (eq:filter, eq:fixed-lag).")
        .def(
            "__init__",
            [](Stream* self, std::size_t L, std::size_t order, const In<double>& edge,
               const In<double>& head1, const In<double>& head2, std::size_t lag) {
                new (self) Stream(L, order, copy_of(edge), copy_of(head1), copy_of(head2), lag);
            },
            "L"_a, "order"_a, "edge"_a.noconvert(), "head1"_a.noconvert(), "head2"_a.noconvert(), "lag"_a)
        .def(
            "push",
            [](Stream& self, const In<double>& node, const In<double>& edge) {
                return self.push(node.data(), edge.size() ? edge.data() : nullptr);
            },
            "node"_a.noconvert(), "edge"_a.noconvert())
        .def(
            "filtered", [](const Stream& self, const Out<double>& out) { self.filtered(out.data()); },
            "out"_a.noconvert())
        .def_prop_ro("position", &Stream::position)
        .def_prop_ro("log_z", &Stream::log_z)
        .def_prop_ro("decides", &Stream::decides)
        .def("decided", &Stream::decided)
        .def("rest", &Stream::rest)
        .def("memory",
             [](const Stream& self) {
                 const Stream::Memory memory = self.memory();
                 std::vector<std::vector<Label>> back;
                 for (const auto& column : memory.back) back.push_back(column.from);
                 return std::tuple(memory.t, memory.log_z.sum(), memory.log_z.lost(), memory.alpha,
                                   memory.delta, std::move(back));
             })
        .def(
            "restore",
            [](Stream& self, std::size_t t, double sum, double lost, std::vector<double> alpha,
               std::vector<double> delta, const std::vector<std::vector<Label>>& back) {
                Stream::Memory memory{std::move(alpha), std::move(delta), {}, {sum, lost}, t};
                for (const std::vector<Label>& from : back) memory.back.push_back({from});
                self.restore(std::move(memory));
            },
            "t"_a, "sum"_a, "lost"_a, "alpha"_a, "delta"_a, "back"_a);
}

}  // namespace

void bind_objects(nb::module_& m) {
    bind_nbest<float>(m, "NBest32");
    bind_nbest<double>(m, "NBest64");
    bind_messages<float>(m, "Messages32");
    bind_messages<double>(m, "Messages64");
    bind_stream(m);
}

}  // namespace seqlab::bind
