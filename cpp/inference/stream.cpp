#include "inference/stream.hpp"

#include <utility>

namespace seqlab {

Stream::Stream(std::size_t L, std::size_t order, std::vector<double> edge, std::vector<double> head1,
               std::vector<double> head2, std::size_t lag)
    : lag_(lag), edge_(std::move(edge)), head_{std::move(head1), std::move(head2)} {
    trellis_.L = L;
    trellis_.order = order;
    trellis_.edge = edge_.data();
    for (std::size_t i = 0; i < 2; ++i) trellis_.head[i] = head_[i].empty() ? nullptr : head_[i].data();
}

std::size_t Stream::states(std::size_t t) const {
    std::size_t n = 1;
    for (std::size_t i = 0; i < std::min(t + 1, trellis_.order); ++i) n *= trellis_.L;
    return n;
}

double Stream::push(const double* scores, const double* edge) {
    Trellis<double> trellis = trellis_;
    if (edge) (t_ < trellis.order ? trellis.head[t_ - 1] : trellis.edge) = edge;
    const Steps<double> steps(trellis);
    LogSpace<double> sums(steps);
    const Step step = steps.into(t_);
    // Relative to the largest: scores of 1e9 keep the digits of the terms added to them.
    double shift = shift_of(scores, step.to);
    std::vector<double> node(scores, scores + step.to);
    for (double& x : node) x -= shift;
    if (t_ > 0) shift += sums.enter(t_);
    std::vector<double> alpha(step.after());
    advance(sums, step, t_, node.data(), alpha_.data(), alpha.data());
    std::vector<double> delta = alpha;
    Column column{std::vector<Label>(step.after(), 0)};
    for (std::size_t r = 0; t_ > 0 && r < step.rest; ++r) {
        const Block<double> M = sums.block(t_, r);
        for (std::size_t y = 0; y < step.to; ++y) {
            const std::size_t state = r * step.to + y;
            double best = IMPOSSIBLE;
            for (std::size_t a = 0; a < step.from; ++a) {
                const double x = delta_[a * step.rest + r] + M.data[a * M.stride + y];
                if (x > best) {
                    best = x;
                    column.from[state] = static_cast<Label>(a);
                }
            }
            delta[state] = best + node[y];
        }
    }
    const double norm = log_sum(alpha);
    if (!(norm > IMPOSSIBLE)) return norm;
    if (norm < -LARGEST_SETBACK) return INCOMPUTABLE;
    for (double& x : alpha) x -= norm;
    const double top = *std::max_element(delta.begin(), delta.end());
    for (double& x : delta) x -= top;
    alpha_ = std::move(alpha);
    delta_ = std::move(delta);
    log_z_.add(norm);
    log_z_.add(shift);
    back_.push_back(std::move(column));
    if (back_.size() > lag_ + trellis_.order + 1) back_.pop_front();
    ++t_;
    return norm + shift;
}

void Stream::restore(Memory memory) {
    alpha_ = std::move(memory.alpha);
    delta_ = std::move(memory.delta);
    back_ = std::move(memory.back);
    log_z_ = memory.log_z;
    t_ = memory.t;
}

void Stream::filtered(double* out) const {
    std::fill(out, out + trellis_.L, 0.0);
    for (std::size_t i = 0; i < alpha_.size(); ++i) out[i % trellis_.L] += std::exp(alpha_[i]);
}

// Labels of the last `count` positions on the best path that ends at the current position, newest first.
std::vector<Label> Stream::trace(std::size_t count) const {
    std::size_t state = 0;
    const auto reversed = [&](std::size_t s) {  // tie order: newest label first
        std::size_t key = 0;
        for (std::size_t i = 0, n = delta_.size(); n > 1; ++i, n /= trellis_.L, s /= trellis_.L)
            key = key * trellis_.L + s % trellis_.L;
        return key;
    };
    for (std::size_t s = 1; s < delta_.size(); ++s)
        if (delta_[s] > delta_[state] || (delta_[s] == delta_[state] && reversed(s) < reversed(state)))
            state = s;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < count; ++i) {
        labels.push_back(static_cast<Label>(state % trellis_.L));
        const std::size_t t = t_ - 1 - i;
        if (t == 0) break;
        const auto a = static_cast<std::size_t>(back_[back_.size() - 1 - i].from[state]);
        const std::size_t rest = states(t) / trellis_.L;
        state = (t < trellis_.order ? 0 : a * rest) + state / trellis_.L;
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
