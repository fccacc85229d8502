#include "inference/stream.hpp"

#include <utility>

namespace seqlab {

Stream::Stream(std::size_t L, std::size_t order, std::vector<double> edge, std::vector<double> head1,
               std::vector<double> head2, std::size_t lag)
    : L_(L), order_(order), lag_(lag), edge_(std::move(edge)), head_{std::move(head1), std::move(head2)} {}

std::size_t Stream::states(std::size_t t) const {
    std::size_t n = 1;
    for (std::size_t i = 0; i < std::min(t + 1, order_); ++i) n *= L_;
    return n;
}

bool Stream::push(const double* scores, const double* edge) {
    const std::size_t n = states(t_);
    // Relative to the largest: scores of 1e9 keep the digits of what is added to them.
    const double shift = shift_of(scores, L_);
    std::vector<double> node(scores, scores + L_);
    for (double& x : node) x -= shift;
    double moves_shift = 0.0;
    std::vector<double> alpha(n), delta(n);
    Column column{std::vector<Label>(n, 0)};
    if (t_ == 0) {
        alpha = node;
        delta = alpha;
    } else {
        const std::vector<double>& lower = t_ < order_ ? head_[t_ - 1] : edge_;
        const std::vector<double> zeros(lower.empty() ? n : 0, 0.0);
        const double* given = edge ? edge : (lower.empty() ? zeros.data() : lower.data());
        const std::size_t size = (t_ < order_ ? 1 : L_) * n;
        moves_shift = shift_of(given, size);
        std::vector<double> moves(given, given + size);
        for (double& x : moves) x -= moves_shift;
        const double* tensor = moves.data();
        const std::size_t from = t_ < order_ ? 1 : L_, rest = n / L_, row = rest * L_;
        for (std::size_t r = 0; r < rest; ++r) {
            kernels().log_step(alpha.data() + r * L_, alpha_.data() + r, rest, tensor + r * L_, row, from,
                               L_);
            for (std::size_t y = 0; y < L_; ++y) {
                const std::size_t state = r * L_ + y;
                double best = IMPOSSIBLE;
                for (std::size_t a = 0; a < from; ++a) {
                    const double x = delta_[a * rest + r] + tensor[a * row + state];
                    if (x > best) {
                        best = x;
                        column.from[state] = static_cast<Label>(a);
                    }
                }
                alpha[state] += node[y];
                delta[state] = best + node[y];
            }
        }
    }
    const double norm = log_sum(alpha);
    if (norm == IMPOSSIBLE) return false;
    for (double& x : alpha) x -= norm;
    const double top = *std::max_element(delta.begin(), delta.end());
    for (double& x : delta) x -= top;
    alpha_ = std::move(alpha);
    delta_ = std::move(delta);
    log_z_.add(norm);
    log_z_.add(shift);
    log_z_.add(moves_shift);
    back_.push_back(std::move(column));
    if (back_.size() > lag_ + order_ + 1) back_.pop_front();
    ++t_;
    return true;
}

void Stream::filtered(double* out) const {
    std::fill(out, out + L_, 0.0);
    for (std::size_t i = 0; i < alpha_.size(); ++i) out[i % L_] += std::exp(alpha_[i]);
}

// Labels of the last `count` positions on the best path that ends now, newest first.
std::vector<Label> Stream::trace(std::size_t count) const {
    std::size_t state = 0;
    const auto reversed = [&](std::size_t s) {  // order of ties: newest label first
        std::size_t key = 0;
        for (std::size_t i = 0, n = delta_.size(); n > 1; ++i, n /= L_, s /= L_) key = key * L_ + s % L_;
        return key;
    };
    for (std::size_t s = 1; s < delta_.size(); ++s)
        if (delta_[s] > delta_[state] || (delta_[s] == delta_[state] && reversed(s) < reversed(state)))
            state = s;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < count; ++i) {
        labels.push_back(static_cast<Label>(state % L_));
        const std::size_t t = t_ - 1 - i;
        if (t == 0) break;
        const auto a = static_cast<std::size_t>(back_[back_.size() - 1 - i].from[state]);
        const std::size_t rest = states(t) / L_;
        state = (t < order_ ? 0 : a * rest) + state / L_;
    }
    return labels;
}

Label Stream::decided() const {
    return trace(lag_ + 1).back();
}

std::vector<Label> Stream::rest() const {
    std::vector<Label> labels = trace(std::min(lag_, t_));
    std::reverse(labels.begin(), labels.end());
    return labels;
}

}  // namespace seqlab
