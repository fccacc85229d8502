"""Options as plain data: there and back with their types, and nothing but errors of ours for foreign data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import store
from seqlab.corpus import Corpus
from seqlab.errors import SeqlabError, StoreError
from seqlab.families.linear.learners.batch import LBFGS
from seqlab.families.linear.tagger import CRF, LinearTagger
from seqlab.store.values import Values
from seqlab.tags import Scheme

LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=3))
HASHABLE = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)
VALUES = st.recursive(
    st.one_of(LEAVES, st.frozensets(HASHABLE, max_size=3), st.sets(HASHABLE, max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(HASHABLE, inner, max_size=3),
    ),
    max_leaves=8,
)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["list", "tuple", "set", "dict", "mask", "scheme", "learner", "constraints", "name", "rows", "tensor",
                 "dictionary", "model", "object", "fields"]
            ),
            inner,
            max_size=2,
        ),
    ),
    max_leaves=10,
)  # fmt: skip


def kinds_within(value):
    """The value with the type of everything in it, since 1 == 1.0 == True."""
    if isinstance(value, dict):
        return dict, [(kinds_within(key), kinds_within(one)) for key, one in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(map(repr, map(kinds_within, value)))
    if isinstance(value, (list, tuple)):
        return type(value), [kinds_within(one) for one in value]
    return type(value), repr(value)


VALUES_OF = Values(LinearTagger._option_kinds())


def there_and_back(value):
    state = store.State("x")
    state.settings["it"] = VALUES_OF.put(state, "it", value)
    back = store.revived(store.as_bytes(state))
    return VALUES_OF.get(back, "it", back.settings["it"])


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.array([3, 1]),
        np.array(["a", "ß"]),
        [["the", "old"]] * 200,
        {"the": ["D"], "old": ("A", "N"), "man": {"N"}, "x": frozenset({"V"})},
        (np.array([0.5, 0.5]), [["a"], ["b", "c"]]),
    ],
)
def test_arrays_sentences_and_dictionaries_come_back(value):
    found = there_and_back(value)
    assert type(found) is type(value)
    assert repr(found).replace(", dtype=int64", "") == repr(value)
    assert getattr(found, "dtype", None) == getattr(value, "dtype", None)


@given(VALUES)
def test_values_come_back_with_their_types(value):
    assert kinds_within(there_and_back(value)) == kinds_within(value)


def test_numbers_of_numpy_become_plain_ones():
    found = there_and_back([np.float32(0.5), np.int64(3), np.bool_(True)])
    assert kinds_within(found) == kinds_within([0.5, 3, True])


@given(DATA)
def test_any_data_gives_a_value_or_an_error_of_ours(data):
    def made(state):
        return [VALUES_OF.get(state, "it", state.settings["it"])]

    content = store.as_bytes(store.State("x", {"it": data}))
    try:
        found = store.from_bytes(content, {"x": made})
    except StoreError:
        return
    assert isinstance(found, list)


def test_learners_and_schemes_come_back():
    for value in (
        LBFGS(l1=0.25, max_iterations=None, precondition=False, dtype="float64"),
        Scheme.of("BILOU", delimiter="_", suffix=True, outside="none"),
    ):
        assert there_and_back(value) == value


# ------------------------------------------------------------------------------------------------ whole files

TRAIN = Corpus.from_lists(
    word=[["the", "old", "man"], ["runs"], ["the", "Rio"]], tag=[["B", "I", "I"], ["O"], ["B", "O"]]
)
FEATURES = "word[0]\nedge: word[0]\nboth: word[-1] & word[0]"
TAGGER = CRF(
    FEATURES, LBFGS(max_iterations=3), order=2, allowed={"the": ["B"], "x": {"O"}}, constraints="IOB2"
)
CONTENT = TAGGER.fit(TRAIN, "tag").prune(storage="int8", dev=TRAIN).as_bytes()
HEADER = 8 + int.from_bytes(CONTENT[:8], "little")


def altered(content, at, byte):
    """One byte changed; digits and letters into others, so that much of the header still is JSON."""
    old = content[at]
    for first, last in (b"09", b"az"):
        if first <= old <= last:
            byte = first + byte % (last - first + 1)
    return content[:at] + bytes([byte]) + content[at + 1 :]


@given(
    st.lists(
        st.tuples(st.one_of(st.integers(8, HEADER), st.integers(0, len(CONTENT) - 1)), st.integers(0, 255)),
        min_size=1,
        max_size=3,
    )
)
def test_altered_files_give_a_tagger_or_an_error_of_ours(changes):
    content = CONTENT
    for at, byte in changes:
        content = altered(content, at, byte)
    try:
        tagger = CRF.from_bytes(content)
    except StoreError:
        return
    assert all(map(str, (tagger, tagger.history_, tagger.pruned_)))
    try:
        assert [len(labels) for labels in tagger.predict(TRAIN)] == [3, 1, 2]
    except SeqlabError:
        return  # a column that the corpus does not have, for example


def test_altered_files_differ_from_their_checksum():
    assert CRF.from_bytes(CONTENT, verify=True).predict(TRAIN) == TAGGER.predict(TRAIN)
    with pytest.raises(StoreError, match="its checksum differs"):
        CRF.from_bytes(CONTENT[:-1] + bytes([CONTENT[-1] ^ 1]), verify=True)
