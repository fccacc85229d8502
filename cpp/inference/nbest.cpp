#include "inference/nbest.hpp"

#include <algorithm>
#include <utility>

#include "inference/path_sum.hpp"

namespace seqlab {

namespace {

// Order of std heaps, whose front is the largest: larger score first, then lower predecessor, then lower rank.
template <class Candidate>
bool worse(const Candidate& x, const Candidate& y) {
    if (x.score != y.score) return x.score < y.score;
    return x.a != y.a ? x.a > y.a : x.rank > y.rank;
}

}  // namespace

template <class F>
NBest<F>::NBest(const Trellis<F>& trellis) : steps_(trellis), best_(steps_), states_(trellis.T) {}

template <class F>
double NBest<F>::node(std::size_t t, std::size_t state) const {
    return steps_.node(t, state % steps_.labels(t).size());
}

template <class F>
double NBest<F>::move(std::size_t t, std::size_t state, std::size_t a) const {
    const std::size_t to = steps_.labels(t).size();
    return steps_.move(t, a, state / to, state % to);
}

template <class F>
typename NBest<F>::State& NBest<F>::at(std::size_t t, std::size_t state) {
    State& s = states_[t][state];
    if (!s.opened) open(s, t, state);
    return s;
}

// Make the best path of every predecessor a candidate and find the best of them: that is δ.
template <class F>
void NBest<F>::open(State& s, std::size_t t, std::size_t state) {
    s.opened = true;
    if (t == 0) {
        s.heap.push_back({node(0, state), 0, 0});
    } else {
        std::vector<double> arrivals;
        best_.arrivals(t, state, arrivals);
        const double here = node(t, state);
        for (std::size_t a = 0; a < arrivals.size(); ++a)
            if (arrivals[a] + here > IMPOSSIBLE)
                s.heap.push_back({arrivals[a] + here, static_cast<std::uint32_t>(a), 0});
    }
    std::make_heap(s.heap.begin(), s.heap.end(), worse<Candidate>);
    take(s);
}

template <class F>
bool NBest<F>::take(State& s) {
    if (s.heap.empty()) return false;
    std::pop_heap(s.heap.begin(), s.heap.end(), worse<Candidate>);
    s.found.push_back(s.heap.back());
    s.heap.pop_back();
    return true;
}

// Make sure that the rank-th best path into `state` at t is known. Each predecessor in a chain may have to find one
// more path; an explicit stack is used because a sequence may have millions of positions.
template <class F>
bool NBest<F>::extend(std::size_t t, std::size_t state, std::size_t rank) {
    struct Frame {
        std::size_t t, state;
    };
    std::vector<Frame> stack;
    for (;;) {  // down: a state that used its predecessor's last known path needs another one from it
        State& s = at(t, state);
        if (s.found.size() > rank || s.found.empty()) break;
        stack.push_back({t, state});
        if (t == 0) break;
        const Candidate last = s.found.back();
        const Step step = steps_.into(t);
        state = last.a * step.rest + state / step.to;
        rank = last.rank + 1;
        --t;
    }
    while (!stack.empty()) {  // up: add the predecessor's new path as a candidate, take the best
        const Frame f = stack.back();
        stack.pop_back();
        State& s = at(f.t, f.state);
        if (f.t > 0) {
            const Candidate last = s.found.back();
            const Step step = steps_.into(f.t);
            const State& from = at(f.t - 1, last.a * step.rest + f.state / step.to);
            const std::size_t wanted = std::size_t{last.rank} + 1;
            if (from.found.size() > wanted) {
                const double score =
                    from.found[wanted].score + move(f.t, f.state, last.a) + node(f.t, f.state);
                s.heap.push_back({score, last.a, static_cast<std::uint32_t>(wanted)});
                std::push_heap(s.heap.begin(), s.heap.end(), worse<Candidate>);
            }
        }
        take(s);
    }
    return true;
}

// The front of ends_ is the best path not returned yet.
template <class F>
bool NBest<F>::next_end() {
    const std::size_t last = steps_.trellis().T - 1;
    const auto behind = [&](const End& x, const End& y) {
        return x.score != y.score ? x.score < y.score : steps_.before(last, y.state, x.state);
    };
    if (!started_) {
        started_ = true;
        for (std::size_t i = 0; best_.possible() && i < steps_.states(last); ++i)
            if (best_.row(last)[i] > IMPOSSIBLE) ends_.push_back({best_.row(last)[i], i, 0});
        std::make_heap(ends_.begin(), ends_.end(), behind);
        return !ends_.empty();
    }
    std::pop_heap(ends_.begin(), ends_.end(), behind);
    const End used = ends_.back();
    ends_.pop_back();
    extend(last, used.state, used.rank + 1);
    const State& s = at(last, used.state);
    if (s.found.size() > used.rank + 1) {
        ends_.push_back({s.found[used.rank + 1].score, used.state, used.rank + 1});
        std::push_heap(ends_.begin(), ends_.end(), behind);
    }
    return !ends_.empty();
}

template <class F>
bool NBest<F>::next(Label* path, double* score) {
    const std::size_t T = steps_.trellis().T;
    if (T == 0) {
        *score = 0.0;
        return !std::exchange(empty_done_, true);
    }
    if ((started_ && ends_.empty()) || !next_end()) return false;
    const End& end = ends_.front();
    std::size_t state = end.state, rank = end.rank;
    for (std::size_t t = T - 1;; --t) {
        path[t] = steps_.label_of(t, state, 0);
        if (t == 0) break;
        const Candidate& c = at(t, state).found[rank];
        const Step step = steps_.into(t);
        state = c.a * step.rest + state / step.to;
        rank = c.rank;
    }
    // The score is summed again with compensation, and capped by the score before, in case rounding would change the
    // order.
    last_score_ = std::min(last_score_, path_score(steps_.trellis(), path));
    *score = last_score_;
    return true;
}

template class NBest<float>;
template class NBest<double>;

}  // namespace seqlab
