#include <algorithm>
#include <cmath>

#include "inference/count_paths.hpp"
#include "inference/marginals.hpp"

namespace seqlab {

template <class F>
double entropy(const Trellis<F>& trellis) {
    if (trellis.T == 0) return 0.0;
    const std::size_t size = tensor_size(trellis.L, trellis.order + 1);
    const std::size_t slabs = trellis.slab ? trellis.T - std::min(trellis.T, trellis.order) : 1;
    std::vector<double> edge(size * slabs, 0.0), head[2];
    std::vector<F> node(trellis.T * trellis.L);
    F* const rows[1] = {node.data()};
    CountTarget target{edge.data(), trellis.slab ? size : 0, {nullptr, nullptr}};
    for (std::size_t i = 0; i < 2; ++i)
        if (trellis.head[i]) {
            head[i].assign(tensor_size(trellis.L, i + 2), 0.0);
            target.head[i] = head[i].data();
        }
    double log_z = 0.0;
    expected_counts<F>({&trellis, 1}, rows, &target, false, &log_z, nullptr, 1);
    if (log_z == IMPOSSIBLE) return IMPOSSIBLE;
    CompensatedSum h;
    h.add(log_z);
    const auto take = [&](const auto& expected, const F* scores) {
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (expected[i] > 0) h.add(-static_cast<double>(expected[i]) * static_cast<double>(scores[i]));
    };
    take(node, trellis.node);
    take(edge, trellis.edge);
    for (std::size_t i = 0; i < 2; ++i)
        if (trellis.head[i]) take(head[i], trellis.head[i]);
    // At scores of 1e300 even compensated sums lose all digits of so small a difference: clamp to the bounds of
    // entropy.
    return std::clamp(h.value(), 0.0,
                      static_cast<double>(trellis.T) * std::log(static_cast<double>(trellis.L)));
}

template double entropy<float>(const Trellis<float>&);
template double entropy<double>(const Trellis<double>&);

}  // namespace seqlab
