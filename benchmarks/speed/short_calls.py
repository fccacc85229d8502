"""One short sequence a call, as programs use python-crfsuite: `seqlab.compat.pycrfsuite` beside the original.

CRFsuite trains the models, and both sides open the same file. A row has one form of features: flat dicts with bools
and numbers, dicts in dicts, or lists of strings. Sequences have 3 to 20 tokens; those of one token, where a call costs
most beside its work, have rows of their own. `marginal` and `probability` are asked about a sequence that was tagged
before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed import crfsuite, data, goals
from benchmarks.speed.figure import Figure, widest_spread
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table
from benchmarks.speed.timing import measure
from seqlab import Corpus, read
from seqlab.compat.pycrfsuite import Tagger

CASE = "short-calls"
PEER = "python-crfsuite"
ITERATIONS = 15
TRAINED, ASKED = 2000, 100  # sentences
TAG = Goal(2, 5)
LONE = Goal(1, 2)
AFTER = Goal(1, 2)
Features = Callable[[list[str], int], Any]


def flat(words: list[str], t: int) -> dict[str, Any]:
    """A dict of strings, bools and numbers, as in the tutorials."""
    made: dict[str, Any] = {"bias": 1.0, "length": len(words[t])}
    for name, at in (("", t), ("-1:", t - 1), ("+1:", t + 1)):
        if 0 <= at < len(words):
            word = words[at]
            made[f"{name}lower"], made[f"{name}title"] = word.lower(), word.istitle()
            made[f"{name}upper"], made[f"{name}end"] = word.isupper(), word[-3:]
        else:
            made[f"{name}outside"] = True
    return made


def nested(words: list[str], t: int) -> dict[str, Any]:
    """Dicts in a dict, with a list and a set, as address and name parsers write them."""

    def one(word: str) -> dict[str, Any]:
        return {
            "word": word.lower(),
            "digits": sum(map(str.isdigit, word)) / len(word),
            "shape": {"title": word.istitle(), "upper": word.isupper(), "ends": [word[-2:], word[-3:]]},
            "letters": set(word[:2]),
        }

    made = one(words[t])
    made["before"] = one(words[t - 1]) if t else {"outside": True}
    made["after"] = one(words[t + 1]) if t + 1 < len(words) else {"outside": True}
    return made


def listed(words: list[str], t: int) -> list[str]:
    """A list of strings."""
    near = [f"{at}={words[t + at].lower()}" for at in (-2, -1, 0, 1, 2) if 0 <= t + at < len(words)]
    word = words[t]
    return ["bias", *near, *(f"end={word[-n:]}" for n in (1, 2, 3)), f"title={word.istitle()}"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A corpus with the column that is learned, and a form of features."""

    name: str
    file: str
    label: str
    features: Features
    columns: tuple[str, ...] = ()

    def corpus(self) -> Corpus | None:
        """None without the file."""
        path = data.found(self.file)
        return None if path is None else read(path, columns=self.columns or None)


SUBJECTS = (
    Subject("flat dicts, WNUT17 NER", "wnut17/train.txt", "ner", flat, ("word", "ner")),
    Subject("flat dicts, EWT UPOS", "ud-en-ewt/train.conllu", "upos", flat),
    Subject("nested dicts, CoNLL-2000 chunking", "conll2000/train.txt", "chunk", nested),
    Subject("lists of strings, EWT XPOS", "ud-en-ewt/train.conllu", "xpos", listed),
)


def run(*, quick: bool = False) -> list[Figure]:
    figures: list[Figure] = []
    for subject in SUBJECTS:
        corpus = subject.corpus()
        if corpus is None:
            print(data.absent(CASE))
            continue
        figures += measured(subject, corpus[: 150 if quick else TRAINED], quick=quick)
    return figures


def measured(subject: Subject, corpus: Corpus, *, quick: bool) -> list[Figure]:
    import pycrfsuite

    words = corpus.column("form" if "form" in corpus.columns else "word")
    labels = corpus.column(subject.label)
    X = [[subject.features(one, t) for t in range(len(one))] for one in words]
    short = [x for x in X if 3 <= len(x) <= 20][:ASKED]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        made, lines = crfsuite.trainer(zip(X, labels, strict=True), max_iterations=ITERATIONS)
        crfsuite.train(made, lines, path)
        peer, ours = pycrfsuite.Tagger(), Tagger()
        peer.open(str(path))
        ours.open(str(path))
        for x in short:
            if peer.tag(x) != ours.tag(x):
                raise AssertionError(f"{subject.name}: the labels of both sides differ")
        best = peer.tag(short[0])
        ours.tag(short[0])
        asked: dict[str, tuple[Goal, int, Callable[[Any], object]]] = {
            "tag": (TAG, len(short), lambda tagger: [tagger.tag(x) for x in short]),
            "tag one token": (LONE, len(short), lambda tagger: [tagger.tag(x[:1]) for x in short]),
            "set and marginal": (
                TAG,
                len(short),
                lambda tagger: [(tagger.set(x), tagger.marginal(best[0], 0)) for x in short],
            ),
            "marginal after tag": (
                AFTER,
                300,
                lambda tagger: [tagger.marginal(best[0], 0) for _ in range(300)],
            ),
            "probability after tag": (
                AFTER,
                300,
                lambda tagger: [tagger.probability(best) for _ in range(300)],
            ),
        }
        found = []
        for name, (goal, calls, ask) in asked.items():
            for tagger in (peer, ours):
                tagger.tag(short[0])
            timings = measure(
                {PEER: lambda ask=ask: ask(peer), "seqlab": lambda ask=ask: ask(ours)},
                seconds=0.05 if quick else 0.5,
            )
            found.append(
                figure(
                    CASE,
                    f"{name}, {subject.name}",
                    "us/call",
                    timings["seqlab"],
                    (PEER, timings[PEER]),
                    goal,
                    hash_of(corpus.offsets),
                    scale=1e6 / calls,
                    details={"tokens": sum(map(len, short)) / len(short)},
                )
            )
        return found


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [one for one in figures if one.case == CASE]
    if not mine:
        return []
    note = (
        "CPU time of one call with one sequence of 3 to 20 tokens (or one token); models by CRFsuite, the same file on "
        f"both sides, equal labels checked. Spread up to {widest_spread(mine)}."
    )
    return [goals.table("One short sequence a call, beside python-crfsuite", mine, note)]
