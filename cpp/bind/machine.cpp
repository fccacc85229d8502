#include "bind/batch.hpp"
#include "bind/stl.hpp"
#include "kernels/kernels.hpp"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace seqlab::bind {

// The allocator of glibc keeps what was freed, sometimes more than is in use; others return it by themselves.
static void return_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void bind_machine(nb::module_& m) {
    m.def("kernel", [] { return std::string(kernels().name); }, "Instruction set in use.");
    m.def("kernels", &kernel_names, "Instruction sets this machine can run, plainest first.");
    m.def("use_kernel", &use_kernels, "name"_a, "Choose one; False when this machine cannot run it.");
    m.def("return_memory", &return_memory, nb::call_guard<nb::gil_scoped_release>(),
          "Return what was freed to the system, so that it is not counted as memory of this program.");
}

}  // namespace seqlab::bind
