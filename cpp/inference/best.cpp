#include "inference/best.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/parallel/parallel.hpp"
#include "inference/path_sum.hpp"
#include "inference/unmasked.hpp"

namespace seqlab {

namespace {

// Position of the first largest value.
std::size_t argmax(const double* x, std::size_t n) {
    return static_cast<std::size_t>(std::max_element(x, x + n) - x);
}

// The best state of a row; ties are broken by the tie order of states.
template <class F>
std::size_t best_state(const Steps<F>& steps, std::size_t t, const double* row) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < steps.states(t); ++i)
        if (row[i] > row[best] || (row[i] == row[best] && steps.before(t, i, best))) best = i;
    return best;
}

// eq:viterbi for any order and mask
template <class F>
double general_viterbi(const Trellis<F>& trellis, Label* path) {
    const Steps<F> steps(trellis);
    const BestRows<F> best(steps);
    if (!best.possible()) return IMPOSSIBLE;
    const std::size_t last = trellis.T - 1;
    std::size_t state = best_state(steps, last, best.row(last));
    std::vector<double> arrivals;
    for (std::size_t t = last;; --t) {
        path[t] = steps.label_of(t, state, 0);
        if (t == 0) break;
        best.arrivals(t, state, arrivals);
        poll_at(t, arrivals.size());
        const Step step = steps.into(t);
        state = argmax(arrivals.data(), arrivals.size()) * step.rest + state / step.to;
    }
    return path_score(trellis, path);
}

template <class F>
struct BestRoom {
    Buffer<F> rows;
    Buffer<double> wide;
    Buffer<std::uint8_t> back;
    std::optional<DenseTable<F>> table;
};

template <class F>
void long_viterbi(const Trellis<F>& trellis, Chain<F>& asked, BestRoom<F>& room) {
    const LongKernels& k = kernels().long_chain;
    const std::size_t T = trellis.T, L = trellis.L;
    const auto table = DenseTable<double>::scores(trellis.edge, L);
    if (in_chunks(T, L)) {
        const auto& few = kernels().of<F>();
        if (few.chunked_viterbi(table.edges(), T, asked, room.wide.of(few.chunked_room()))) return;
        ++unjoined();
    }
    WideChain<F> wide(trellis, asked);
    k.viterbi(table.edges(), T, wide.chain(), room.wide.of(k.viterbi_room(L, T)),
              room.back.of(k.viterbi_bytes(L, T)));
    wide.answer(asked);
}

template <class F>
void dense_viterbi(Batch<F> batch, const Group& g, const PerEdges<F, DenseTable<F>>& tables,
                   BestRoom<F>& room, Label* const* paths, double* scores) {
    const auto& k = kernels().of<F>();
    const Trellis<F>& first = batch[g.member[0]];
    Chain<F> chain[4];
    for (std::size_t s = 0; s < std::min(g.size, std::size(chain)); ++s) {
        chain[s] = chain_of(batch[g.member[s]]);
        chain[s].path = paths[g.member[s]];
    }
    if (is_long<F>(first.T, first.L)) {
        long_viterbi(first, chain[0], room);
    } else {
        k.viterbi(tables.at(first, room.table).edges(), first.T, chain, g.size,
                  room.rows.of(k.viterbi_room(first.L, first.T, g.size)));
    }
    for (std::size_t s = 0; s < g.size; ++s) {
        const std::size_t i = g.member[s];
        const bool possible = chain[s].log_z > IMPOSSIBLE;
        scores[i] = !possible || chain[s].scored ? chain[s].log_z : path_score(batch[i], paths[i]);
    }
}

// One surviving state of a beam.
struct Hypothesis {
    std::size_t state;
    double score;
    std::size_t parent;  // index among the survivors of the position before
};

template <class F>
class Beam {
public:
    Beam(const Trellis<F>& trellis, std::size_t width) : steps_(trellis), width_(width) {}

    // Run the beam search; returns the score, or -inf with `dead` set.
    double run(Label* path, std::uint8_t* exact, std::int64_t* dead) {
        const std::size_t T = steps_.trellis().T;
        *exact = 1;
        *dead = -1;
        for (std::size_t t = 0; t < T; ++t) {
            poll_at(t, width_ * steps_.trellis().L);
            expand(t);
            if (cut(t)) *exact = 0;
            if (survivors_[t].empty()) {
                *dead = static_cast<std::int64_t>(t);
                return IMPOSSIBLE;
            }
        }
        std::size_t at = 0;
        for (std::size_t t = T; t-- > 0;) {
            const Hypothesis& h = survivors_[t][at];
            path[t] = steps_.label_of(t, h.state, 0);
            at = h.parent;
        }
        return path_score(steps_.trellis(), path);
    }

private:
    void expand(std::size_t t) {
        next_.clear();
        where_.clear();
        const Step step = steps_.into(t);
        if (t == 0) {
            for (std::size_t y = 0; y < step.to; ++y) offer({y, steps_.node(0, y), 0});
            return;
        }
        for (std::size_t p = 0; p < survivors_[t - 1].size(); ++p) {
            const Hypothesis& h = survivors_[t - 1][p];
            const std::size_t a = h.state / step.rest, r = h.state % step.rest;
            for (std::size_t y = 0; y < step.to; ++y)
                offer({r * step.to + y, h.score + steps_.move(t, a, r, y) + steps_.node(t, y), p});
        }
    }
    void offer(const Hypothesis& h) {
        if (h.score == IMPOSSIBLE) return;
        const auto [found, fresh] = where_.try_emplace(h.state, next_.size());
        if (fresh) {
            next_.push_back(h);
            return;
        }
        Hypothesis& rival = next_[found->second];
        const auto origin = [&](const Hypothesis& x) { return survivors_.back()[x.parent].state; };
        if (h.score > rival.score || (h.score == rival.score && origin(h) < origin(rival))) rival = h;
    }
    // Sort by score, ties in the tie order of states, and keep the `width` best; true if any state was dropped.
    bool cut(std::size_t t) {
        std::sort(next_.begin(), next_.end(), [&](const Hypothesis& a, const Hypothesis& b) {
            return a.score != b.score ? a.score > b.score : steps_.before(t, a.state, b.state);
        });
        const bool pruned = next_.size() > width_;
        if (pruned) next_.resize(width_);
        survivors_.push_back(next_);
        return pruned;
    }

