"""An encoder that knows fewer attributes gives the rows it gave before, without those that left."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.stored import MIXED, OTHER, TRAIN, encoders, own
from seqlab import store
from seqlab.corpus import demo_corpus
from seqlab.encode import Encoder
from seqlab.errors import ShapeError

MADE = encoders()
KINDS = [name for name, (encoder, corpus) in MADE.items() if corpus is not None and encoder.size]


def filtered(rows, kept):
    """Rows as lists of (number among those that stay, value), made the slow way."""
    if rows is None:
        return None
    number = {a: i for i, a in enumerate(np.flatnonzero(kept).tolist())}
    values = np.ones(len(rows.ids)) if rows.values is None else rows.values
    found = []
    for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        pairs = zip(rows.ids[begin:end].tolist(), values[begin:end].tolist(), strict=True)
        found.append([(number[a], value) for a, value in pairs if a in number])
    return found


def all_of(rows, size):
    return filtered(rows, np.ones(size, dtype=bool))


def flags(data, size):
    return np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=bool)


@given(st.data(), st.sampled_from(KINDS))
def test_rows_are_those_of_before_without_what_left(data, kind):
    encoder, corpus = MADE[kind]
    kept, edge_kept = flags(data, encoder.size), flags(data, encoder.edge_size)
    less = encoder.restricted(kept, edge_kept)
    assert (less.size, less.edge_size) == (kept.sum(), edge_kept.sum())
    assert (less.labels, less.min_count, less.features) == (
        encoder.labels,
        encoder.min_count,
        encoder.features,
    )
    names = [name for name, stays in zip(encoder.attributes, kept, strict=True) if stays]
    assert less.attributes == names
    for some in (corpus,) if kind in {"mixed", "bags"} else (corpus, TRAIN):
        before, after = encoder.encode(some), less.encode(some)
        assert all_of(after.node, less.size) == filtered(before.node, kept)
        if before.edge is not None:
            assert all_of(after.edge, less.edge_size) == filtered(before.edge, edge_kept)
    state = store.revived(store.as_bytes(less.state()))
    back = Encoder.from_state(store.State(state.kind, state.settings, state.arrays, {}, {"own": own}))
    for other in (back, pickle.loads(pickle.dumps(less))):
        assert other.attributes == names
        assert all_of(other.encode(corpus).node, less.size) == filtered(encoder.encode(corpus).node, kept)
    assert store.as_bytes(back.state()) == store.as_bytes(less.state())


@pytest.mark.parametrize("kind", ["template", "edges", "function", "mixed"])
def test_what_left_is_new_when_it_is_met_again(kind):
    encoder = MADE[kind][0]
    corpus = MIXED if kind == "mixed" else TRAIN
    kept = np.arange(encoder.size) % 2 == 0
    less = encoder.restricted(kept)
    names = list(less.attributes)
    less.extend(corpus)
    assert less.attributes[: len(names)] == names
    assert sorted(less.attributes) == sorted(encoder.attributes)


def test_strings_that_nothing_needs_leave_the_file():
    encoder = Encoder("pos")
    encoder.fit(demo_corpus("test"))
    less = encoder.restricted(np.arange(encoder.size) < 20)
    size = len(store.as_bytes(less.state()))
    assert size < len(store.as_bytes(encoder.state())) / 10
    assert size < len(store.as_bytes(Encoder("pos").state())) + 20_000


@pytest.mark.parametrize("kept", [np.ones(3, dtype=bool), [True], np.ones(2), None])
def test_flags_must_fit(kept):
    encoder = Encoder("word[0]")
    encoder.fit([["a", "b"]])
    with pytest.raises(ShapeError, match=r"kept must be a boolean array of shape \(2,\)"):
        encoder.restricted(kept)
    assert encoder.restricted(np.array([False, True])).encode(OTHER[:1]).ids.tolist() == []
