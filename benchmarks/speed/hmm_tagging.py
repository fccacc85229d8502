"""The tagger that counts, beside NLTK's TnT, which has the same design: fit, and tagging from lists to lists.

Both get the same lists of words and labels, and their own defaults. The sentences that are tagged are those of the
development sets; nobody looks at what they are tagged with, which is the business of benchmarks.quality.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.speed import data, goals
from benchmarks.speed.figure import Figure, widest_spread
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table
from benchmarks.speed.timing import measure
from seqlab import HMM, read

CASE = "hmm-tagging"
PEER = "NLTK TnT"
GOAL = goals.Goal(15, 50)
FEWEST = 1_000_000  # tokens a second that tagging should reach
QUICK_SENTENCES = 100


@dataclass(frozen=True, slots=True)
class Text:
    """train and dev below the folder of corpora; column has the labels."""

    name: str
    train: str
    dev: str
    column: str
    columns: tuple[str, ...] | None = None


TEXTS = (
    Text("ptb-sample", "ptb-sample/train.txt", "ptb-sample/dev.txt", "pos", ("word", "pos")),
    Text("EWT XPOS", "ud-en-ewt/train.conllu", "ud-en-ewt/dev.conllu", "xpos"),
)


def run(*, quick: bool = False) -> list[Figure]:
    figures = []
    for text in TEXTS:
        if data.found(text.train) is None or data.found(text.dev) is None:
            print(data.absent(f"{CASE}, {text.name}"))
            continue
        figures += measured(text, quick=quick)
    return figures


def measured(text: Text, *, quick: bool) -> list[Figure]:
    train, dev = (
        corpus_of(text, name)[: QUICK_SENTENCES if quick else None] for name in (text.train, text.dev)
    )
    X, y, new = train.column("word"), train.column(text.column), dev.column("word")
    ours, theirs = HMM(threads=1).fit(X, y), trained(X, y)
    tokens = dev.token_count
    both: dict[str, Callable[[], object]] = {
        PEER: lambda: trained(X, y).tagdata(new),
        "seqlab": lambda: HMM(threads=1).fit(X, y).predict(new, threads=1),
    }
    tagging: dict[str, Callable[[], object]] = {
        PEER: lambda: theirs.tagdata(new),
        "seqlab": lambda: ours.predict(new, threads=1),
    }
    input_hash = hash_of(train.strings("word").codes, dev.strings("word").codes)
    seconds = 0.2 if quick else 2.0
    return [
        figure(f"fit + tag, {text.name}", "ms", both, input_hash, 1e3, tokens, seconds),
        figure(f"tag, {text.name}", "ns/token", tagging, input_hash, 1e9 / tokens, tokens, seconds),
    ]


def corpus_of(text: Text, name: str) -> Any:
    path = data.found(name)
    return read(path, columns=None if text.columns is None else list(text.columns))


def trained(X: list[list[str]], y: list[list[str]]) -> Any:
    """NLTK's tagger, which takes pairs; making them is not what is measured, but it is a small part."""
    from nltk.tag.tnt import TnT

    tagger = TnT()
    tagger.train([list(zip(words, labels, strict=True)) for words, labels in zip(X, y, strict=True)])
    return tagger


def figure(
    name: str,
    unit: str,
    calls: dict[str, Callable[[], object]],
    input_hash: str,
    scale: float,
    tokens: int,
    seconds: float,
) -> Figure:
    timings = measure(calls, seconds=seconds)
    return goals.figure(
        CASE,
        name,
        unit,
        timings["seqlab"],
        (PEER, timings[PEER]),
        GOAL,
        input_hash,
        scale=scale,
        details={"tokens": tokens, "tokens_a_second": tokens / timings["seqlab"].median},
    )


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    return [goals.table("HMM tagging beside NLTK's TnT", mine, note(mine))] if mine else []


def note(figures: Sequence[Figure]) -> str:
    rates = [one.details["tokens_a_second"] for one in figures if one.unit == "ns/token"]
    reached = "" if min(rates, default=0) >= FEWEST else f"; {FEWEST / 1e6:.0f} million are wanted"
    said = ", ".join(f"{rate / 1e6:.1f}" for rate in rates)
    return (
        f"Lists in, lists out, one thread. We tag {said} million tokens a second{reached}. "
        f"A star marks a ratio below 'at least'. Spread up to {widest_spread(figures)}."
    )
