// One loop nest for every order (eq:order-k).
//
// A state at t is the tuple of the last k labels (fewer at the very start). The step into t goes from states (a, rest)
// to states (rest, y): a is the label that drops out, y the new label, and `rest` the labels that both states share. So
// every recursion is   for rest: for a: for y:   and for k = 1 rest is empty. For each rest the scores form one matrix
// "a by y", which is all a kernel needs.
#pragma once

#include <array>

#include "trellis/trellis.hpp"

namespace seqlab {

// Sizes of the step into t. States before it are numbered a * rest + r, states after it r * to + y.
struct Step {
    std::size_t from, rest, to;

    std::size_t before() const { return from * rest; }
    std::size_t after() const { return rest * to; }
};

// The matrix of one rest: entry (a, y) at data[a * stride + y].
template <class F>
struct Block {
    const F* data;
    std::size_t stride;
};

template <class F>
class Steps {
public:
    explicit Steps(const Trellis<F>& trellis) : trellis_(trellis), active_(trellis) {}

    const Trellis<F>& trellis() const { return trellis_; }
    std::size_t T() const { return trellis_.T; }
    Labels labels(std::size_t t) const { return active_.at(t); }
    bool everything_allowed() const { return active_.everywhere(); }
    // labels(t)[y], without indirection where nothing is restricted
    Label label(std::size_t t, std::size_t y) const {
        return active_.everywhere() ? static_cast<Label>(y) : labels(t)[y];
    }

    Step into(std::size_t t) const {
        Step step{1, 1, labels(t).size()};
        const std::size_t k = trellis_.order;
        if (t >= k) step.from = labels(t - k).size();
        for (std::size_t u = first_of_rest(t); u < t; ++u) step.rest *= labels(u).size();
        return step;
    }

    std::size_t states(std::size_t t) const { return into(t).after(); }

    // Offset of the entry (a, rest, y) in the tensor of transitions into t; a and y are labels, not list positions.
    std::size_t position(std::size_t t, Label a, std::size_t r, Label y) const {
        const std::size_t L = trellis_.L;
        std::size_t index = t >= trellis_.order ? static_cast<std::size_t>(a) : 0;
        const auto rest = rest_labels(t, r);
        for (std::size_t i = 0; i < rest.size; ++i)
            index = index * L + static_cast<std::size_t>(rest.label[i]);
        return index * L + static_cast<std::size_t>(y);
    }

    // ψ_t(y) and ψ_t(a, rest, y) as scores; a and y are list positions. There is no transition into t = 0.
    double node(std::size_t t, std::size_t y) const {
        return static_cast<double>(trellis_.row(t)[label(t, y)]);
    }
    double move(std::size_t t, std::size_t a, std::size_t r, std::size_t y) const {
        const F* tensor = t > 0 ? trellis_.scores_into(t) : nullptr;
        if (!tensor) return 0.0;
        const Label from = t >= trellis_.order ? label(t - trellis_.order, a) : 0;
        const auto score = static_cast<double>(tensor[position(t, from, r, label(t, y))]);
        if (!trellis_.pairs) return score;
        return score + static_cast<double>(trellis_.pairs_into(t, label_before(t, a, r))[label(t, y)]);
    }

    // The matrix of scores of all transitions into t for one `rest`.
    Block<F> scores(std::size_t t, std::size_t r, std::vector<F>& room) const {
        const Block<F> found = block(trellis_.scores_into(t), t, r, room);
        if (!trellis_.pairs) return found;
        const Step step = into(t);
        if (found.data != room.data()) {
            room.resize(step.from * step.to);
            for (std::size_t a = 0; a < step.from; ++a)
                std::copy_n(found.data + a * found.stride, step.to, room.data() + a * step.to);
        }
        const Labels to = labels(t);
        for (std::size_t a = 0; a < step.from; ++a) {
            const F* const pair = trellis_.pairs_into(t, label_before(t, a, r));
            for (std::size_t y = 0; y < step.to; ++y) room[a * step.to + y] += pair[to[y]];
        }
        return {room.data(), step.to};
    }

    // The label at t - 1 >= 0 of the transitions of (a, rest) into t.
    Label label_before(std::size_t t, std::size_t a, std::size_t r) const {
        const Labels list = labels(t - 1);
        return trellis_.order == 1 ? list[a] : list[r % list.size()];
    }

    // Matrix of `tensor` (shaped as scores_into(t)) for one rest: in place where nothing is restricted, otherwise
    // gathered into `room`, so that the work shrinks with the label lists.
    template <class G>
    Block<G> block(const G* tensor, std::size_t t, std::size_t r, std::vector<G>& room) const {
        const Step step = into(t);
        const std::size_t L = trellis_.L;
        const std::size_t row = row_length(t);
        if (tensor == nullptr) {
            room.assign(step.from * step.to, G{0});
            return {room.data(), step.to};
        }
        if (unrestricted(t)) return {tensor + r * L, row};
        room.resize(step.from * step.to);
        const Labels to = labels(t);
        const G* base = tensor + position(t, 0, r, 0);
        for (std::size_t a = 0; a < step.from; ++a) {
            const auto from =
                t >= trellis_.order ? static_cast<std::size_t>(labels(t - trellis_.order)[a]) : 0;
            for (std::size_t y = 0; y < step.to; ++y)
                room[a * step.to + y] = base[from * row + static_cast<std::size_t>(to[y])];
        }
        return {room.data(), step.to};
    }

    // The label at t - back of state number `state` at t (back < order).
    Label label_of(std::size_t t, std::size_t state, std::size_t back) const {
        for (std::size_t i = 0; i < back; ++i) state /= labels(t - i).size();
        const Labels list = labels(t - back);
        return list[state % list.size()];
    }

    // Tie order: of two states at t, the one with the lower label at t, then at t - 1, ... comes first.
    bool before(std::size_t t, std::size_t one, std::size_t other) const {
        for (std::size_t back = 0; back < std::min(t + 1, trellis_.order); ++back) {
            const Label x = label_of(t, one, back), y = label_of(t, other, back);
            if (x != y) return x < y;
        }
        return false;
    }

    // True if no position of the step into t is restricted.
    bool unrestricted(std::size_t t) const {
        if (active_.everywhere()) return true;
        for (std::size_t u = t - std::min(t, trellis_.order); u <= t; ++u)
            if (labels(u).size() != trellis_.L) return false;
        return true;
    }

private:
    struct Rest {
        std::size_t size = 0;
        std::array<Label, 2> label{};
    };

    std::size_t first_of_rest(std::size_t t) const {
        return t >= trellis_.order ? t - trellis_.order + 1 : 0;
    }

    Rest rest_labels(std::size_t t, std::size_t r) const {
        Rest rest;
        rest.size = t - first_of_rest(t);
        for (std::size_t i = rest.size; i-- > 0;) {
            const Labels list = labels(first_of_rest(t) + i);
            rest.label[i] = list[r % list.size()];
            r /= list.size();
        }
        return rest;
    }

    // L^order: the distance between two values of a.
    std::size_t row_length(std::size_t t) const {
        std::size_t length = 1;
        for (std::size_t i = 0; i < std::min(t, trellis_.order); ++i) length *= trellis_.L;
        return length;
    }

    const Trellis<F>& trellis_;
    Active active_;
};

}  // namespace seqlab