    const Steps<F> steps_;
    const std::size_t width_;
    std::vector<std::vector<Hypothesis>> survivors_;
    std::vector<Hypothesis> next_;
    std::unordered_map<std::size_t, std::size_t> where_;
};

}  // namespace

template <class F>
void BestRows<F>::arrivals(std::size_t t, std::size_t state, std::vector<double>& out) const {
    const Step step = sum_.steps().into(t);
    const std::size_t r = state / step.to, y = state % step.to;
    out.resize(step.from);
    for (std::size_t a = 0; a < step.from; ++a)
        out[a] = row(t - 1)[a * step.rest + r] + sum_.steps().move(t, a, r, y);
}

namespace {

template <class F>
double move_score(const Trellis<F>& trellis, const Label* path, std::size_t t) {
    const F* tensor = t > 0 ? trellis.scores_into(t) : nullptr;
    if (!tensor) return 0.0;
    if (trellis.order == 1)
        return static_cast<double>(
            tensor[static_cast<std::size_t>(path[t - 1]) * trellis.L + static_cast<std::size_t>(path[t])]);
    std::size_t index = 0;
    for (std::size_t u = t - std::min(t, trellis.order); u <= t; ++u)
        index = index * trellis.L + static_cast<std::size_t>(path[u]);
    const auto score = static_cast<double>(tensor[index]);
    return trellis.pairs ? score + static_cast<double>(trellis.pairs_into(t, path[t - 1])[path[t]]) : score;
}

}  // namespace

template <class F>
double path_score(const Trellis<F>& trellis, const Label* path) {
    // A compensated addition costs several plain ones: in a long chain a few terms are added up first.
    const std::size_t stride = trellis.T > 1024 ? 16 : 1;
    CompensatedSum total;
    for (std::size_t first = 0; first < trellis.T; first += stride) {
        poll_at(first, stride);
        double nodes = 0.0, moves = 0.0;
        for (std::size_t t = first; t < std::min(trellis.T, first + stride); ++t) {
            nodes += static_cast<double>(trellis.row(t)[path[t]]);
            moves += move_score(trellis, path, t);
        }
        if (nodes == IMPOSSIBLE || moves == IMPOSSIBLE) return IMPOSSIBLE;
        total.add(nodes);
        total.add(moves);
    }
    return total.value();
}

template <class F>
void viterbi(Batch<F> given, Label* const* paths, double* scores, std::size_t threads) {
    const PinKernels caller(kernels());
    const Unmasked<F> unmasked(given);
    const Batch<F> batch = unmasked.view();
    for (std::size_t i = 0; i < batch.size(); ++i)
        if (batch[i].T == 0) scores[i] = 0.0;
    const std::vector<Job> jobs = plan(batch);
    const PerEdges<F, DenseTable<F>> tables(
        batch, jobs, true, [](const Trellis<F>& x) { return DenseTable<F>::scores(x.edge, x.L); });
    parallel_for(jobs.size(), threads, [&, &set = kernels()](std::size_t j) {
        const PinKernels pin(set);
        BestRoom<F> room;
        for (const Group& g : jobs[j]) {
            poll();
            const std::size_t i = g.member[0];
            if (g.dense) {
                dense_viterbi(batch, g, tables, room, paths, scores);
            } else {
                scores[i] = general_viterbi(batch[i], paths[i]);
            }
        }
    });
}

template <class F>
void beam(Batch<F> batch, std::size_t width, Label* const* paths, double* scores, std::uint8_t* exact,
          std::int64_t* dead, std::size_t threads) {
    parallel_for(batch.size(), threads, [&](std::size_t i) {
        scores[i] = Beam<F>(batch[i], width).run(paths[i], exact + i, dead + i);
    });
}

template <class F>
std::int64_t first_dead(const Trellis<F>& trellis) {
    const Steps<F> steps(trellis);
    const BestRows<F> best(steps);
    return best.possible() ? -1 : static_cast<std::int64_t>(best.rows());
}

#define SEQLAB_INSTANTIATE(F)                                                                          \
    template double path_score<F>(const Trellis<F>&, const Label*);                                    \
    template void viterbi<F>(Batch<F>, Label* const*, double*, std::size_t);                           \
    template void beam<F>(Batch<F>, std::size_t, Label* const*, double*, std::uint8_t*, std::int64_t*, \
                          std::size_t);                                                                \
    template std::int64_t first_dead<F>(const Trellis<F>&);                                            \
    template class BestRows<F>;
SEQLAB_INSTANTIATE(float)
SEQLAB_INSTANTIATE(double)
#undef SEQLAB_INSTANTIATE

}  // namespace seqlab
