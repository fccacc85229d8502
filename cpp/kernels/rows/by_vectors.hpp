// Call a routine with the number of vectors in a row as a compile-time constant, where it is small.
#pragma once

#include "base/numerics/lanes.hpp"

namespace seqlab::SEQLAB_ISA {

// Routine<F, NV>::run(args...) for rows of NV = 1 to 4 vectors, Routine<F, 0> for wider ones.
template <class F, template <class, size_t> class Routine, class... Args>
void by_vectors(size_t vectors, Args&&... args) {
    switch (vectors) {
        case 1:
            return Routine<F, 1>::run(args...);
        case 2:
            return Routine<F, 2>::run(args...);
        case 3:
            return Routine<F, 3>::run(args...);
        case 4:
            return Routine<F, 4>::run(args...);
        default:
            return Routine<F, 0>::run(args...);
    }
}

}  // namespace seqlab::SEQLAB_ISA
