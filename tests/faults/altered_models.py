"""Loads thousands of altered model files and asks those that load; a process of its own, which a fault would end.

python tests/faults/altered_models.py KIND COUNT SEED

Prints {"loaded": ..., "refused": ..., "answered": ...} as JSON; ends with 1 at an error that is not ours.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import seqlab
from seqlab import text
from seqlab.errors import SeqlabError, StoreError
from seqlab.families import CLASSES
from seqlab.families.rerank.learners import ListPerceptron
from seqlab.store import codec

MEMORY = 3 << 30  # bytes of address space: a file of some thousand bytes must not ask for more

WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"], ["é"]]
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"], ["O"]]
BAGS = [[[f"w={word}", "bias"] for word in sentence] for sentence in WORDS]
NUMBERS = [[0.5, 1.0], [-1.0, 2.0], [3.0, 0.0], [0.0, 0.0]]
NEW = ["the", "Nile", "old", "🙂"]
EDGES = "word[0]\nsuffix(word[0], 1)\nedge: word[0]\nboth: word[-1] & word[0]"
QUICK = seqlab.LBFGS(max_iterations=3)

RECIPES: dict[str, Any] = {
    "crf": lambda: seqlab.CRF(EDGES, QUICK, constraints="IOB2", allowed={"the": ["B-N"]}).fit(WORDS, TAGS),
    "crf of order 2": lambda: seqlab.CRF(EDGES, QUICK, order=2).fit(WORDS, TAGS),
    "crf in int8": lambda: (
        seqlab.CRF("word[0]", QUICK).fit(WORDS, TAGS).prune(storage="int8", dev=(WORDS, TAGS))
    ),
    "crf of bags": lambda: seqlab.CRF(None, QUICK).fit(BAGS, TAGS),
    "crf, folded": lambda: seqlab.CRF("word[0]\nsuffix(word[0], 1)\nword[-1] & word[0]", QUICK).fit(
        WORDS, TAGS
    ),
    "linear tagger": lambda: seqlab.LinearTagger("word[0]\nword[1]", seqlab.Perceptron()).fit(WORDS, TAGS),
    "local tagger": lambda: seqlab.LocalTagger(
        LogisticRegression(), EDGES, previous=True, constraints="IOB2", allowed={"the": ["B-N"]}
    ).fit(WORDS, TAGS),
    "local tagger of margins": lambda: seqlab.LocalTagger(
        LinearSVC(), "word[0]\nword[-1]", decode="greedy"
    ).fit(WORDS, TAGS),
    "local tagger, one by one": lambda: seqlab.LocalTagger(
        OneVsRestClassifier(MultinomialNB()), "word[0]"
    ).fit(WORDS, TAGS),
    "reranker": lambda: seqlab.Reranker(seqlab.CRF(EDGES, QUICK), folds=2, n=4).fit(WORDS, TAGS),
    "reranker of a reranker": lambda: seqlab.Reranker(
        seqlab.Reranker(seqlab.MostFrequentTag(), folds=2, learner=ListPerceptron()), folds=2
    ).fit(WORDS, TAGS),
    "memm": lambda: seqlab.MEMM("word[0]\nedge: word[0]", QUICK).fit(WORDS, TAGS),
    "rule tokeniser": text.RuleTokeniser,
    "trained tokeniser": lambda: text.TrainedTokeniser.train([text.detokenise(WORDS)]),
    "pipeline": lambda: text.Pipeline(None, seqlab.CRF("word[0]", QUICK).fit(WORDS, TAGS)),
}
TEXT = "The old man sleeps. Don't wake him!\n\nShe goes at 3.50 p.m., 😀 you know"


def recipes() -> dict[str, Any]:
    """One for every kind that saves; a kind that is not written above is made as its users make it."""
    made = dict(RECIPES)
    for kind, name in CLASSES.items():
        if kind not in made:
            made[kind] = lambda owner=name: _fitted(getattr(seqlab, owner))
    return made


def _fitted(owner: Any) -> Any:
    for data in ((WORDS, TAGS), (WORDS,), (NUMBERS,)):
        with suppress(TypeError, SeqlabError):
            return owner().fit(*data)
    raise TypeError(f"what does {owner.__name__} learn from? Write a recipe for it in {__file__}")


# ------------------------------------------------------------------------------------------------ altering


def altered(content: bytes, rng: random.Random) -> bytes:
    """The file with something wrong in it."""
    ways = [_bytes, _bytes, _cut, _word]
    if _data(content) < len(content):  # it has arrays
        ways += [_numbers, _numbers, _numbers, _entry, _swap, _size]
    return rng.choice(ways)(content, rng)


def _data(content: bytes) -> int:
    return 8 + int.from_bytes(content[:8], "little")


def _bytes(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    ranges = [(0, len(content)), (8, _data(content)), (_data(content), len(content))]
    low, high = rng.choice([(low, high) for low, high in ranges if low < high])
    for _ in range(rng.choice([1, 1, 2, 5])):
        changed[rng.randrange(low, high)] = rng.choice(
            [0, 1, 0x22, 0x2D, 0x7F, 0x80, 0xFF, rng.randrange(256)]
        )
    return bytes(changed)


def _numbers(content: bytes, rng: random.Random) -> bytes:
    """A number of a tensor becomes another one, which may be far out."""
    header = json.loads(content[8 : _data(content)])
    name = rng.choice([name for name, entry in header.items() if name != "__metadata__" and entry["shape"]])
    begin, end = header[name]["data_offsets"]
    size = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "I16": 2}.get(
        header[name]["dtype"], 1
    )
    if begin == end:
        return content
    at = _data(content) + begin + size * rng.randrange((end - begin) // size)
    value = rng.choice(
        [-1, 0, 1, 2, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), (end - begin) // size, rng.getrandbits(63)]
    )
    return content[:at] + (value % 2 ** (8 * size)).to_bytes(size, "little") + content[at + size :]


def _entry(content: bytes, rng: random.Random) -> bytes:
    """What the header says of a tensor is wrong, though its bytes may still fit."""
    header = json.loads(content[8 : _data(content)])
    name = rng.choice([name for name in header if name != "__metadata__"])
    entry = header[name]
    match rng.randrange(5):
        case 0:
            entry["dtype"] = rng.choice(["F64", "I64", "F32", "I32", "U8", "I8", "BOOL", "F16", "BF16", "x"])
        case 1:
            entry["shape"] = rng.choice(
                [[], [0], entry["shape"][::-1], [1, *entry["shape"]], [2**31, 2**31], [-1]]
            )
        case 2:
            entry["data_offsets"] = rng.choice([[0, 0], entry["data_offsets"][::-1], [0, 2**62], [1.5, 2]])
        case 3:
            header[name + "x"] = header.pop(name)
        case _:
            other = rng.choice([other for other in header if other != "__metadata__"])
            header[name], header[other] = header[other], header[name]
    return _joined(header, content)


def _word(content: bytes, rng: random.Random) -> bytes:
    """A setting becomes another value, as deep inside as it stands."""
    header = json.loads(content[8 : _data(content)])
    part = rng.choice(["settings", "settings", "record"])
    told = json.loads(header["__metadata__"][part])
    place = rng.choice(list(places(told)))
    value = rng.choice([None, -1, 0, 1, 2**40, 1e308, "", "x", True, [], {}, ["x", 1], [[[[]]]], {"x": {}}])
    header["__metadata__"][part] = json.dumps(replaced(told, place, value))
    return _joined(header, content)


def _swap(content: bytes, rng: random.Random) -> bytes:
    """Two stretches of the data change places."""
    data = _data(content)
    size = rng.choice([1, 4, 8, 16])
    first, second = sorted(rng.randrange(data, len(content) - size) for _ in range(2))
    if second - first < size:
        return _bytes(content, rng)
    changed = bytearray(content)
    changed[first : first + size], changed[second : second + size] = (
        content[second : second + size],
        content[first : first + size],
    )
    return bytes(changed)


def _size(content: bytes, rng: random.Random) -> bytes:
    """A tensor gets another size; header and offsets agree with it, so that only what it means is wrong."""
    header = json.loads(content[8 : _data(content)])
    metadata, data = header.pop("__metadata__"), content[_data(content) :]
    tensors = sorted(header.items(), key=lambda one: one[1]["data_offsets"])
    chosen, made, parts = rng.randrange(len(tensors)), {"__metadata__": metadata}, []
    begin = 0
    for number, (name, entry) in enumerate(tensors):
        first, last = entry["data_offsets"]
        part, shape = data[first:last], list(entry["shape"])
        if number == chosen and shape and 0 < shape[0] <= len(part):
            row = len(part) // shape[0]
            shape[0] = rng.choice([0, 1, shape[0] - 1, shape[0] + 1, 2 * shape[0]])
            part = (part + part[-row:] * shape[0])[: row * shape[0]]
        made[name] = {"dtype": entry["dtype"], "shape": shape, "data_offsets": [begin, begin + len(part)]}
        begin += len(part)
        parts.append(part)
    text = json.dumps(made).encode()
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def _cut(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    return rng.choice(
        [content[:at], content + content[:at], content[:at] + content[at + rng.randint(1, 64) :]]
    )


def _joined(header: dict[str, Any], content: bytes) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content[_data(content) :]


def places(value: Any, place: tuple[Any, ...] = ()) -> Any:
    """Yield the place of every value inside a JSON value, as keys from the outside in."""
    yield place
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from places(inner, (*place, key))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """Return the JSON value with another one at a place."""
    if not place:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replaced(value[place[0]], place[1:], new)
    return copy


# ------------------------------------------------------------------------------------------------ asking


def answered(model: Any, *, bags: bool, all_of_it: bool) -> bool:
    """Ask for labels, or for everything; an error must be ours. True when one of the first two has an answer."""
    told = [_told(question) for question in _questions(model, bags=bags)[: None if all_of_it else 2]]
    return any(told[:2])


def _questions(model: Any, *, bags: bool) -> list[Any]:
    tokens = [[f"w={word}", "bias"] for word in NEW] if bags else NEW
    if callable(model):  # tokenisers and pipelines, for text
        return [lambda: model(TEXT), lambda: model(""), lambda: repr(model)]
    if hasattr(type(model), "tag"):
        asked = [
            lambda: model.tag(tokens),
            lambda: model.predict([tokens, tokens[:1], []]),
            lambda: model.posterior(tokens).entropy if hasattr(type(model), "posterior") else None,
            lambda: model.nbest(tokens, n=3)[0].labels,
            lambda: str(model.explain(tokens, 1)) if hasattr(type(model), "explain") else None,
        ]
    else:
        calls = [("score", WORDS), ("score", NUMBERS), ("predict", NUMBERS), ("log_prob", tokens)]
        calls += [("next", ["the"]), ("sample", 3), ("perplexity", WORDS)]
        asked = [
            lambda name=name, given=given: getattr(model, name)(given)
            for name, given in calls
            if hasattr(type(model), name)
        ]
    return [*asked, lambda: len(model.as_bytes()), lambda: repr(model)]


def _told(question: Any) -> bool:
    try:
        question()
    except SeqlabError:
        return False
    return True


def stored(model: Any) -> bytes:
    """Return the file of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return path.read_bytes()


def main(kind: str, count: int, seed: int) -> None:
    """Alter and ask `count` times."""
    if "folded" in kind:
        codec.SMALL = -1  # as if it were a large file, which is looked into before it is checked
    content = stored(recipes()[kind]())
    rng = random.Random(f"{kind} {seed}")
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # which takes terabytes of addresses for itself
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    told: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for _ in range(count):
            wrong = altered(content, rng)
            path.write_bytes(wrong)
            try:
                tagger = seqlab.load(path)
            except StoreError:
                told["refused"] += 1
                continue
            told["loaded"] += 1
            told["answered"] += answered(
                tagger, bags=kind == "crf of bags", all_of_it=told["loaded"] % 3 == 0
            )
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
