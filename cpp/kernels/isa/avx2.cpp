#define SEQLAB_ISA avx2
#define SEQLAB_VECTOR_BYTES 32
#include "kernels/isa/table.hpp"

namespace seqlab {

Kernels avx2_kernels() {
    return avx2::table("avx2");
}

}  // namespace seqlab
