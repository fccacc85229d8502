"""Doors of the library for a fuzzer: each takes any bytes, and answers or refuses them with an error of ours.

tests/fuzz/door.cpp asks them inside libFuzzer (`make fuzz`); tests/fuzz/test_doors.py asks each for a moment.
"""

from __future__ import annotations

import gc
import random
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from fuzz.doors import corpora, models, texts
from fuzz.doors.mutators import Mutator
from seqlab.errors import SeqlabError

MAKERS: dict[str, Callable[[], tuple[Any, Sequence[bytes], Mutator | None]]] = {
    **models.DOORS,
    **corpora.DOORS,
    **texts.DOORS,
}


class Door(NamedTuple):
    """A question to the library.

    ask      takes bytes; raises only what is a finding
    seeds    inputs to begin with, made by our own writers
    mutate   changes an input as its grammar allows, from the bytes and a seed; None for a format of plain bytes
    """

    ask: Callable[[bytes], None]
    seeds: Sequence[bytes]
    mutate: Callable[[bytes, int], bytes] | None


def opened(name: str) -> Door:
    """Return the door with this name; its models are trained now."""
    warnings.simplefilter("ignore")
    question, seeds, mutator = MAKERS[name]()
    gc.freeze()  # modules and models are not searched for garbage with each input

    def ask(data: bytes) -> None:
        try:
            question(data)
        except SeqlabError as error:
            str(error)

    def mutate(data: bytes, seed: int) -> bytes:
        assert mutator is not None
        return mutator(data, random.Random(seed))

    return Door(ask, seeds, None if mutator is None else mutate)
