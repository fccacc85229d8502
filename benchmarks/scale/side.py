"""One training in a process of its own: `python -m benchmarks.scale.side`; prints its time and peak memory as JSON."""

from __future__ import annotations

import itertools
import json
import resource
import sys
import time
import warnings
from hashlib import sha256

import seqlab
from benchmarks.scale.corpora import COLUMNS, sentences


def main(path: str, learner: str, max_memory: str, cache: str, min_count: str) -> None:
    """Train a CRF with the chunk preset; without max_memory in memory.

    path      of a file, or "made:TOKENS:SEED:RARITY" for sentences that are made while they are read
    learner   options of LBFGS, as JSON
    """
    warnings.simplefilter("ignore")
    crf = seqlab.CRF("chunk", seqlab.LBFGS(**json.loads(learner)), min_count=int(min_count))
    began, cpu = time.perf_counter(), time.process_time()
    if path.startswith("made:"):
        tokens, seed, rarity = path.split(":")[1:]
        words, chunks = itertools.tee(sentences(int(tokens), seed=int(seed), rarity=float(rarity)))
        crf.fit((x for x, _ in words), (y for _, y in chunks), max_memory=max_memory, cache=cache)
    elif max_memory:
        stream = seqlab.stream_corpus(path, columns=COLUMNS)
        crf.fit(stream, "chunk", max_memory=max_memory, cache=cache)
    else:
        crf.fit(seqlab.read(path, columns=COLUMNS), "chunk")
    told = {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "weights": int(crf.model_.size),
        "model": sha256(crf.model_.theta.tobytes()).hexdigest()[:16],
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
