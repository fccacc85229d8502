"""Markov chains against their definitions: eq:ngram, eq:add-lambda, eq:witten-bell, eq:kneser-ney, eq:discounts,
eq:interpolation, eq:deleted-interpolation, eq:backoff, eq:perplexity, eq:stationary."""

import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.ngrams import END, START, Definition
from seqlab import MarkovChain
from seqlab.learning.smoothing import MLE, AddLambda, Interpolated, KneserNey, WittenBell

SMOOTHINGS = [
    MLE(),
    AddLambda(1.0),
    AddLambda(0.1),
    WittenBell(),
    KneserNey(),
    KneserNey(0.75),
    KneserNey((0.5, 1.2, 2.5)),
    Interpolated(),
]
NAMES = {
    MLE: "mle",
    AddLambda: "add-lambda",
    WittenBell: "witten-bell",
    KneserNey: "kneser-ney",
    Interpolated: "interpolated",
}

words = st.sampled_from("abcd")
sentences = st.lists(st.lists(words, max_size=6), min_size=1, max_size=8).filter(any)
histories = st.lists(st.sampled_from([*"abcd", "never seen"]), max_size=6)
chains = st.tuples(
    st.integers(1, 5),
    st.sampled_from(SMOOTHINGS),
    st.booleans(),
    st.sampled_from(["<unk>", None]),
    st.integers(1, 2),
)


def defined(text, order, smoothing, chain, end):
    """The definition of what the chain was asked for, with rare words replaced as it replaces them."""
    known = set(chain.symbols_)
    text = [[word if word in known else chain.unknown for word in sentence] for sentence in text]
    return Definition(
        text,
        order,
        NAMES[type(smoothing)],
        chain.symbols_,
        end=end,
        value=getattr(smoothing, "value", 0.0),
        discounts=smoothing.three() if isinstance(smoothing, KneserNey) else None,
    )


def made(text, order, smoothing, end, unknown, least):
    least = 1 if unknown is None else least
    return MarkovChain(order, smoothing, end=end, unknown=unknown, min_count=least).fit(text)


@given(sentences, chains, histories, st.booleans())
def test_probabilities_sum_to_one_after_any_history(text, options, history, start):
    chain = made(text, *options)
    if chain.unknown is None:
        history = [word for word in history if word in chain.symbols_]
    found = chain.next(history, start=start)
    assert found.names == chain.symbols_
    assert found.probabilities.min() >= 0
    assert found.probabilities.sum() == approx(1.0, abs=1e-12)


@given(sentences, chains, histories)
def test_probabilities_are_those_of_the_definition(text, options, history):
    order, smoothing, end, *_ = options
    chain = made(text, *options)
    known = set(chain.symbols_)
    history = [word if word in known else chain.unknown for word in history if word in known or chain.unknown]
    truth = defined(text, order, smoothing, chain, end)
    for start in (True, False):
        after = ([START] if start else []) + history
        found = chain.next(history, start=start)
        expected = [truth.p(w, after[-order:] if after else ()) for w in chain.symbols_]
        np.testing.assert_allclose(found.probabilities, expected, rtol=1e-10, atol=1e-14)


@given(sentences, chains, st.lists(st.lists(words, max_size=7), min_size=1, max_size=4))
def test_log_prob_is_the_product_of_the_chain_rule(text, options, others):
    order, smoothing, end, *_ = options
    chain = made(text, *options)
    known = set(chain.symbols_)
    if chain.unknown is None:
        others = [[word for word in sentence if word in known] for sentence in others]
    truth = defined(text, order, smoothing, chain, end)
    logs = []
    for sentence in others:
        replaced = [word if word in known else chain.unknown for word in sentence]
        logs.append(truth.log_prob(replaced, end=end))
        assert chain.log_prob(sentence) == approx(logs[-1], rel=1e-10, abs=1e-10)
    tokens = sum(map(len, others)) + end * len(others)
    if tokens:
        found = chain.perplexity(others)
        assert (found.tokens, found.sentences) == (tokens, len(others))
        assert found.oov == sum(word not in known for sentence in others for word in sentence)
        assert found.value == approx(math.exp(-sum(logs) / tokens), rel=1e-9)


