#include "linear/crfsuite/prepared_chain.hpp"

#include <cmath>

#include "base/numerics/flush_to_zero.hpp"
#include "inference/best.hpp"
#include "inference/marginals.hpp"

namespace seqlab {

PreparedChain::PreparedChain(std::vector<double> edge, std::size_t L)
    : set_(kernels()), L_(L), edge_(std::move(edge)) {}

Trellis<double> PreparedChain::trellis(const double* node, std::size_t T) const {
    Trellis<double> trellis;
    trellis.T = T;
    trellis.L = L_;
    trellis.node = node;
    trellis.edge = edge_.data();
    return trellis;
}

void PreparedChain::best(const double* node, std::size_t T, Label* path) const {
    const PinKernels pin(set_);
    const Trellis<double> asked = trellis(node, T);
    if (is_long<double>(T, L_)) {
        double score = 0.0;
        viterbi<double>({&asked, 1}, &path, &score, 1);
        return;
    }
    std::call_once(scores_.once, [&] { scores_.made = DenseTable<double>::scores(edge_.data(), L_); });
    thread_local Buffer<double> room;
    Chain<double> chain = chain_of(asked);
    chain.path = path;
    const auto& k = set_.f64;
    k.viterbi(scores_.made->edges(), T, &chain, 1, room.of(k.viterbi_room(L_, T, 1)));
}

double PreparedChain::marginals(const double* node, std::size_t T, double* gamma) const {
    const PinKernels pin(set_);
    const Trellis<double> asked = trellis(node, T);
    if (!is_long<double>(T, L_)) {
        std::call_once(potentials_.once,
                       [&] { potentials_.made = DenseTable<double>::potentials(edge_.data(), L_); });
        thread_local Buffer<double> room;
        Chain<double> chain = chain_of(asked);
        chain.gamma = gamma;
        const auto& k = set_.f64;
        const FlushToZero quick;
        k.forward_backward(potentials_.made->edges(), T, &chain, 1, room.of(k.pair_room(L_, T, 1)), nullptr);
        if (chain.certified && std::isfinite(chain.log_z)) return chain.log_z;  // eq:certificate
    }
    double log_z = 0.0;
    std::uint8_t log_space = 0;
    node_marginals<double>({&asked, 1}, &gamma, &log_z, &log_space, 1);
    return log_z;
}

double PreparedChain::score(const double* node, std::size_t T, const Label* path) const {
    return path_score(trellis(node, T), path);
}

}  // namespace seqlab
