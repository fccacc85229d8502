#define SEQLAB_ISA avx512
#define SEQLAB_VECTOR_BYTES 64
#include "kernels/isa/table.hpp"

namespace seqlab {

Kernels avx512_kernels() {
    return avx512::table("avx512");
}

}  // namespace seqlab
