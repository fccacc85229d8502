#include "linear/online/perceptron.hpp"

namespace seqlab::online {

// eq:perceptron   w is the mean weight of the wrong tokens
void Perceptron::visit(std::size_t s, Pass& pass) {
    averages_.begin_step(1.0);
    decoder_.look_at(weights_, s);
    const Label* const guess = decoder_.best();
    if (!guess) return;
    const Mistakes wrong = mistakes(known_, s, guess, decoder_.T());
    pass.mistakes += wrong.count;
    pass.loss += wrong.cost / static_cast<double>(decoder_.T());
    if (wrong.cost == 0.0) return;
    const Label* const gold = decoder_.gold();
    if (!gold) return;
    ++pass.updates;
    const auto step =
        static_cast<float>(task_.sequences.weight_of(s) * wrong.cost / static_cast<double>(wrong.count));
    features_.each_difference(s, gold, guess, [&](std::size_t slot, float x) { add(slot, step * x); });
}

}  // namespace seqlab::online
