"""Attributes that come together are summed once: the likelihood and its slope stay as they are, whatever is said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import CRF, LBFGS, MEMM, _core, demo_corpus, presets
from seqlab.encode import Encoder
from seqlab.encode.template_rows import families
from seqlab.features import Template

pytestmark = pytest.mark.usefixtures("kernel")

KINDS = [
    (_core.Likelihood32, 2e-5),
    (_core.Likelihood64, 1e-12),
    (_core.LocalLikelihood32, 2e-5),
    (_core.LocalLikelihood64, 1e-12),
]
ATTRIBUTES = 30


def corpus_of(seed, words, tokens, L):
    """Tokens of `words` kinds, each with the same attributes wherever it stands, and some of their own besides."""
    rng = np.random.default_rng(seed)
    of_word = [np.sort(rng.choice(ATTRIBUTES, rng.integers(0, 8), replace=False)) for _ in range(words)]
    rows = [
        np.concatenate([of_word[rng.integers(words)], rng.integers(0, ATTRIBUTES, rng.integers(0, 3))])
        for _ in range(tokens)
    ]
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    offset = np.unique([0, *rng.integers(0, tokens, 4), tokens]).astype(np.int64)
    labels = rng.integers(0, L, tokens).astype(np.int32)
    return offset, labels, indptr, np.concatenate(rows).astype(np.int32)


def answers(kind, task, theta):
    slope, curve = np.empty_like(theta), np.empty_like(theta)
    loss = kind(task)
    value = loss(theta, slope, 1)
    loss.curvature(theta, curve, 2)
    return value, slope, curve


@pytest.mark.parametrize(("kind", "digits"), KINDS)
@given(
    seed=st.integers(0, 10_000), words=st.integers(1, 5), tokens=st.integers(1, 40),
    L=st.sampled_from([2, 9, 20]), share=st.sampled_from([0.4, 1.0]),
)  # fmt: skip
def test_no_hint_changes_the_likelihood(kind, digits, seed, words, tokens, L, share):
    offset, labels, indptr, ids = corpus_of(seed, words, tokens, L)
    rng = np.random.default_rng(seed)
    seen = rng.random((ATTRIBUTES, L)) < share
    begin = np.concatenate([[0], np.cumsum(seen.sum(axis=1))]).astype(np.int64)
    label, number = np.nonzero(seen)[1].astype(np.int32), np.arange(L * L, dtype=np.int32)
    theta = rng.normal(size=len(label) + L * L)
    made = [
        _core.Task(L, offset, labels, indptr, ids, None, begin, label, number) for _ in range(2)
    ]  # fmt: skip
    made[1].set_kin(rng.integers(0, 7, ATTRIBUTES).astype(np.uint8))
    for plain, clustered in zip(*(answers(kind, task, theta) for task in made), strict=True):
        np.testing.assert_allclose(clustered, plain, rtol=digits, atol=digits * tokens)


def encoded_demo(features):
    return Encoder(features).fit(demo_corpus("train").select("word", "pos", "chunk")[:300])


@pytest.mark.parametrize("features", [presets.pos, presets.chunk, presets.ner, presets.supertag])
def test_a_head_has_the_same_kin_wherever_it_stands(features):
    encoded = encoded_demo(features)
    cluster_codes, found, tokens = encoded.node.cluster_codes, {}, 0
    for begin, end in zip(encoded.indptr[:-1], encoded.indptr[1:], strict=True):
        ids = encoded.ids[begin:end]
        for head in ids[cluster_codes[ids] % 2 == 1].tolist():
            family = ids[(cluster_codes[ids] + 1) // 2 == (cluster_codes[head] + 1) // 2].tolist()
            assert found.setdefault(head, family) == family
            tokens += 1
    assert tokens > len(encoded.indptr) // 2  # most tokens have one


def found_in(text, groups, sizes, uses=None):
    features = Template.parse(text).features
    return families(features, groups, sizes, uses or [1000] * len(sizes), worth=500)


def test_a_word_heads_what_is_made_of_it():
    template = "word[-1]\nsuffix(word[0], 2)\nword[0]\nlower(word[0])\nword[0] & word[1]\nbias"
    groups = [0, 1, 2, 3, 4, 5]
    assert found_in(template, groups, [50, 30, 50, 40, 900, 1]) == [(2, [1, 2, 3, 5])]
    # the second and the fourth write the same attributes
    assert found_in(template, [0, 1, 2, 1, 4, 5], [50, 30, 60, 900, 900, 1]) == [(0, [0, 5])]
    # every value is another one
    assert found_in(template, groups, [999] * 6) == []
    # no word is met often
    assert found_in(template, groups, [50, 30, 50, 40, 900, 1], [1000, 50, 50, 50, 50, 1000]) == [(0, [0, 5])]


def test_lower_case_does_not_tell_the_shape():
    template = "lower(word[0])\nshape(word[0])\nsuffix(lower(word[0]), 1)\nprefix(lower(word[1]), 1)"
    assert found_in(template, [0, 1, 2, 3], [9] * 4) == [(0, [0, 2])]


def test_what_two_words_say_needs_a_head_of_both():
    template = "word[0] & pos[0]\nlower(word[0]) & pos[0]\nword[0]\nshape(word[0]) & lower(pos[0])\npos[1]"
    assert found_in(template, [0, 1, 2, 3, 4], [9] * 5) == [(0, [0, 1, 2, 3])]


def test_a_template_of_thousands_of_features_is_one_family():
    found = found_in("word[0]\nprefix(word[0], 1..3000)", list(range(3001)), [9] * 3001)
    assert found == [(0, list(range(3001)))]


@pytest.mark.parametrize("kind", [CRF, MEMM])
def test_training_ends_at_the_same_optimum(kind, monkeypatch):
    corpus = demo_corpus("train").select("word", "pos", "chunk")[:60]

    def objective():
        fitted = kind("chunk", LBFGS(delta=0.0, epsilon=1e-6, dtype="float64"), threads=1).fit(
            corpus, "chunk"
        )
        return fitted.history_[-1].objective

    clustered = objective()
    monkeypatch.setattr("seqlab.encode.template_rows.cluster_codes_of", lambda *_: np.zeros(0, np.uint8))
    assert objective() == pytest.approx(clustered, rel=1e-9)


def test_new_sentences_are_clustered_with_the_old_attributes():
    corpus = demo_corpus("train").select("word", "pos", "chunk")
    encoder = Encoder(presets.pos)
    encoder.fit(corpus[:100])
    encoded = encoder.extend(corpus[100:])
    assert len(encoded.node.cluster_codes) == encoder.size
    heads = np.flatnonzero(encoded.node.cluster_codes == 1).tolist()
    assert heads
    assert all(encoder.attributes[head].startswith("word[0]=") for head in heads)


def test_kin_covers_the_attributes_of_columns_beside_the_template():
    words = demo_corpus("train").select("word")[:50]
    bags = [[{f"own {len(word)}": 1.0} for word in sentence] for sentence in words.column("word")]
    encoder = Encoder(presets.pos)
    encoded = encoder.fit(words.with_column("bag", bags))
    assert len(encoded.node.cluster_codes) == encoder.size
    assert not any(
        encoded.node.cluster_codes[i] for i, name in enumerate(encoder.attributes) if name.startswith("own")
    )
