"""Change a model file in place while a loaded tagger uses it; run in a separate process, which may crash.

python tests/faults/altered_in_place.py FEATURES ROUNDS SEED
python tests/faults/altered_in_place.py --stored ROUNDS SEED

The first trains a tagger and predicts; it prints the number of labels. The second calls all methods of every stored
model of tests/formats/models; it prints the number of answers. Both exit with 1 if a label is not one of the model's,
or at an error that is not ours.
"""

from __future__ import annotations

import json
import mmap
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import seqlab
from seqlab.errors import SeqlabError
from seqlab.store import codec, reading

EXTREMES = (-1, 0, 1, 2, 255, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63), 0x7FC00000, 0x7F800000)
SIZES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4}
TRAIN, TEST = seqlab.demo_corpus("train")[:80], seqlab.demo_corpus("test")[:30]
LEARNER = seqlab.LBFGS(max_iterations=3)


def fitted(features: str) -> tuple[Any, list[Any]]:
    """A tagger, and sentences for it."""
    if features != "attributes":
        return seqlab.CRF(features, LEARNER).fit(TRAIN, "chunk"), TEST
    bags = [
        [[[f"w={w}", f"p={p}", "bias"] for w, p in zip(s["word"], s["pos"], strict=True)] for s in c]
        for c in (TRAIN, TEST)
    ]
    return seqlab.CRF(None, LEARNER).fit(bags[0], TRAIN.column("chunk")), bags[1]


def alter(content: mmap.mmap, header: dict[str, Any], data: int, rng: random.Random) -> None:
    """Write numbers that may be far out into some tensor, bytes into others."""
    name = rng.choice(sorted(header))
    begin, end = header[name]["data_offsets"]
    size = SIZES.get(header[name]["dtype"], 1)
    for _ in range(rng.choice([1, 10, 100, 1000]) if end > begin else 0):
        at = data + begin + size * rng.randrange((end - begin) // size)
        number = rng.choice([*EXTREMES, rng.getrandbits(63), rng.randrange(300)])
        content[at : at + size] = (number % 2 ** (8 * size)).to_bytes(size, "little")


def tensors(content: mmap.mmap) -> tuple[dict[str, Any], int]:
    """The header without the metadata, and where the data begin."""
    data = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:data])
    del header["__metadata__"]
    return header, data


def stored(rounds: int, seed: int) -> None:
    """Alter stored models of every kind, and call all their methods."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from formats.model_answers import _questions
    from formats.recipes.data import ASKED, FUNCTIONS

    warnings.simplefilter("ignore")
    folder = Path(__file__).parents[1] / "formats" / "models"
    told = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    rng, given = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "model"
        for name in sorted(told) * rounds:
            path.write_bytes((folder / f"{name}.safetensors").read_bytes())
            model = seqlab.load(path, functions=FUNCTIONS)
            questions = [
                one for what, one in _questions(model, *ASKED[told[name]["asked"]]) if what != "learned on"
            ]
            with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
                header, data = tensors(content)
                for _ in range(2):
                    alter(content, header, data, rng)
                    for question in rng.sample(questions, min(len(questions), 6)):
                        try:
                            question()
                        except (SeqlabError, AttributeError):  # a method that this model does not support
                            continue
                        given += 1
    sys.stdout.write(str(given))


def main(features: str, rounds: int, seed: int) -> None:
    """Alter and ask."""
    tagger, sentences = fitted(features)
    rng, given = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for _ in range(rounds):
            tagger.save(path)
            loaded = seqlab.load(path)
            with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
                header, data = tensors(content)
                for _ in range(12):
                    alter(content, header, data, rng)
                    try:
                        labels = loaded.predict(sentences, threads=2)
                    except SeqlabError:
                        continue
                    given += sum(map(len, labels))
                    assert {y for some in labels for y in some} <= set(tagger.labels_)
            assert not loaded.fit_.model.made
    sys.stdout.write(str(given))


if __name__ == "__main__":
    codec.SMALL = (
        reading.MAPPED
    ) = -1  # as if it were a large file, which is mapped, and not checked before it is used
    times, chance = map(int, sys.argv[2:])
    if sys.argv[1] == "--stored":
        stored(times, chance)
    else:
        main(sys.argv[1], times, chance)
