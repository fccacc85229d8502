// Viterbi over short label lists; inference/best.cpp is the definition. With trellises, order 2 takes 1.6 µs a token
// (45 labels); here 0.2 µs, word scores included, since no row of L scores is written and no tensor gathered.
#include "hmm/counted/decode.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/numerics/buffer.hpp"
#include "base/parallel/parallel.hpp"
#include "base/parallel/poll_steps.hpp"

namespace seqlab {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr std::size_t sentences_a_job = 64;

struct List {
    const Label* label;
    const double* score;
    std::size_t size;
};

class Decoder {
public:
    Decoder(const CountedTransitions& moves, const Rows& rows)
        : moves_(moves), rows_(rows), none_(static_cast<Label>(moves.L)), step_(moves.L) {
        for (std::size_t i = 1; i < moves.order; ++i) step_ *= moves.L + 1;
    }

    bool operator()(const std::int32_t* word, std::size_t T, Label* ids) {
        if (T == 0) return true;
        order_ = moves_.order;
        list_all(word, T);
        score_.assign(1, 0.0);
        for (std::size_t t = 0; t < T; ++t) advance(t);
        return trace(T, ids);
    }

private:
    void list_all(const std::int32_t* word, std::size_t T) {
        lists_.assign(order_, {&none_, nullptr, 1});
        lists_.reserve(order_ + T);
        begin_.resize(T);
        std::size_t size = 0;
        for (std::size_t t = 0; t < T; ++t) {
            poll_();
            lists_.push_back(list_of(word[t]));
            begin_[t] = size;
            size += rests(t) * lists_.back().size;
        }
        back_ = room_.of(size);
    }

    // Number of tuples of labels of the order - 1 tokens before token t.
    std::size_t rests(std::size_t t) const {
        std::size_t many = 1;
        for (std::size_t i = t + 1; i < t + order_; ++i) many *= lists_[i].size;
        return many;
    }

    List list_of(std::int32_t word) const {
        const auto from = static_cast<std::size_t>(rows_.begin[static_cast<std::size_t>(word)]);
        const auto to = static_cast<std::size_t>(rows_.begin[static_cast<std::size_t>(word) + 1]);
        return {rows_.label.data() + from, rows_.score.data() + from, to - from};
    }

    // A state is a tuple of positions in the label lists of the last `order` tokens, the latest varying fastest. Step t
    // goes from (a, rest) to (rest, y): for every rest and y it keeps the best a, the first in case of ties.
    void advance(std::size_t t) {
        const List& to = lists_[t + order_];
        const std::size_t many = rests(t);
        poll_(many * to.size);
        next_.resize(many * to.size);
        std::uint16_t* const back = back_ + begin_[t];
        for (std::size_t rest = 0; rest < many; ++rest)
            reach(t, rest, many, next_.data() + rest * to.size, back + rest * to.size);
        score_.swap(next_);
    }

    void reach(std::size_t t, std::size_t rest, std::size_t rests, double* best, std::uint16_t* back) const {
        const List &from = lists_[t], &to = lists_[t + order_];
        const double* const base = moves_.move + rest_place(t, rest) * moves_.L;
        for (std::size_t a = 0; a < from.size; ++a) {
            const double before = score_[a * rests + rest];
            const double* const move = base + static_cast<std::size_t>(from.label[a]) * step_;
            if (a == 0) {
                for (std::size_t y = 0; y < to.size; ++y) {
                    best[y] = before + move[to.label[y]];
                    back[y] = 0;
                }
                continue;
            }
            for (std::size_t y = 0; y < to.size; ++y) {
                const double here = before + move[to.label[y]];
                const bool better = here > best[y];
                best[y] = better ? here : best[y];
                back[y] = better ? static_cast<std::uint16_t>(a) : back[y];
            }
        }
        for (std::size_t y = 0; y < to.size; ++y) best[y] += to.score[y];
    }

    // Offset of the labels of `rest` in the transition table.
    std::size_t rest_place(std::size_t t, std::size_t rest) const {
        if (order_ == 1) return 0;
        const List& near = lists_[t + order_ - 1];
        if (order_ == 2) return static_cast<std::size_t>(near.label[rest]);
        const List& far = lists_[t + order_ - 2];
        return static_cast<std::size_t>(far.label[rest / near.size]) * (moves_.L + 1) +
               static_cast<std::size_t>(near.label[rest % near.size]);
    }

    bool trace(std::size_t T, Label* ids) {
        const List& last = lists_.back();
        if (last.size == 0) return false;
        if (moves_.last)
            for (std::size_t i = 0; i < score_.size(); ++i)
                score_[i] += moves_.last[last.label[i % last.size]];
        std::size_t state = 0;
        for (std::size_t i = 1; i < score_.size(); ++i)
            if (score_[i] > score_[state] || (score_[i] == score_[state] && before(i, state))) state = i;
        if (score_.empty() || !(score_[state] > impossible)) return false;
        for (std::size_t t = T; t-- > 0;) {
            poll_();
            const List& here = lists_[t + order_];
            ids[t] = here.label[state % here.size];
            state = back_[begin_[t] + state] * rests(t) + state / here.size;
        }
        return true;
    }

    // Tie order, as everywhere: the lower last label first, then the lower one before it.
    bool before(std::size_t one, std::size_t other) const {
        for (std::size_t i = lists_.size(); i-- > lists_.size() - order_;) {
            const std::size_t size = lists_[i].size;
            if (one % size != other % size) return one % size < other % size;
            one /= size;
            other /= size;
        }
        return false;
    }

    const CountedTransitions& moves_;
    const Rows& rows_;
    Label none_;
    std::size_t step_;  // stride of the label a in the transition table
    std::size_t order_ = 1;
    std::vector<List> lists_;
    std::vector<double> score_, next_;
    Buffer<std::uint16_t> room_;
    std::uint16_t* back_ = nullptr;  // in room_
    std::vector<std::size_t> begin_;
    PollSteps poll_;
};

}  // namespace

std::int64_t best_labels(const CountedTransitions& moves, const Rows& rows, const Coded& data, Label* ids,
                         std::size_t threads) {
    const std::size_t jobs = (data.sentences + sentences_a_job - 1) / sentences_a_job;
    std::vector<std::int64_t> lost(jobs, -1);
    parallel_for(jobs, threads, [&](std::size_t job) {
        Decoder decoder(moves, rows);
        const std::size_t end = std::min((job + 1) * sentences_a_job, data.sentences);
        for (std::size_t s = job * sentences_a_job; s < end; ++s) {
            poll();
            const std::int64_t from = data.offset[s], to = data.offset[s + 1];
            const bool found = decoder(data.word + from, static_cast<std::size_t>(to - from), ids + from);
            if (!found && lost[job] < 0) lost[job] = static_cast<std::int64_t>(s);
        }
    });
    const auto first = std::find_if(lost.begin(), lost.end(), [](std::int64_t s) { return s >= 0; });
    return first == lost.end() ? -1 : *first;
}

}  // namespace seqlab
