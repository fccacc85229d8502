"""Files cut, changed, made up or foreign: our error or a model that answers, never anything else."""

import json
import random

import numpy as np
import pytest

from oracle.stored import OTHER, Toy, encoders, own, toy
from seqlab import inference, store
from seqlab.encode import Encoder
from seqlab.errors import SeqlabError, StoreError
from seqlab.store import State
from seqlab.store.reading import load

KINDS = {"toy": Toy.from_state, "encoder": Encoder.from_state}


def parts(content: bytes) -> tuple[dict, bytes]:
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def joined(header, data: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def put(path, state: State) -> None:
    """Without waiting for the disk, as store.write would."""
    path.write_bytes(store.as_bytes(state))


def answer(path) -> None:
    """Load it and use all of it; an error must be ours."""
    try:
        found = load(path, KINDS, functions={"own": own})
        encoder = found if isinstance(found, Encoder) else found.encoder
        encoded = encoder.encode(OTHER)
        encoder.attributes, encoder.edge_attributes  # noqa: B018 -- names are made when asked
        encoder.state()
        if isinstance(found, Toy):
            found.state()
            inference.viterbi(found.model.trellises(encoded))
    except SeqlabError:
        return


@pytest.fixture(scope="module")
def content() -> bytes:
    return store.as_bytes(toy(second=True).state())


def test_a_file_cut_anywhere_is_refused(content, tmp_path):
    path = tmp_path / "m"
    for length in range(len(content)):
        with pytest.raises(StoreError):
            store.revived(content[:length])
    for length in [0, 1, 7, 8, 9, 1000, len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(StoreError, match=f"^{path}: ") as caught:
            load(path, KINDS)
        assert caught.value.path == str(path)


def test_a_file_with_more_at_its_end_is_refused(content):
    with pytest.raises(StoreError, match=r"the tensors have .* bytes, but the file has"):
        store.revived(content + b"\0")


@pytest.mark.parametrize("kind", ["toy", *encoders()])
def test_changed_bytes_never_do_harm(kind, content, tmp_path):
    sound = content if kind == "toy" else store.as_bytes(encoders()[kind][0].state())
    chance = random.Random(kind)
    path = tmp_path / "m"
    data = 8 + int.from_bytes(sound[:8], "little")
    for number in range(400):
        changed = bytearray(sound)
        low, high = (0, data) if number % 2 else (data, len(sound))
        for _ in range(chance.choice([1, 1, 1, 2, 8])):
            if low < high:
                changed[chance.randrange(low, high)] = chance.choice(
                    [0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)]
                )
        path.write_bytes(changed)
        answer(path)


@pytest.mark.parametrize("kind", ["toy", "mixed", "edges", "function"])
def test_changed_numbers_never_do_harm(kind, content, tmp_path):
    """Whole entries of arrays are replaced: what flipped bytes seldom reach."""
    sound = store.revived(content if kind == "toy" else store.as_bytes(encoders()[kind][0].state()))
    chance = np.random.default_rng(5)
    path = tmp_path / "m"
    for name, array in sound.arrays.items():
        if array.dtype.kind not in "iu" or not array.size:
            continue
        for extreme in (-1, 0, 1, array.size, np.iinfo(array.dtype).max, np.iinfo(array.dtype).min):
            wrong = array.copy().reshape(-1)
            with np.errstate(over="ignore"):
                wrong[chance.integers(wrong.size)] = np.array(extreme).astype(array.dtype)
            arrays = {**sound.arrays, name: wrong.reshape(array.shape)}
            put(path, State(sound.kind, sound.settings, arrays))
            answer(path)


@pytest.mark.parametrize("kind", ["toy", "mixed", "edges", "function"])
def test_missing_renamed_and_reshaped_arrays_are_refused(kind, content, tmp_path):
    sound = store.revived(content if kind == "toy" else store.as_bytes(encoders()[kind][0].state()))
    path = tmp_path / "m"
    for name, array in sound.arrays.items():
        rest = {own_name: other for own_name, other in sound.arrays.items() if own_name != name}
        for arrays in (
            {**rest, name + "x": array},
            {**rest, name: array[None]},
            {**rest, name: array.astype(np.uint16)},
            {**rest, name: np.concatenate([array, array])},
        ):
            put(path, State(sound.kind, sound.settings, arrays))
            with pytest.raises(StoreError):
                load(path, KINDS, functions={"own": own})


def leaves(value, place=()):
    yield place
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*place, key))
    elif isinstance(value, list):
        for number in range(len(value)):
            yield from leaves(value[number], (*place, number))


def replaced(value, place, new):
    if not place:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replaced(value[place[0]], place[1:], new)
    return copy


@pytest.mark.parametrize("kind", ["toy", "mixed", "function"])
def test_changed_settings_never_do_harm(kind, content, tmp_path):
    sound = store.revived(content if kind == "toy" else store.as_bytes(encoders()[kind][0].state()))
    path = tmp_path / "m"
    for place in leaves(sound.settings):
        for new in (None, -1, 2**40, "x", True, ["x", 1], {}):
            changed = replaced(sound.settings, place, new)
            if isinstance(changed, dict):
                put(path, State(sound.kind, changed, sound.arrays))
                answer(path)


# ------------------------------------------------------------------------------------------------ headers

ONE = {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}
META = {
    "format": "seqlab", "version": "1", "seqlab": "0", "kind": "toy", "settings": "{}", "record": "{}",
}  # fmt: skip


