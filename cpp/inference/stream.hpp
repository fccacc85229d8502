// Online filtering, one position at a time, for endless data (eq:filter, eq:fixed-lag).
#pragma once

#include <deque>

#include "inference/path_sum.hpp"

namespace seqlab {

// Holds its own copy of the shared edges; memory is O(L^k * lag) for any length of the stream.
class Stream {
public:
    Stream(std::size_t L, std::size_t order, std::vector<double> edge, std::vector<double> head1,
           std::vector<double> head2, std::size_t lag);
    Stream(const Stream&) = delete;  // trellis_ points into edge_ and head_
    Stream& operator=(const Stream&) = delete;

    // Append the scores of the next position (L); `edge`, when not null, replaces the shared slab for this transition.
    // Returns the increase of log Z: -inf if no legal path is left, NaN if digits are lost (eq:lost-digits); the stream
    // is then unchanged.
    double push(const double* node, const double* edge);

    std::size_t position() const { return t_; }  // number of positions received
    double log_z() const { return log_z_.value(); }
    void filtered(double* out) const;  // P(y_t | x_1..t), (L)

    // Viterbi with a fixed lag: the label of t - lag on the best path that ends at the current position.
    bool decides() const { return t_ > lag_; }
    Label decided() const;
    std::vector<Label> rest()
        const;  // labels of the last min(lag, t) positions on the current best path, oldest first

    // The whole state, to copy the stream.
    struct Memory {
        struct Column {  // best predecessor label of each state
            std::vector<Label> from;
        };
        std::vector<double> alpha, delta;
        std::deque<Column> back;
        CompensatedSum log_z;
        std::size_t t = 0;
    };
    Memory memory() const { return {alpha_, delta_, back_, log_z_, t_}; }
    void restore(Memory memory);

private:
    using Column = Memory::Column;
    std::size_t states(std::size_t t) const;
    std::vector<Label> trace(std::size_t count) const;

    const std::size_t lag_;
    std::vector<double> edge_, head_[2];
    Trellis<double> trellis_;  // its transitions; node scores are not kept
    std::vector<double> alpha_, delta_;
    std::deque<Column> back_;
    CompensatedSum log_z_;
    std::size_t t_ = 0;
};

}  // namespace seqlab
