#include "bind/batch.hpp"
#include "bind/stl.hpp"
#include "kernels/kernels.hpp"

namespace seqlab::bind {

void bind_machine(nb::module_& m) {
    m.def("kernel", [] { return std::string(kernels().name); }, "Instruction set in use.");
    m.def("kernels", &kernel_names, "Instruction sets this machine can run, plainest first.");
    m.def("use_kernel", &use_kernels, "name"_a, "Choose one; False when this machine cannot run it.");
}

}  // namespace seqlab::bind
