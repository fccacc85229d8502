"""Best labels of the counted model in the core = Viterbi on its trellises; any number of threads."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracle.counted import coded, counted
from seqlab import demo_corpus, inference
from seqlab.families.hmm.suffixes import SuffixModel

WORDS = ["a", "b", "Ab", "ab", "ba", "1", "x-y", "zz"]
SENTENCES = st.lists(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from("PQRS")), max_size=7), min_size=1, max_size=6
).filter(any)


def assert_agree(model, asked, **options):
    words, codes, offsets = coded(asked)
    fast = model.label_ids(words, codes, offsets, **options)
    made = model.trellises(words, codes, offsets, **options)
    for trellis, b, e in zip(made, offsets[:-1], offsets[1:], strict=True):
        best = inference.viterbi(trellis)
        assert trellis.score(fast[b:e]) == pytest.approx(best.score, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("end", [False, True])
@given(
    sentences=SENTENCES,
    asked=st.lists(st.lists(st.sampled_from([*WORDS, "new", "Newb"]), max_size=8), max_size=4),
    smoothing=st.sampled_from(["kneser-ney", "interpolated", "witten-bell", 0.2]),
    unknown=st.sampled_from([SuffixModel(), SuffixModel(strength=None, known=0, least=0.1), None]),
)
@example(
    sentences=[[("a", "Q"), ("a", "P")], [("b", "Q")]],
    asked=[["a", "b"]],
    smoothing="interpolated",
    unknown=SuffixModel(strength=None, known=0, least=0.1),
)
def test_the_core_finds_what_trellises_find(order, end, sentences, asked, smoothing, unknown):
    model = counted(sentences, order=order, smoothing=smoothing, unknown=unknown, end=end)
    assert_agree(model, asked)


@given(sentences=SENTENCES, seed=st.integers(0, 1000))
def test_they_agree_under_a_dictionary(sentences, seed):
    model = counted(sentences, order=2)
    allowed = np.random.default_rng(seed).random((3, model.L)) < 0.5
    allowed[:, 0] = True
    assert_agree(model, [["a", "new", "Ab", "a"]], allowed=allowed)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_they_agree_on_the_demo_corpus(order):
    corpus = demo_corpus()
    pairs = [
        list(zip(*both, strict=True))
        for both in zip(corpus.column("word"), corpus.column("pos"), strict=True)
    ]
    model = counted(pairs[:-60], order=order, end=order == 2)
    asked = [[word for word, _ in sentence] for sentence in pairs[-60:]]
    assert_agree(model, asked)
    words, codes, offsets = coded(asked * 5)
    one = model.label_ids(words, codes, offsets, threads=1)
    assert np.array_equal(one, model.label_ids(words, codes, offsets, threads=4))
