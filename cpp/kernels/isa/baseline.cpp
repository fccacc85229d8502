#define SEQLAB_ISA baseline
#define SEQLAB_VECTOR_BYTES 16
#include "kernels/isa/table.hpp"

namespace seqlab {

Kernels baseline_kernels() {
    return baseline::table("baseline");
}

}  // namespace seqlab
