#include "inference/definition/tables.hpp"

#include "inference/definition/backward.hpp"
#include "inference/definition/forward.hpp"

namespace seqlab {

namespace {

using definition::LogSum, definition::Max, definition::Row;

template <class S, class F>
std::vector<Row> rows_of(const Steps<F>& steps, Direction direction) {
    return direction == Direction::forward ? definition::forward<S>(steps) : definition::backward<S>(steps);
}

// Index of a state among all tuples of k labels.
template <class F>
std::size_t place_of(const Steps<F>& steps, std::size_t t, std::size_t state) {
    std::size_t place = 0;
    for (std::size_t back = std::min(t + 1, steps.trellis().order); back-- > 0;)
        place = place * steps.trellis().L + static_cast<std::size_t>(steps.label_of(t, state, back));
    return place;
}

}  // namespace

template <class F>
void message_table(const Trellis<F>& trellis, Direction direction, Semiring semiring, double* out) {
    const Steps<F> steps(trellis);
    const auto rows =
        semiring == Semiring::max ? rows_of<Max>(steps, direction) : rows_of<LogSum>(steps, direction);
    std::size_t size = 1;
    for (std::size_t i = 0; i < trellis.order; ++i) size *= trellis.L;
    std::fill(out, out + trellis.T * size, LogSum::zero);
    for (std::size_t t = 0; t < trellis.T; ++t)
        for (std::size_t state = 0; state < rows[t].size(); ++state)
            out[t * size + place_of(steps, t, state)] = rows[t][state];
}

template void message_table<float>(const Trellis<float>&, Direction, Semiring, double*);
template void message_table<double>(const Trellis<double>&, Direction, Semiring, double*);

}  // namespace seqlab
