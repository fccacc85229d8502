"""How probable a span of a type is, against all labellings read by conlleval's rules (eq:typed-span)."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import Trellis, inference, tags
from seqlab.errors import LabelError

LABELS = {
    "IOB2": ("B-LOC", "B-PER", "I-LOC", "I-PER", "O"),
    "IOBES": ("B-X", "E-X", "I-X", "O", "S-X"),
    "IO": ("I-A", "I-B", "O"),
}


@given(
    st.sampled_from(sorted(LABELS)),
    st.integers(1, 4),
    st.integers(0, 2**32),
    st.sampled_from([1, 2]),
    st.sampled_from([0.0, 1.0, 10.0]),
)
def test_typed_span_is_the_share_of_labellings_with_that_span(scheme, length, seed, order, scale):
    labels, rng = LABELS[scheme], np.random.default_rng(seed)
    L = len(labels)
    trellis = Trellis(
        rng.normal(size=(length, L)) * scale,
        rng.normal(size=(L,) * (order + 1)) * scale,
        order=order,
        labels=labels,
    )
    posterior = inference.posterior(trellis)
    wanted = {}
    for path in itertools.product(labels, repeat=length):
        chance = np.exp(trellis.score(path) - posterior.log_z)
        for span in tags.spans(list(path)):
            key = (span.start, span.end, span.type)
            wanted[key] = wanted.get(key, 0.0) + chance
    for i, j in itertools.combinations(range(length + 1), 2):
        for kind in {label[2:] for label in labels if label != "O"}:
            assert posterior.span(i, j, kind) == pytest.approx(wanted.get((i, j, kind), 0.0), abs=1e-9)


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
