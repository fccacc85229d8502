"""A file looked at without NumPy: the same settings and numbers, as buffers."""

import json

import numpy as np
import pytest

from seqlab import store
from seqlab.errors import StoreError
from seqlab.store.layout import CODES

ARRAYS = {name: np.arange(6).reshape(2, 3).astype(f"<{code}") for name, code in CODES.items()}
EMPTY = {"none": np.zeros((0, 3), np.int32), "nothing": np.zeros(0, np.float64), "one": np.array(7.5)}


@pytest.fixture
def path(tmp_path):
    store.write(
        tmp_path / "model", store.State("toy", {"a": [1, "b"]}, {**ARRAYS, **EMPTY}, {"made": "today"})
    )
    return tmp_path / "model"


def test_what_is_peeked_is_what_is_read(path):
    peeked, whole = store.peek(str(path), verified=0)[0], store.read(path)
    assert (peeked.kind, peeked.settings, peeked.record) == (whole.kind, whole.settings, whole.record)
    assert peeked.arrays.keys() == whole.arrays.keys()
    for name, buffer in peeked.arrays.items():
        assert bytes(buffer) == whole.arrays[name].tobytes()
        assert buffer.format == CODES.get(name, buffer.format) or name == "F16"
        assert buffer.readonly


def altered(path, change):
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8:end]), bytearray(content[end:])
    change(header, data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_a_flag_that_is_neither_0_nor_1_is_refused(path):
    def change(header, data):
        data[header["BOOL"]["data_offsets"][0] + 2] = 2

    altered(path, change)
    for look in (lambda: store.peek(str(path), verified=0), lambda: store.read(path)):
        with pytest.raises(StoreError, match="'BOOL' should hold 0 and 1"):
            look()


def test_numbers_that_are_not_aligned_are_left_to_who_copies_them(path):
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    path.write_bytes((size + 1).to_bytes(8, "little") + content[8 : 8 + size] + b" " + content[8 + size :])
    assert np.array_equal(store.read(path).arrays["F64"], ARRAYS["F64"])
    with pytest.raises(StoreError, match="does not lie there"):
        store.peek(str(path), verified=0)


def test_small_files_are_compared_with_their_checksum(path):
    size = path.stat().st_size
    path.write_bytes(path.read_bytes().replace(b"today", b"never"))
    assert store.peek(str(path), verified=size - 1)[0].record == {"made": "never"}
    with pytest.raises(StoreError, match="checksum differs"):
        store.peek(str(path), verified=size)
