"""Mutators that know a grammar: what they change still gets past the first check of a reader."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from faults.altered_models import altered, places, replaced

Mutator = Callable[[bytes, random.Random], bytes]

NUMBERS = (0, 1, 2, 3, 7, 8, 0x7F, 0xFF, 0x100, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1)
VALUES: tuple[Any, ...] = (None, True, -1, 0, 1, 2.5, 1e308, 10**30, "", "x", "\ud800", "a\0b", "é🙂")
VALUES += ([], {}, [[]], ["x", 1], {"x": {}}, [0, 1], [[0, 1, "PER"]])
WORDS = (b"0", b"-1", b"1e999", b"nan", b"inf", b"-inf", b"99999999999999999999", b"\t", b" ", b"\n", b"\r\n")
WORDS += (
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b'"',
    b"#",
    b"_",
    b"-",
    b"/",
    b"\\",
    b":",
    b"%x[",
    b"]",
)
SAFETENSORS_LENGTH = 8
NETSTRING = re.compile(rb"(\d+):([^\n]*),\n")
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def any_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change, drop, repeat or insert some bytes of any format."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, size = rng.randrange(len(made) + 1), rng.choice((1, 2, 4, 16, 64))
        match rng.randrange(5):
            case 0 if made:
                made[at % len(made)] = rng.choice(
                    (0, 9, 10, 32, 0x22, 0x2D, 0x7F, 0x80, 0xFF, rng.randrange(256))
                )
            case 1:
                del made[at : at + size]
            case 2:
                made[at:at] = made[at : at + size]
            case 3:
                other = rng.randrange(len(made) + 1)
                made[at : at + size] = made[other : other + size]
            case _:
                made[at:at] = rng.choice(WORDS)
    return bytes(made)


def lines(data: bytes, rng: random.Random) -> bytes:
    """Move lines and cells, and change numbers."""
    found = data.split(b"\n")
    at, other = rng.randrange(len(found)), rng.randrange(len(found))
    match rng.randrange(7):
        case 0:
            found[at] = found[other]
        case 1:
            found.insert(at, found[other])
        case 2:
            del found[at]
        case 3:
            found[at], found[other] = found[other], found[at]
        case 4:
            cells = found[at].split(b"\t")
            cells[rng.randrange(len(cells))] = rng.choice((b"", *WORDS, *found[other].split(b"\t")))
            found[at] = b"\t".join(cells)
        case 5:
            numbers = list(NUMBER.finditer(found[at]))
            if numbers:
                one = rng.choice(numbers)
                new = rng.choice((*WORDS[:7], str(int(float(one[0])) + rng.choice((-1, 1))).encode()))
                found[at] = found[at][: one.start()] + new + found[at][one.end() :]
        case _:
            return any_bytes(data, rng)
    return b"\n".join(found)


def netstrings(data: bytes, rng: random.Random) -> bytes:
    """Change a file of Wapiti; the lengths of its strings are right again, mostly."""
    made = lines(data, rng)
    if rng.random() < 0.3:
        return made
    return NETSTRING.sub(lambda one: b"%d:%s,\n" % (len(one[2]), one[2]), made)


def words(data: bytes, rng: random.Random) -> bytes:
    """Change numbers of four bytes: sizes, offsets, and references to what stands elsewhere."""
    if len(data) < 8:
        return any_bytes(data, rng)
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = 4 * rng.randrange(min(len(data), rng.choice((64, len(data)))) // 4)
        old = int.from_bytes(data[at : at + 4], "little")
        other = int.from_bytes(data[(there := 4 * rng.randrange(len(data) // 4)) : there + 4], "little")
        new = rng.choice(
            (*NUMBERS, old + 1, old - 1, old ^ 1 << rng.randrange(32), other, len(data), len(data) - 4)
        )
        made[at : at + 4] = (new % 2**32).to_bytes(4, "little")
    return bytes(made)


def json_values(data: bytes, rng: random.Random) -> bytes:
    """Replace a value of a JSON object, as deep inside as it stands; the rest of the file stays."""
    found = data.split(b"\n")
    at = rng.randrange(len(found))
    try:
        value = json.loads(found[at])
    except (ValueError, RecursionError):
        return any_bytes(data, rng)
    place = rng.choice(list(places(value)))
    inner: Any = rng.choice((*VALUES, value))
    found[at] = json.dumps(replaced(value, place, inner)).encode()
    return b"\n".join(found)


def model_file(data: bytes, rng: random.Random) -> bytes:
    """Change a model file of ours: a setting, a tensor, what the header says of it, sizes that agree again."""
    begin = SAFETENSORS_LENGTH + int.from_bytes(data[:SAFETENSORS_LENGTH], "little")
    try:
        header = json.loads(data[SAFETENSORS_LENGTH:begin])
        sound = {"settings", "record"} <= header["__metadata__"].keys()
        return altered(data, rng) if sound else any_bytes(data, rng)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError):
        return any_bytes(data, rng)


def chosen(*mutators: Mutator) -> Mutator:
    """Mutate by one of these."""
    return lambda data, rng: rng.choice(mutators)(data, rng)


def grown(seeds: Sequence[bytes], mutate: Callable[[bytes, int], bytes] | None, rng: random.Random) -> bytes:
    """Make an input of a seed without libFuzzer: some changes, one after the other."""
    made = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 2, 3))):
        own = mutate is not None and rng.random() < 0.5
        made = mutate(made, rng.getrandbits(32)) if own and mutate else any_bytes(made, rng)
    return made
