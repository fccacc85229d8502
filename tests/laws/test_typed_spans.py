"""How probable a span of a type is, against all labellings read by conlleval's rules (eq:typed-span)."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import Trellis, inference, tags
from seqlab.errors import ImpossibleError, LabelError

LABELS = {
    "IOB2": ("B-LOC", "B-PER", "I-LOC", "I-PER", "O"),
    "IOBES": ("B-X", "E-X", "I-X", "O", "S-X"),
    "IO": ("I-A", "I-B", "O"),
}


@given(
    st.sampled_from(sorted(LABELS)),
    st.integers(1, 4),
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([0.0, 1.0, 10.0, 1e6]),
    st.booleans(),
)
def test_typed_span_is_the_share_of_labellings_with_that_span(scheme, length, seed, order, scale, forbid):
    labels, rng = LABELS[scheme], np.random.default_rng(seed)
    L = len(labels)
    node, edge = rng.normal(size=(length, L)) * scale, rng.normal(size=(L,) * (order + 1)) * scale
    if forbid:
        node[rng.random(node.shape) < 0.2] = -np.inf
        node[:, -1] = 0
        edge[(rng.random(edge.shape) < 0.2) & (np.arange(L) != L - 1)] = -np.inf
        edge[..., -1] = 0
    trellis = Trellis(node, edge, order=order, labels=labels)
    posterior = inference.posterior(trellis)
    wanted = {}
    for path in itertools.product(labels, repeat=length):
        chance = np.exp(trellis.score(path) - posterior.log_z)
        for span in tags.spans(list(path)):
            key = (span.start, span.end, span.type)
            wanted[key] = wanted.get(key, 0.0) + chance
    for i, j in itertools.combinations(range(length + 1), 2):
        for kind in {label[2:] for label in labels if label != "O"}:
            assert posterior.span(i, j, kind) == pytest.approx(wanted.get((i, j, kind), 0.0), abs=1e-8)
    asked = sorted(wanted)
    told = inference.span_probabilities(trellis, asked)
    assert told.tolist() == [posterior.span(*one) for one in asked]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 3])
def test_spans_of_many_sequences_are_those_of_each(dtype, threads):
    labels, rng = LABELS["IOB2"], np.random.default_rng(5)
    L = len(labels)
    shared = rng.normal(size=(L, L)).astype(dtype)
    some = [Trellis(rng.normal(size=(T, L)).astype(dtype), shared, labels=labels) for T in (3, 0, 7, 1)]
    other = Trellis(rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 3))[1:], labels=("B-X", "I-X", "O"))
    spans = [[(0, 2, "PER"), (2, 3, "LOC")], [], [(1, 6, "PER")], [], [(0, 2, "X"), (1, 2, "X")]]
    found = inference.span_probabilities([*some, other], spans, threads=threads)
    for trellis, asked, told in zip([*some, other], spans, found, strict=True):
        assert told.tolist() == [inference.posterior(trellis).span(*one) for one in asked]


def test_a_span_has_its_probability_in_a_long_sequence():
    node = np.tile(np.log([0.25, 0.5, 0.25]), (5000, 1))
    trellis = Trellis(node, np.zeros((3, 3)), labels=("B-X", "I-X", "O"))
    # B or a first I behind O, one I, and no I behind it
    assert inference.span_probabilities(trellis, [(4000, 4002, "X")])[0] == pytest.approx(
        (0.25 + 0.5 * 0.25) * 0.5 * 0.5, rel=1e-9
    )


def test_questions_about_spans_that_make_no_sense_are_refused():
    trellis = Trellis(np.zeros((2, 3)), np.zeros((3, 3)), labels=("B-X", "I-X", "O"))
    with pytest.raises(LabelError, match="1 lists of spans are given for 2 sequences"):
        inference.span_probabilities([trellis, trellis], [[]])
    with pytest.raises(LabelError, match=r"sequence 1: .*lies outside a sequence of 2"):
        inference.span_probabilities([trellis, trellis], [[], [(1, 3, "X")]])
    with pytest.raises(LabelError, match=r"a span is \(start, end, type\)"):
        inference.span_probabilities(trellis, [(1, "X")])
    dead = Trellis(np.full((2, 3), -np.inf), np.zeros((3, 3)), labels=("B-X", "I-X", "O"))
    with pytest.raises(ImpossibleError):
        inference.span_probabilities(dead, [(0, 1, "X")])
    nothing, some = inference.span_probabilities([dead, trellis], [[], [(0, 1, "X")]])
    assert (nothing.tolist(), some.shape) == ([], (1,))


def test_a_type_that_is_none_is_refused():
    trellis = Trellis(np.zeros((2, 3)), np.zeros((3, 3)), labels=("B-X", "I-X", "O"))
    posterior = inference.posterior(trellis)
    with pytest.raises(LabelError, match="the types are 'X'"):
        posterior.span(0, 1, "PER")
    with pytest.raises(LabelError, match="covers no position"):
        posterior.span(1, 1, "X")
    plain = inference.posterior(Trellis(np.zeros((2, 2)), np.zeros((2, 2)), labels=("N", "V")))
    with pytest.raises(LabelError, match="labels are no tags"):
        plain.span(0, 1, "N")
