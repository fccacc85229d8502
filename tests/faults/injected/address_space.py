"""Trains, loads and tags under limits of memory that are stepped up; a process of its own.

python tests/faults/injected/address_space.py [--all]

Every work is done in children whose address space may grow by a little, then more, until it succeeds. Each must end
as usual, or with MemoryError or an error of ours. Prints {"work": [failures, successes]} as JSON, and ends with 1 after
a list of what was wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from seqlab import inference, text
from seqlab.errors import SeqlabError
from seqlab.trellis import Trellis

# Freed memory goes back to the system at once, so that the next work needs new memory.
MALLOC = {"MALLOC_MMAP_THRESHOLD_": "16384", "MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_ARENA_MAX": "1"}
PAGE = resource.getpagesize()
DONE, REFUSED, WRONG = 0, 3, 4


@contextlib.contextmanager
def works() -> Iterator[dict[str, Callable[[], Any]]]:
    """Works that need some megabytes each."""
    warnings.simplefilter("ignore")
    train = seqlab.demo_corpus("train")[:200]
    words = train.column("word")
    few = seqlab.LBFGS(max_iterations=2)
    tagger = seqlab.CRF("chunk", few).fit(train, "chunk")
    hmm = seqlab.HMM().fit(train, "pos")
    rng = np.random.default_rng(0)
    long = Trellis(rng.normal(size=(20_000, 40)), rng.normal(size=(40, 40)))
    raw = "The old man sleeps. Don't wake him! She goes at 3.50 p.m., you know.\n" * 3000
    with tempfile.TemporaryDirectory() as name:
        model, corpus = Path(name, "m.model"), Path(name, "c.txt")
        tagger.save(model)
        seqlab.write(seqlab.Corpus.from_lists(word=[*words] * 20, label=[*train.column("pos")] * 20), corpus)
        yield {
            "train a crf": lambda: seqlab.CRF("chunk", few, threads=2).fit(train, "chunk"),
            "train a perceptron": lambda: seqlab.LinearTagger(
                "chunk", seqlab.Perceptron(epochs=1), threads=2
            ).fit(train, "chunk"),
            "train by em": lambda: seqlab.HMM(
                n_states=40, learner=seqlab.BaumWelch(max_iterations=1), threads=2
            ).fit(words),
            "train by counts": lambda: seqlab.HMM().fit(train, "pos"),
            "train a chain": lambda: seqlab.MarkovChain(order=2).fit(words),
            "load": lambda: seqlab.load(model).predict(train[:2]),
            "load a copy": lambda: seqlab.load(model, map=False).predict(train[:2]),
            "tag": lambda: tagger.annotate(train, threads=2),
            "tag by an hmm": lambda: hmm.predict([*words] * 10, threads=2),
            "read": lambda: seqlab.read(corpus),
            "tokenise": lambda: text.RuleTokeniser()(raw),
            "posterior": lambda: inference.posterior(long),
            "viterbi": lambda: inference.viterbi([long] * 4, threads=2),
            "best paths": lambda: inference.nbest(long, 20),
        }


def size() -> int:
    """Bytes of address space of this process."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * PAGE


def tried(work: Callable[[], Any], room: int) -> tuple[int, str]:
    """Do a work in a child with so much room; how it ended, and the error if it was a wrong one."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code, told = DONE, ""
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size() + room, hard))
        try:
            work()
        except (MemoryError, SeqlabError):
            code = REFUSED
        except BaseException:  # noqa: BLE001  it is reported
            code = WRONG
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
            told = traceback.format_exc()
        os.write(writer, told[-3000:].encode())
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status), told


def main(*options: str) -> int:
    if not MALLOC.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **MALLOC})
    growth = 1.1 if "--all" in options else 1.6
    counts, wrong = {}, []
    with works() as chosen:
        for name, work in chosen.items():
            work()  # what it imports is there
            ends: list[int] = []
            room = 0
            while ends.count(DONE) < 2:
                code, told = tried(work, room)
                if code not in (DONE, REFUSED):
                    wrong.append(f"{name} with {room >> 10} KB: ended with {code} {told}")
                ends.append(code)
                room = int(room * growth) + (16 << 10)
                if room > 4 << 30:
                    wrong.append(f"{name} never succeeds")
                    break
            counts[name] = [len(ends) - ends.count(DONE), ends.count(DONE)]
    print(json.dumps(counts))
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
