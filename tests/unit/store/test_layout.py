"""The file itself: what another reader of the format finds, and what comes back."""

import hashlib
import importlib.metadata
import json

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

import seqlab
from seqlab import store
from seqlab.errors import StoreError
from seqlab.store import State
from seqlab.store.reading import CODES

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ARRAYS = st.sampled_from(sorted(CODES)).flatmap(
    lambda name: arrays_of.arrays(
        np.dtype(f"<{CODES[name]}"), arrays_of.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=4)
    )
)
STATES = st.builds(
    State,
    TEXT,
    st.dictionaries(TEXT, PLAIN, max_size=3),
    st.dictionaries(TEXT.filter(lambda name: name not in {"", "__metadata__"}), ARRAYS, max_size=4),
    st.dictionaries(TEXT, PLAIN, max_size=2),
)


def state() -> State:
    return State(
        "toy",
        {"name": "a\0b\n🙂", "l2": 0.1},
        {
            "weights": np.arange(6.0).reshape(2, 3),
            "flags": np.array([True, False]),
            "empty": np.zeros((0, 3), np.int32),
        },
        {"epochs": [1, 2]},
    )


def same(one: State, two: State) -> bool:
    return (
        (one.kind, one.settings, one.record) == (two.kind, two.settings, two.record)
        and one.arrays.keys() == two.arrays.keys()
        and all(
            a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
            for a, b in ((one.arrays[name], two.arrays[name]) for name in one.arrays)
        )
    )


@given(STATES)
def test_any_state_comes_back_bit_for_bit(given_state):
    content = store.as_bytes(given_state)
    assert same(store.revived(content, verify=True), given_state)


@given(STATES)
def test_the_safetensors_package_reads_the_same_tensors(given_state):
    found = safetensors.numpy.load(store.as_bytes(given_state))
    assert found.keys() == given_state.arrays.keys()
    for name, array in given_state.arrays.items():
        assert found[name].tobytes() == array.tobytes()
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)


def test_what_the_safetensors_package_writes_is_read(tmp_path):
    content = store.as_bytes(state())
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    path = tmp_path / "again.safetensors"
    safetensors.numpy.save_file(safetensors.numpy.load(content), path, metadata=header["__metadata__"])
    assert same(store.read(path), state())


def test_the_file_is_the_bytes(tmp_path):
    path = tmp_path / "m.safetensors"
    store.write(path, state())
    assert path.read_bytes() == store.as_bytes(state())
    assert same(store.read(path, verify=True), state())
    assert same(store.read(str(path)), state())


def test_tensors_are_aligned_and_mapped(tmp_path):
    path = tmp_path / "m.safetensors"
    store.write(
        path, State("toy", {"odd": "x"}, {"a": np.ones(3, np.int8), "b": np.ones(3), "c": np.ones(3, "f2")})
    )
    found = store.read(path)
    for array in found.arrays.values():
        assert array.flags.aligned
        assert not array.flags.writeable
        assert not array.flags.owndata
    length = int.from_bytes(path.read_bytes()[:8], "little")
    assert (length + 8) % 64 == 0


def test_tensors_that_are_not_aligned_are_copied():
    content = store.as_bytes(State("toy", {}, {"a": np.arange(3.0)}))
    length = int.from_bytes(content[:8], "little")
    shifted = (length + 1).to_bytes(8, "little") + content[8 : 8 + length] + b" " + content[8 + length :]
    found = store.revived(shifted).arrays["a"]
    assert found.flags.aligned
    assert found.tolist() == [0, 1, 2]


def test_arrays_of_any_layout_are_stored():
    table = np.arange(12.0).reshape(3, 4)
    given_state = State(
        "toy", {}, {"columns": table.T, "every other": table[::2], "swapped": table.astype(">f8")}
    )
    found = store.revived(store.as_bytes(given_state)).arrays
    assert found["columns"].tolist() == table.T.tolist()
    assert found["every other"].tolist() == table[::2].tolist()
    assert found["swapped"].tolist() == table.tolist()


def test_numbers_of_numpy_and_numbers_that_are_none_come_back():
    settings = {"a": np.float64(0.1), "b": np.int32(3), "c": np.bool_(True), "d": float("inf"), "e": (1, 2)}
    found = store.revived(store.as_bytes(State("toy", settings))).settings
    assert found == {"a": 0.1, "b": 3, "c": True, "d": float("inf"), "e": [1, 2]}
    assert np.isnan(store.revived(store.as_bytes(State("toy", {"a": float("nan")}))).settings["a"])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            State("toy", {"a": {"b": object}}),
            r"settings\['a'\]\['b'\] cannot be stored: it is <class 'object'>",
        ),
        (
            State("toy", {"a": [1, {2: 3}]}),
            r"settings\['a'\]\[1\] cannot be stored: keys must be strings, .* 2",
        ),
        (State("toy", {"a": np.ones(2)}), "not a string, number, list or dict"),
        (
            State("toy", {"labels": ["\ud800"]}),
            r"settings\['labels'\]\[0\] cannot be stored: .* lone surrogate",
        ),
        (State("toy", {"\udfff": 1}), "a key of settings cannot be stored"),
        (State("\ud800"), "the kind cannot be stored"),
        (State("toy", {}, {"\ud800": np.ones(2)}), "the name of an array cannot be stored"),
        (State("toy", {}, {"__metadata__": np.ones(2)}), "an array cannot be called '__metadata__'"),
        (State("toy", {}, {"a": np.array(["x"])}), "holds <U1, which a model file cannot"),
        (State("toy", {}, {"a": np.array([None])}), "holds object"),
        (State("toy", {}, {"a": np.ones(2, complex)}), "holds complex128"),
        (State("toy", {}, {"a": [1, 2]}), r"is no NumPy array but \[1, 2\]"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_name(bad, message):
    with pytest.raises(StoreError, match=message):
        store.as_bytes(bad)


def test_a_header_that_no_reader_would_take_is_refused():
    with pytest.raises(StoreError, match="keep long lists as arrays"):
        store.as_bytes(State("toy", {"a": "x" * 100_000_001}))


def test_the_checksum_is_of_the_whole_file():
    content = store.as_bytes(state())
    digest = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]["sha256"]
    blank = content.replace(digest.encode(), b"0" * 64)
    assert hashlib.sha256(blank).hexdigest() == digest


@given(st.data())
def test_no_changed_byte_escapes_the_checksum(data):
    content = bytearray(store.as_bytes(state()))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(StoreError):
        store.revived(bytes(content), verify=True)


def test_the_same_state_gives_the_same_bytes():
    assert store.as_bytes(state()) == store.as_bytes(state())


def test_the_bytes_name_the_version_that_runs_whatever_is_installed_meanwhile(monkeypatch):
    """`make soak` found models that differed while another process installed the package anew."""

    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    state = State("kind", {"n": 1})
    before = store.as_bytes(state)
    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert store.as_bytes(state) == before
    assert f'"seqlab":"{seqlab.__version__}"'.encode() in before
