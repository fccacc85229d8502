// The n best paths, one after another (eq:nbest).
//
// Recursive enumeration (Jiménez and Marzal 1999). The best path into a state is Viterbi's. The next best path into
// state (r, y) at t is either the next best of the same predecessor, or the best of another predecessor: so each state
// keeps a heap with at most one candidate per predecessor and asks only the predecessor it used last for one more. A
// state on no requested path costs nothing; the n-th path costs O(T log L) after O(L) for every state visited the first
// time. Equal scores come in the tie order of states, so that the first path is Viterbi's and results are reproducible.
#pragma once

#include <limits>
#include <unordered_map>

#include "inference/best.hpp"

namespace seqlab {

template <class F>
class NBest {
public:
    // Borrows the trellis, which must outlive this object.
    explicit NBest(const Trellis<F>& trellis);

    // Find the next best path and its score; false when there is none left.
    bool next(Label* path, double* score);

private:
    struct Candidate {  // the rank-th best path into predecessor a, extended to this state
        double score;
        std::uint32_t a, rank;
    };
    struct State {
        std::vector<Candidate> found;  // sorted: found[i] is the i-th best path into this state
        std::vector<Candidate> heap;   // at most one candidate per predecessor
        bool opened = false;
    };

    State& at(std::size_t t, std::size_t state);
    void open(State& s, std::size_t t, std::size_t state);
    bool extend(std::size_t t, std::size_t state, std::size_t rank);
    bool take(State& s);
    double node(std::size_t t, std::size_t state) const;
    double move(std::size_t t, std::size_t state, std::size_t a) const;
    bool next_end();

    const Steps<F> steps_;
    BestRows<F> best_;
    std::vector<std::unordered_map<std::size_t, State>> states_;
    struct End {  // the rank-th best path that ends in this state
        double score;
        std::size_t state, rank;
    };
    std::vector<End> ends_;
    double last_score_ = std::numeric_limits<double>::infinity();
    bool started_ = false;
    bool empty_done_ = false;
};

}  // namespace seqlab