@given(sentences, sentences, chains)
def test_counting_in_two_parts_is_counting_at_once(first, second, options):
    at_once = made([*first, *second], *options)
    in_parts = made(first, *options).partial_fit(second)
    assert in_parts.symbols_ == at_once.symbols_
    for mine, theirs in zip(in_parts.model_.table.arrays(), at_once.model_.table.arrays(), strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


@given(sentences, chains, histories, histories)
def test_arpa_file_gives_the_same_probabilities(text, options, history, sentence):
    order, smoothing, _, unknown, least = options
    chain = made(text, order, smoothing, True, unknown, least)
    file = io.BytesIO()
    chain.save_arpa(file)
    file.seek(0)
    again = MarkovChain.from_arpa(file)
    known = set(chain.symbols_)
    if unknown is None:
        history, sentence = ([w for w in some if w in known] for some in (history, sentence))
    assert (again.order, again.symbols_) == (order, chain.symbols_)
    np.testing.assert_allclose(
        again.next(history).probabilities, chain.next(history).probabilities, rtol=1e-11, atol=1e-15
    )
    assert again.log_prob(sentence) == approx(chain.log_prob(sentence), rel=1e-11, abs=1e-11)


def backed_off(lines, history, word):
    """What any tool reads out of an ARPA file, by its rule and nothing else."""
    grams = {}
    for line in lines:
        cells = line.split("\t")
        if len(cells) > 1:
            grams[tuple(cells[1].split(" "))] = (float(cells[0]), float(cells[2]) if len(cells) > 2 else 0.0)
    history = tuple(history)
    passed = 0.0
    while True:
        if (*history, word) in grams:
            return 10 ** (passed + grams[(*history, word)][0])
        passed += grams.get(history, (0.0, 0.0))[1]
        history = history[1:]


@given(sentences, chains, histories)
def test_arpa_file_backs_off_to_our_probabilities(text, options, history):  # eq:backoff
    order, smoothing, _, _, least = options
    chain = made(text, order, smoothing, True, "<unk>", least)
    file = io.StringIO()
    chain.save_arpa(file)
    lines = file.getvalue().splitlines()
    known = set(chain.symbols_)
    after = [START, *(word if word in known else "<unk>" for word in history)][-order:]
    found = chain.next(history)
    expected = [backed_off(lines, after, word) for word in chain.symbols_]
    np.testing.assert_allclose(found.probabilities, expected, rtol=1e-10, atol=1e-60)


def test_small_chain_by_hand():  # eq:ngram, eq:add-lambda
    chain = MarkovChain().fit([["a", "b"], ["a", "a"], ["b"]])
    moves = chain.transition_matrix
    assert moves.sources == (START, "a", "b", "<unk>")
    assert moves.targets == ("a", "b", "<unk>", END)
    assert moves.matrix[:3].tolist() == [
        approx([2 / 3, 1 / 3, 0, 0]),
        approx([1 / 3, 1 / 3, 0, 1 / 3]),
        approx([0, 0, 0, 1]),
    ]
    assert moves["a", END] == approx(1 / 3)
    assert chain.log_prob(["a", "b"]) == approx(math.log(2 / 3 * 1 / 3 * 1))
    smoothed = MarkovChain(smoothing=1).fit([["a", "b"], ["a", "a"], ["b"]])
    assert smoothed.next(["a"])["b"] == approx((1 + 1) / (3 + 4))
    assert smoothed.next(["<unk>"])["b"] == approx(1 / 4)


def test_witten_bell_by_hand():  # eq:witten-bell
    chain = MarkovChain(smoothing="witten-bell", unknown=None).fit([["a", "b"], ["a"]])
    # Without a history: a 2, b 1, end 2 of 5. After a: b 1, end 1; two kinds.
    assert chain.next(["a"])["b"] == approx((1 + 2 * 1 / 5) / (2 + 2))
    assert chain.next(["a"])["a"] == approx((0 + 2 * 2 / 5) / (2 + 2))
    open_ = MarkovChain(smoothing="witten-bell").fit([["a", "b"], ["a"]])
    assert open_.next(["a"])["<unk>"] == approx(2 / 4 * (0 + 3 * 1 / 4) / (5 + 3))


def test_kneser_ney_by_hand():  # eq:kneser-ney
    chain = MarkovChain(smoothing=KneserNey(0.5), unknown=None).fit([["a", "b"], ["a"]])
    # Kinds of bigrams: <s> a, a b, a </s>, b </s>. Before a stood 1 symbol, before b 1, before the end 2.
    assert chain.next(["a"])["b"] == approx((1 - 0.5) / 2 + 0.5 * 2 / 2 * 1 / 4)
    assert chain.next(["a"])["a"] == approx(0.5 * 2 / 2 * 1 / 4)


def test_discounts_come_from_counts_of_counts():  # eq:discounts
    chance = np.random.default_rng(2)
    text = [[f"w{n}" for n in chance.geometric(0.15, 6)] for _ in range(40)]
    chain = MarkovChain(2, "kneser-ney").fit(text)
    truth = Definition(text, 2, "kneser-ney", chain.symbols_)
    assert [list(d) for d in chain.discounts_] == [approx(list(d)) for d in truth.discounts]
    assert (0.5, 1.0, 1.5) not in chain.discounts_
    few = MarkovChain(1, "kneser-ney").fit([["a", "b"]])
    assert few.discounts_ == ((0.5, 1.0, 1.5),) * 2


@given(sentences, st.booleans())
def test_stationary_shares_of_plain_counts_are_the_frequencies(text, unknown):  # eq:stationary
    chain = MarkovChain(unknown="<unk>" if unknown else None).fit(text)
    flat = [word for sentence in text for word in [*sentence, END]]
    expected = [flat.count(name) / len(flat) for name in chain.symbols_]
    np.testing.assert_allclose(chain.stationary().probabilities, expected, atol=1e-12)


@given(sentences, st.sampled_from(SMOOTHINGS[1:]), st.booleans())
def test_stationary_shares_stay_as_they_are(text, smoothing, end):
    chain = MarkovChain(smoothing=smoothing, end=end).fit(text)
    found, moves = chain.stationary(), chain.transition_matrix.matrix
    rows = np.concatenate([moves[1:], moves[:1]]) if end else moves[1:]
    assert found.probabilities.sum() == approx(1.0)
    np.testing.assert_allclose(found.probabilities @ rows, found.probabilities, atol=1e-12)


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=repr)
@pytest.mark.parametrize("order", [1, 2])
def test_samples_follow_the_chain(order, smoothing):
    chain = MarkovChain(order, smoothing).fit([["a", "b", "a"], ["b", "b"], ["a"], ["c", "a", "b"]])
    drawn = chain.sample(4000, seed=3, length=50)
    first = chain.next()
    for name, p in first.items():
        found = sum((sentence[0] if sentence else END) == name for sentence in drawn) / len(drawn)
        assert found == approx(p, abs=5 * math.sqrt(p * (1 - p) / len(drawn)) + 1e-9)
    after = chain.next(["a"])
    follows = [(sentence[1] if len(sentence) > 1 else END) for sentence in drawn if sentence[:1] == ["a"]]
    for name, p in after.items():
        found = follows.count(name) / len(follows)
        assert found == approx(p, abs=5 * math.sqrt(p * (1 - p) / len(follows)) + 1e-9)


