"""Every kind of model has a file of every format that was released, which loads for ever."""

import json
from pathlib import Path

import pytest

from seqlab.families import kinds
from seqlab.store.reading import VERSION

HERE = Path(__file__).parent


def released():
    found = set()
    for path in [*HERE.glob("models/*.safetensors"), *HERE.glob("text_models/*.safetensors")]:
        content = path.read_bytes()
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]
        found.add((int(header["version"]), header["kind"]))
    return found


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_each_kind_has_a_file_of_each_format(version):
    """A new kind, or a new format, needs `python tests/formats/make_models.py` (or test_text_models.py)."""
    assert {kind for of, kind in released() if of == version} == set(kinds())
