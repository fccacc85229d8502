"""KenLM reads our ARPA files and finds our probabilities in them, to the digits of its float32."""

import math
import os
import random

import pytest

from seqlab import MarkovChain

kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed")

CHANCE = random.Random(7)
TEXT = [
    [CHANCE.choice("aaabbcdefgh") + CHANCE.choice("xxy") for _ in range(CHANCE.randrange(9))]
    for _ in range(80)
]
OTHER = [
    [CHANCE.choice("aabcdefghijk") + CHANCE.choice("xyz") for _ in range(CHANCE.randrange(9))]
    for _ in range(30)
]


@pytest.fixture
def quiet(capfd):
    """KenLM talks to the terminal while it loads."""
    yield
    capfd.readouterr()


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("smoothing", ["kneser-ney", "witten-bell", 0.5])
@pytest.mark.parametrize("least", [1, 2])
def test_log_probabilities(order, smoothing, least, tmp_path, quiet):
    chain = MarkovChain(order, smoothing, min_count=least).fit(TEXT)
    path = tmp_path / "chain.arpa"
    chain.save_arpa(path)
    model = kenlm.Model(os.fspath(path))
    assert model.order == order + 1
    total = 0.0
    for sentence in OTHER:
        found = model.score(" ".join(sentence)) * math.log(10)
        assert chain.log_prob(sentence) == pytest.approx(found, rel=2e-6)
        total += found
    measured = chain.perplexity(OTHER)
    assert measured.value == pytest.approx(math.exp(-total / measured.tokens), rel=2e-6)
    strange = sum(oov for s in OTHER for *_, oov in model.full_scores(" ".join(s)))
    assert measured.oov == strange > 0
    one = " ".join(OTHER[3])
    assert model.perplexity(one) == pytest.approx(chain.perplexity([OTHER[3]]).value, rel=1e-5)


def test_impossible_stays_all_but_impossible(tmp_path, quiet):
    chain = MarkovChain(2, "mle").fit(TEXT)
    path = tmp_path / "chain.arpa"
    chain.save_arpa(path)
    model = kenlm.Model(os.fspath(path))
    assert chain.log_prob(TEXT[1]) == pytest.approx(model.score(" ".join(TEXT[1])) * math.log(10), rel=2e-6)
    assert chain.log_prob(["never"]) == -math.inf
    assert model.score("never") < -90
