#include "bind/batch.hpp"

#include "bind/stl.hpp"
#include "trellis/scan.hpp"

namespace seqlab::bind {

namespace {

template <class F>
void bind_batch(nb::module_& m, const char* name) {
    using B = BatchOf<F>;
    nb::class_<B>(m, name, "Trellises, checked and borrowed.")
        .def(nb::init<>())
        .def("add", &B::add, "node"_a.noconvert(), "edge"_a.noconvert(), "order"_a, "per_position"_a,
             "head"_a, "where"_a.noconvert(), "offset"_a.noconvert(), "ids"_a.noconvert())
        .def("add_many", &B::add_many, "node"_a.noconvert(), "lengths"_a.noconvert(), "edge"_a.noconvert(),
             "order"_a, "per_position"_a, "head"_a)
        .def("__len__", [](const B& b) { return b.view().size(); });
    m.def(
        "scan",
        [](const In<F>& x) {
            const Scan found = scan(x.data(), x.size());
            return std::pair(found.first_bad, found.largest);
        },
        "scores"_a.noconvert(), "Index of the first NaN or +inf (or -1), and the largest finite magnitude.");
}

}  // namespace

void bind_batches(nb::module_& m) {
    bind_batch<float>(m, "Batch32");
    bind_batch<double>(m, "Batch64");
}

}  // namespace seqlab::bind
