#define SEQLAB_ISA baseline
#define SEQLAB_VECTOR_BYTES 16
#include "inference/kernels/table.hpp"

namespace seqlab {

Kernels baseline_kernels() {
    return baseline::table("baseline");
}

}  // namespace seqlab
