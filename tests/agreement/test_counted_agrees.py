"""Best labels of the counted model in the core = Viterbi on its trellises; any number of threads."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracle.counted import coded, counted
from seqlab import HMM, demo_corpus, inference
from seqlab.errors import ImpossibleError
from seqlab.families.hmm.counting import SuffixModel
from seqlab.tagging.door.constraints import Rules

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


def constrained(model, rules, asked, **options):
    """Trellises of the model without its rules, with the same rules masked in."""
    free = replace(model, rules=Rules.none(model.L))
    masks = {
        "forbidden_moves": rules.forbidden,
        "forbidden_starts": rules.no_start,
        "forbidden_ends": rules.no_end,
    }
    return [one.constrain(**masks) for one in free.trellises(*coded(asked), **options)]


def best_score(trellis):
    """The score of the best path, or None where there is none."""
    try:
        return inference.viterbi(trellis).score
    except ImpossibleError:
        return None


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("end", [False, True])
@given(
    sentences=SENTENCES,
    asked=st.lists(
        st.lists(st.sampled_from([*WORDS, "new"]), min_size=1, max_size=6), min_size=1, max_size=3
    ),
    seed=st.integers(0, 10_000),
    dictionary=st.booleans(),
)
def test_the_core_obeys_rules_as_masked_trellises_do(order, end, sentences, asked, seed, dictionary):
    rng = np.random.default_rng(seed)
    model = counted(sentences, order=order, end=end)
    forbidden = rng.random((model.L, model.L)) < 0.4
    rules = Rules(forbidden, rng.random(model.L) < 0.3, rng.random(model.L) < 0.3)
    model = replace(model, rules=rules)
    words, codes, offsets = coded(asked)
    options = {}
    if dictionary:
        allowed = rng.random((len(words), model.L)) < 0.6
        allowed[np.arange(len(words)), rng.integers(model.L, size=len(words))] = True
        options["allowed"] = allowed
    made = constrained(model, rules, asked, **options)
    possible = [best_score(trellis) for trellis in made]
    if None in possible:
        lost = possible.index(None)
        with pytest.raises(ImpossibleError, match=f"sentence {lost}: ") as told:
            model.label_ids(words, codes, offsets, **options)
        assert told.value.sequence == lost
        return
    fast = model.label_ids(words, codes, offsets, **options)
    own = model.trellises(words, codes, offsets, **options)
    for trellis, clear, score, b, e in zip(own, made, possible, offsets[:-1], offsets[1:], strict=True):
        assert clear.score(fast[b:e]) == pytest.approx(score, rel=1e-12, abs=1e-12)
        assert inference.posterior(trellis).node == pytest.approx(inference.posterior(clear).node, abs=1e-12)
        assert inference.log_partition(trellis) == pytest.approx(inference.log_partition(clear), rel=1e-12)


def test_nothing_allowed_names_the_sentence_as_before():
    hmm = HMM(constraints=[("x", "x"), ("x", "y"), ("y", "x"), ("y", "y")]).fit(
        [["a"], ["b"]], [["x"], ["y"]]
    )
    assert hmm.predict([["a"], []]) == [["x"], []]
    with pytest.raises(ImpossibleError, match="sentence 1: ") as told:
        hmm.predict([["a"], ["a", "b"]])
    assert (told.value.sequence, told.value.position) == (1, 1)


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