def made(entries, data=b"\0" * 8, **meta) -> bytes:
    return joined({**entries, "__metadata__": {**META, **meta}}, data)


def test_the_header_made_by_hand_is_sound():
    assert store.revived(made({"a": ONE})).arrays["a"].tolist() == [0]


def entry(**changes):
    return {"a": {**ONE, **changes}}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "it has 0 bytes"),
        (b"\0" * 8, "does not begin as a safetensors file does"),
        ((2**64 - 1).to_bytes(8, "little") + b"{}", "does not begin as"),
        ((10**8 + 1).to_bytes(8, "little") + b"{}", "does not begin as"),
        ((10**8).to_bytes(8, "little") + b"{}", "cut short: its header has 100000000 bytes, but only 2 follow"),
        (joined(b"{", b""), "the header is not JSON"),
        (joined(b'{"a":' + b"[" * 100_000, b""), "the header is not JSON: it is nested too deeply"),
        (joined(b'{"a":' + b"9" * 10_000 + b"}", b""), "the header is not JSON"),
        (joined(b'{"a":1,"a":2}', b""), "the header has 'a' twice"),
        (joined(b'{"\xff":1}', b""), "not UTF-8: invalid start byte at byte 10"),
        (joined(b"{}", b""), "not one that seqlab wrote"),
        (joined({"__metadata__": {"format": "pt"}}, b""), "not one that seqlab wrote"),
        (joined({"__metadata__": ["seqlab"]}, b""), "not one that seqlab wrote"),
        (made({}, b"", version="2", seqlab="9.9"), "format 2, this seqlab reads up to 1; .* seqlab '9.9': update"),
        (made({}, b"", version="x"), "version of the format should be a number, found 'x'"),
        (made({}, b"", version="²"), "version of the format should be a number"),
        (made({}, b"", version=1), "version of the format should be a number, found 1"),
        (made({}, b"", kind=3), "the entry 'kind' of the metadata should be a string, found 3"),
        (made({}, b"", settings="[1]"), r"the settings should be a JSON object, found \[1\]"),
        (made({}, b"", settings="{"), "the settings is not JSON"),
        (made({}, b"", record="null"), "the record should be a JSON object, found None"),
        (made({"a": 3}), "should have dtype, shape and data_offsets, found 3"),
        (made({"a": {**ONE, "more": 1}}), "should have dtype, shape and data_offsets"),
        (made(entry(dtype="F128")), "unknown dtype 'F128'"),
        (made(entry(dtype=["F64"])), "unknown dtype"),
        (made(entry(shape=[-1])), r"impossible shape \[-1\]"),
        (made(entry(shape=[True])), "impossible shape"),
        (made(entry(shape=[1.0])), "impossible shape"),
        (made(entry(shape=3)), "impossible shape"),
        (made(entry(shape=[1] * 100)), "impossible shape"),
        (made(entry(shape=[2**62, 2**62])), "impossible shape"),
        (made(entry(shape=[0, 2**62], data_offsets=[0, 0]), b""), "impossible shape"),
        (made(entry(shape=[2**40])), "takes 8796093022208 bytes, found 8"),
        (made(entry(shape=[2])), "takes 16 bytes, found 8"),
        (made(entry(data_offsets=[0, 16], shape=[2])), r"within 8 bytes, but its data_offsets are \[0, 16\]"),
        (made(entry(data_offsets=[8, 0])), "data_offsets are"),
        (made(entry(data_offsets=[-8, 0])), "data_offsets are"),
        (made(entry(data_offsets=[0, 8, 8])), "data_offsets are"),
        (made(entry(data_offsets=[0, 2**70])), "data_offsets are"),
        (made(entry(data_offsets=[8, 16]), b"\0" * 16), "leaves a hole before it: it begins at 8, 0 is wanted"),
        (made({"a": ONE, "b": ONE}), "'b' overlaps the one before it: it begins at 0, 8 is wanted"),
        (
            made({**entry(shape=[2], data_offsets=[0, 16]), "b": {**ONE, "data_offsets": [8, 16]}}, b"\0" * 16),
            "'b' overlaps",
        ),
        (made(entry(dtype="BOOL", shape=[8]), b"\2" * 8), "should hold 0 and 1, found 2"),
    ],
)  # fmt: skip
def test_headers_that_lie_are_refused(file, message):
    with pytest.raises(StoreError, match=message):
        store.revived(file)
    with pytest.raises(StoreError):
        store.revived(file, verify=True)


@pytest.mark.parametrize(
    "foreign",
    [
        b"\x7fELF" + b"\0" * 100,
        b"PK\x03\x04" + b"x" * 100,
        b"\x80\x04\x95" + b"\0" * 50,
        b"lCRF" + b"\0" * 44 + b"FEAT",
        b'{"a": 1}',
        b"the\tDT\nold\tJJ\n",
        "ünïcödé".encode("utf-16"),
        b"\xff" * 1000,
    ],
)
def test_foreign_files_are_refused(foreign, tmp_path):
    path = tmp_path / "m"
    path.write_bytes(foreign)
    with pytest.raises(StoreError, match=f"^{path}: "):
        load(path, KINDS)


def test_a_model_file_without_a_checksum_cannot_be_verified():
    with pytest.raises(StoreError, match="the file has no checksum"):
        store.revived(made({"a": ONE}), verify=True)
