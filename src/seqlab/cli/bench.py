"""`seqlab bench`: speed of training and tagging on this machine."""

from __future__ import annotations

import argparse
import io
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import seqlab
from seqlab.cli import parsing
from seqlab.cli.parsing import option, whole
from seqlab.cli.reading.corpora import load_tagger, named_for, read_corpora
from seqlab.cli.terminal import duration, print_json

USAGE = "[MODEL FILE ...]"
DESCRIPTION = """\
Measure on this machine: reading, training and tagging. Without arguments on the corpus that
comes with seqlab; with a model and a file, how fast that model loads and tags that file.
The median of several runs is shown, with the best and the worst; close other programs first."""

EXAMPLES = """\
seqlab bench
seqlab bench chunks.model test.txt --threads 2 --repeat 5
seqlab bench --json"""

OPTIONS = (
    option("model MODEL", parsing.MODEL_FILE, nargs="?", reads=True),
    option("files FILE", "what to tag", nargs="*", default=[], reads=True),
    option("--repeat N", "runs of each (default: 3)", whole(1), default=3),
    *parsing.ENDING,
)


def run(arguments: argparse.Namespace) -> None:
    """Measure, and print results as they come."""
    from seqlab.arrays import thread_count

    if arguments.model is not None:
        if not arguments.files:
            arguments.parser.error("a model needs a file to tag behind it")
        load_tagger(arguments.model)  # a file that is not a tagger is rejected before anything is printed
    threads, machine = thread_count(arguments.threads), _machine()
    if not arguments.json:
        print(f"{machine}\nmedian of {arguments.repeat}, with the best and the worst\n", flush=True)
    bench = _Bench(arguments.repeat, quiet=arguments.json)
    if arguments.model is None:
        _own_corpus(bench, threads)
    else:
        _model_on_files(bench, arguments, threads)
    if arguments.json:
        print_json({"machine": machine, "threads": threads, "results": bench.results})


class _Bench:
    """Timer of functions, several times each."""

    def __init__(self, repeat: int, *, quiet: bool) -> None:
        self.results: list[dict[str, Any]] = []
        self._repeat, self._quiet = repeat, quiet

    def __call__(self, what: str, work: Callable[[], Any], tokens: int | None = None) -> Any:
        """Time `work`; with `tokens`, as tokens a second."""
        seconds, answer = [], None
        for _ in range(self._repeat):
            began = time.perf_counter()
            answer = work()
            seconds.append(time.perf_counter() - began)
        seconds.sort()
        middle = seconds[len(seconds) // 2]
        spread, rate = f"({duration(seconds[0])} to {duration(seconds[-1])})", ""
        found = {"what": what, "seconds": seconds, "median": middle}
        if tokens is not None:
            found |= {"tokens": tokens, "tokens_per_second": tokens / middle}
            rate = f"{tokens / middle:>14,.0f} tokens/s"
        self.results.append(found)
        if not self._quiet:
            print(f"{what:<34}{duration(middle):>9} {spread:<22}{rate}".rstrip(), flush=True)
        return answer

    def tag(self, what: str, tagger: Any, corpus: seqlab.Corpus, threads: int) -> None:
        """Time tagging with one thread, and with all of them."""
        tagger.annotate(corpus[:1], threads=1)  # warm up
        for used in sorted({1, threads}):
            said = f"{what}, {used} thread{'s' * (used > 1)}"
            self(said, partial(tagger.annotate, corpus, threads=used), corpus.token_count)


def _machine() -> str:
    import numpy as np

    from seqlab import __version__, inference

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    said = f"seqlab {__version__}, Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{said}, {platform.machine()}, {cores} cores, kernel {inference.kernel()}"


def _own_corpus(bench: _Bench, threads: int) -> None:
    """Measure reading, training and tagging of the demo corpus."""
    from seqlab import demo_corpus, read, write
    from seqlab.tuning.comparison import usual_model

    train, file = demo_corpus("train"), io.BytesIO()
    write(train, file, "conll")
    tokens, columns = train.token_count, train.columns
    bench("read", lambda: read(io.BytesIO(file.getvalue()), "conll", columns=columns), tokens)
    bench("write", lambda: write(train, io.BytesIO(), "conll"), tokens)
    for name in ("baseline", "perceptron", "memm", "crf"):
        model = usual_model(name, "chunk", seed=0, threads=threads)
        tagger = bench(f"train {name}", partial(model.fit, train, "chunk"))
        bench.tag(f"tag {name}", tagger, train, threads)


def _model_on_files(bench: _Bench, arguments: argparse.Namespace, threads: int) -> None:
    tagger = bench("load the model", lambda: load_tagger(arguments.model))
    reading = parsing.reading_of(arguments)
    count = read_corpora(arguments.files, reading).token_count
    read = bench("read", lambda: read_corpora(arguments.files, reading), count)
    corpus = named_for(read, tagger, arguments.columns)
    bench("first sentence", lambda: load_tagger(arguments.model).annotate(corpus[:1], threads=1))
    bench.tag("tag", tagger, corpus, threads)
