"""`seqlab bench`: how fast training and tagging are on this machine."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from seqlab.cli import options as shared
from seqlab.cli.parsing import add, fail, whole

if TYPE_CHECKING:
    from seqlab.corpus import Corpus

USAGE = "[MODEL FILE ...]"
DESCRIPTION = """\
Measure on this machine: reading, training and tagging. Without arguments on the corpus that
comes with seqlab; with a model and a file, how fast that model loads and tags that file.
The median of several runs is shown, with the best and the worst; close other programs first."""

EXAMPLES = """\
seqlab bench
seqlab bench chunks.model test.txt --threads 2 --repeat 5
seqlab bench --json"""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "model MODEL", shared.MODEL_FILE, nargs="?")
    add(parser, "files FILE", "what to tag", nargs="*", default=[])
    add(parser, "--repeat N", "runs of each (default: 3)", whole(1), default=3)
    shared.json(parser)
    shared.threads(parser)
    shared.reading(parser)


def run(arguments: argparse.Namespace) -> None:
    """Measure, and print as it comes."""
    from seqlab.cli.models import load_tagger
    from seqlab.cli.terminal.printing import print_json
    from seqlab.threads import thread_count

    if arguments.model is not None and not arguments.files:
        fail("bench", "a model needs a file to tag behind it")
    if arguments.model is not None:
        load_tagger(arguments.model)  # what is no tagger is refused before anything is printed
    threads = thread_count(arguments.threads)
    bench = _Bench(arguments.repeat, quiet=arguments.json)
    if arguments.model is None:
        _own_corpus(bench, threads)
    else:
        _model_on_files(bench, arguments, threads)
    if arguments.json:
        print_json({"machine": _machine(), "threads": threads, "results": bench.results})


class _Bench:
    """Times things, several times each."""

    def __init__(self, repeat: int, *, quiet: bool) -> None:
        self.results: list[dict[str, Any]] = []
        self._repeat, self._quiet = repeat, quiet
        if not quiet:
            print(f"{_machine()}\nmedian of {repeat}, with the best and the worst\n", flush=True)

    def __call__(self, what: str, work: Callable[[], Any], tokens: int | None = None) -> Any:
        """Time `work`; with `tokens`, as tokens a second."""
        seconds, answer = [], None
        for _ in range(self._repeat):
            began = time.perf_counter()
            answer = work()
            seconds.append(time.perf_counter() - began)
        seconds.sort()
        middle = seconds[len(seconds) // 2]
        found = {"what": what, "seconds": seconds, "median": middle}
        if tokens is not None:
            found |= {"tokens": tokens, "tokens_per_second": tokens / middle}
        self.results.append(found)
        if not self._quiet:
            print(_line(what, seconds, middle, tokens), flush=True)
        return answer


def _line(what: str, seconds: list[float], middle: float, tokens: int | None) -> str:
    from seqlab.cli.terminal.printing import duration

    spread = f"({duration(seconds[0])} to {duration(seconds[-1])})"
    rate = "" if tokens is None else f"{tokens / middle:>14,.0f} tokens/s"
    return f"{what:<34}{duration(middle):>9} {spread:<22}{rate}".rstrip()


def _machine() -> str:
    import os
    import platform

    import numpy as np

    from seqlab import __version__, inference

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    said = f"seqlab {__version__}, Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{said}, {platform.machine()}, {cores} cores, kernel {inference.kernel()}"


def _own_corpus(bench: _Bench, threads: int) -> None:
    """Measure reading, training and tagging of the demo corpus."""
    import io

    from seqlab import demo_corpus, read, write

    train, file = demo_corpus("train"), io.BytesIO()
    write(train, file, "conll")
    tokens, columns = train.token_count, train.columns
    bench("read", lambda: read(io.BytesIO(file.getvalue()), "conll", columns=columns), tokens)
    bench("write", lambda: write(train, io.BytesIO(), "conll"), tokens)
    for name in ("baseline", "perceptron", "memm", "crf"):
        tagger = bench(f"train {name}", partial(_trained, name, train, threads))
        _tag(bench, f"tag {name}", tagger, train, threads)


def _trained(name: str, train: Corpus, threads: int) -> Any:
    from seqlab.tuning.comparison import usual_model

    return usual_model(name, "chunk", seed=0, threads=threads).fit(train, "chunk")


def _model_on_files(bench: _Bench, arguments: argparse.Namespace, threads: int) -> None:
    from seqlab.cli.corpora import named_for, read_corpora
    from seqlab.cli.models import load_tagger

    tagger = bench("load the model", lambda: load_tagger(arguments.model))
    reading = shared.reading_of(arguments)
    count = read_corpora(arguments.files, reading).token_count
    read: Corpus = bench("read", lambda: read_corpora(arguments.files, reading), count)
    corpus = named_for(read, tagger, given=arguments.columns is not None)
    bench("first sentence", lambda: load_tagger(arguments.model).annotate(corpus[:1], threads=1))
    _tag(bench, "tag", tagger, corpus, threads)


def _tag(bench: _Bench, what: str, tagger: Any, corpus: Corpus, threads: int) -> None:
    """Tag with one thread, and with all of them."""
    tagger.annotate(corpus[:1], threads=1)  # what is made when it is first used
    for used in sorted({1, threads}):
        said = f"{what}, {used} thread{'s' * (used > 1)}"
        bench(said, partial(tagger.annotate, corpus, threads=used), corpus.token_count)
