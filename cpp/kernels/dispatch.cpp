#include <atomic>
#include <utility>

#include "kernels/kernels.hpp"

namespace seqlab {

Kernels baseline_kernels();
#ifdef SEQLAB_HAVE_X86_KERNELS
Kernels avx2_kernels();
Kernels avx512_kernels();
#endif

namespace {

std::vector<Kernels> runnable() {
    std::vector<Kernels> sets{baseline_kernels()};
#ifdef SEQLAB_HAVE_X86_KERNELS
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2) sets.push_back(avx2_kernels());
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        sets.push_back(avx512_kernels());
#endif
    return sets;
}

const std::vector<Kernels>& sets() {
    static const std::vector<Kernels> all = runnable();
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