def test_samples_do_not_depend_on_how_many_are_drawn():
    chain = MarkovChain(2, "witten-bell").fit([["a", "b", "a"], ["b", "b"], ["a"]])
    assert chain.sample(20, seed=5)[:7] == chain.sample(7, seed=5)
    assert chain.sample(20, seed=5) != chain.sample(20, seed=6)


@given(sentences)
def test_same_bits_with_any_number_of_threads(text):
    chain = MarkovChain(2, "kneser-ney").fit(text)
    many = text * 200
    assert chain.perplexity(many, threads=1) == chain.perplexity(many, threads=7)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2])
def test_probabilities_of_all_sentences_sum_to_one(smoothing, order):  # eq:ngram
    chain = MarkovChain(order, smoothing, unknown=None).fit([["a"], ["b", "a"], ["a"], [], ["b"], ["a", "b"]])
    assert chain.log_prob([]) == approx(math.log(chain.next([]).probabilities[-1]))
    longest, whole, alive = 60, 0.0, 0.0
    ends = {(): 1.0}  # P(everything so far), by the end of the sentence that matters
    for _ in range(longest):
        following = {}
        for history, share in ends.items():
            for symbol, p in zip(chain.symbols_, chain.next(list(history)).probabilities, strict=True):
                if symbol == END:
                    whole += share * p
                else:
                    key = (*history, symbol)[-max(order, 1) :]
                    following[key] = following.get(key, 0.0) + share * p
        ends, alive = following, sum(following.values())
    assert whole + alive == approx(1.0)
    assert alive < 1e-4
    short = [(), *(tuple(one) for one in ("a", "b", "aa", "ab", "ba", "bb"))]
    by_sentences = sum(math.exp(chain.log_prob(list(one))) for one in short)
    assert by_sentences <= 1.0 + 1e-12
