"""Our n-gram probabilities are those of nltk.lm, wherever both define them.

nltk.lm gives the start symbol, which never follows anything, a count and a place in the vocabulary, and repeats it
before a sentence; it is handed n-grams without that here. Its Kneser-Ney takes one discount, and has no probability
after histories of the start symbol that are shorter than its order.
"""

import math
import random

import numpy as np
import pytest

from seqlab import MarkovChain
from seqlab.learning.smoothing import AddLambda, KneserNey

nltk_lm = pytest.importorskip("nltk.lm", reason="nltk is not installed")

CHANCE = random.Random(5)
TEXT = [
    [CHANCE.choice("aaabbcde") for _ in range(CHANCE.randrange(9))] for _ in range(60)
]  # letters of different frequency
WORDS = sorted({word for sentence in TEXT for word in sentence})


def everygrams(order):
    for sentence in TEXT:
        padded = ["<s>", *sentence, "</s>"]
        yield [
            tuple(padded[i : i + n])
            for n in range(1, order + 2)
            for i in range(len(padded) - n + 1)
            if n > 1 or padded[i] != "<s>"
        ]


def theirs(kind, order, *arguments):
    model = kind(*arguments, order=order + 1) if arguments else kind(order + 1)
    model.fit(everygrams(order), vocabulary_text=[*WORDS, "</s>"])
    return model


def compared(model, chain, order, names, histories):
    for history in histories:
        found = chain.next([word for word in history if word != "<s>"], start=history[:1] == ["<s>"])
        expected = [model.score(name, history[-order:]) for name in names]
        np.testing.assert_allclose([found[name] for name in names], expected, rtol=1e-12, atol=1e-15)


def seen_histories(order):
    """Every history of full length, and those at the beginning of a sentence."""
    found = set()
    for sentence in TEXT:
        padded = ["<s>", *sentence]
        found |= {tuple(padded[max(0, i - order) : i]) for i in range(1, len(padded) + 1)}
    return [list(history) for history in sorted(found)]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_relative_frequencies(order):
    compared(
        theirs(nltk_lm.MLE, order),
        MarkovChain(order, "mle").fit(TEXT),
        order,
        [*WORDS, "</s>"],
        seen_histories(order),
    )


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("value", [1, 0.1])
def test_counts_with_something_added(order, value):
    model = theirs(nltk_lm.Laplace, order) if value == 1 else theirs(nltk_lm.Lidstone, order, value)
    chain = MarkovChain(order, AddLambda(value)).fit(TEXT)
    unseen = [["e", "e", "e"][-order:], ["d", "e", "d"][-order:]]
    names = [*WORDS, "</s>"]
    compared(model, chain, order, names, [*seen_histories(order), *unseen])
    assert chain.next(["a"] * order)["<unk>"] == pytest.approx(model.score("<UNK>", ["a"] * order))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_witten_bell(order):
    model = theirs(nltk_lm.WittenBellInterpolated, order)
    chain = MarkovChain(order, "witten-bell", unknown=None).fit(TEXT)
    unseen = [["e", "e", "e"][-order:]]
    compared(model, chain, order, [*WORDS, "</s>"], [*seen_histories(order), *unseen])


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("discount", [0.1, 0.75])
def test_kneser_ney(order, discount):
    model = nltk_lm.KneserNeyInterpolated(order + 1, discount=discount)
    model.fit(everygrams(order), vocabulary_text=[*WORDS, "</s>"])
    chain = MarkovChain(order, KneserNey(discount), unknown=None).fit(TEXT)
    full = [history for history in seen_histories(order) if len(history) == order and history[0] != "<s>"]
    compared(model, chain, order, [*WORDS, "</s>"], full)


def test_kneser_ney_with_their_own_padding():
    from nltk.lm.preprocessing import padded_everygram_pipeline

    model = nltk_lm.KneserNeyInterpolated(2, discount=0.5)
    model.fit(*padded_everygram_pipeline(2, TEXT))
    chain = MarkovChain(1, KneserNey(0.5), unknown=None).fit(TEXT)
    compared(model, chain, 1, [*WORDS, "</s>"], seen_histories(1))


def test_perplexity():
    model = theirs(nltk_lm.Laplace, 1)
    chain = MarkovChain(1, 1).fit(TEXT)
    text = [sentence for sentence in TEXT[:10] if sentence]
    grams = [pair for s in text for pair in zip(["<s>", *s], [*s, "</s>"], strict=True)]
    assert chain.perplexity(text).value == pytest.approx(model.perplexity(grams))
    assert chain.log_prob(text[0]) == pytest.approx(
        sum(model.logscore(b, [a]) for a, b in zip(["<s>", *text[0]], [*text[0], "</s>"], strict=True))
        * math.log(2)
    )
