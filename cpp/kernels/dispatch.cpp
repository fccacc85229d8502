#include <atomic>
#include <utility>

#include "kernels/kernels.hpp"

namespace seqlab {

// Each instruction set has a namespace, in which the files kernels/*/table.cpp are compiled for it.
#define SEQLAB_KERNEL_SET(SET)           \
    namespace SET {                      \
    void add_sentence_kernels(Kernels&); \
    void add_long_kernels(Kernels&);     \
    void add_row_kernels(Kernels&);      \
    static Kernels table() {             \
        Kernels k{};                     \
        k.name = #SET;                   \
        add_sentence_kernels(k);         \
        add_long_kernels(k);             \
        add_row_kernels(k);              \
        return k;                        \
    }                                    \
    }
SEQLAB_KERNEL_SET(baseline)
#ifdef SEQLAB_HAVE_X86_KERNELS
SEQLAB_KERNEL_SET(avx2)
SEQLAB_KERNEL_SET(avx512)
#endif
#undef SEQLAB_KERNEL_SET

namespace {

std::vector<Kernels> runnable() {
    std::vector<Kernels> sets{baseline::table()};
#ifdef SEQLAB_HAVE_X86_KERNELS
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2) sets.push_back(avx2::table());
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        sets.push_back(avx512::table());
#endif
    return sets;
}

// Never destroyed: daemon threads of a Python program compute on while it ends.
const std::vector<Kernels>& sets() {
    static const std::vector<Kernels>& all = *new std::vector<Kernels>(runnable());
    return all;
}

std::atomic<const Kernels*>& chosen() {
    static std::atomic<const Kernels*> kernels{&sets().back()};
    return kernels;
}

thread_local const Kernels* pinned = nullptr;

}  // namespace

const Kernels& kernels() {
    return pinned ? *pinned : *chosen().load(std::memory_order_relaxed);
}

PinKernels::PinKernels(const Kernels& set) : before_(std::exchange(pinned, &set)) {}

PinKernels::~PinKernels() {
    pinned = before_;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const Kernels& set : sets()) names.emplace_back(set.name);
    return names;
}

bool use_kernels(const std::string& name) {
    for (const Kernels& set : sets())
        if (name == set.name) {
            chosen().store(&set, std::memory_order_relaxed);
            return true;
        }
    return false;
}

}  // namespace seqlab
