"""The tour of `seqlab demo`: learn, compare, label, doubt, explain, draw."""

from __future__ import annotations

import contextlib
import math
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlab.cli.terminal.printing import COLUMNS, print_json, table
from seqlab.cli.terminal.progress import training_progress
from seqlab.cli.terminal.screen import program, wants_color
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.inference import NBest
    from seqlab.tuning import Comparison

LABEL = "pos"
ITERATIONS = 20  # enough on this corpus; the usual limit is far above
DEFAULT = "The old man the boat."
STORY = """

It is the old who man the boat: "man" is the verb. Most readers, and all three
models, take another path first, and would have to turn back."""
MOST_WORDS = 60  # of a sentence that fits pictures and screen
READINGS = 3
_TOKEN = re.compile(r"\w+(?:[.'’-]\w+)*|[^\w\s]")


@dataclass(frozen=True)
class Reading:
    """A sentence, labelled by every model.

    words     its tokens
    labels    by the name of the model
    chances   the probability of the best model's label of each word
    nbest     the best readings of the best model
    doubted   the position of which it is least sure
    why       the explanation of that label, as text
    """

    words: list[str]
    labels: dict[str, list[str]]
    chances: list[float]
    nbest: NBest
    doubted: int
    why: str


def tour(sentence: str | None, folder: str, *, json: bool) -> None:
    """All of it, printed as it comes."""
    from seqlab.cli.demo.files import write_files

    target, words = _checked(folder), None if sentence is None else _tokens(sentence)
    say = _Voice(silent=json)
    say.head("Three models learn parts of speech")
    found = _learned(json=json)
    say.block(found.text())
    reading = _read(found, words or _asked(say))
    say.head(f"The sentence: {' '.join(reading.words)}", "P: how sure the CRF is of its label")
    say.block(_labelled(reading))
    say.head(f"Its {len(reading.nbest)} best readings", "which labels change, and how probable each one is")
    say.block(_readings(reading) + (STORY if reading.words == _tokens(DEFAULT) else ""))
    say.head(f"The word it is least sure of: {reading.words[reading.doubted]}")
    say.block(reading.why)
    files = write_files(target, found, reading)
    say.head(f"Written to {folder}/")
    say.block(table(["", ""], files.items(), left=2).partition("\n")[2])
    say.head("What to try next")
    say.block(_next(folder))
    if json:
        print_json({"comparison": found.to_dict(), "sentence": _facts(reading), "files": list(files)})


def _checked(folder: str) -> Path:
    """What cannot be a folder is refused before anything is trained."""
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise OptionError(f"--output {folder}: this is a file, but a folder is wanted")
    target.mkdir(parents=True, exist_ok=True)
    return target


def _learned(*, json: bool) -> Comparison:
    from seqlab import CRF, HMM, LBFGS, MEMM, compare, demo_corpus

    train, test = (demo_corpus(part).select("word", LABEL) for part in ("train", "test"))
    learner = LBFGS(max_iterations=ITERATIONS)
    models = {"HMM": HMM(), "MEMM": MEMM("pos", learner), "CRF": CRF("pos", learner)}
    with training_progress(quiet=False, json=json) as screen:
        screen.line(
            f"  from {len(train):,} sentences ({train.token_count:,} tokens), "
            f"and are tried on {len(test):,} others\n"
        )
        return compare(train, test, models, LABEL, on_model=screen.announcer("  training the {}"))


def _tokens(text: str) -> list[str]:
    words = _TOKEN.findall(text)[:MOST_WORDS]
    if not words:
        raise OptionError(f"--sentence: there is no word in {text!r:.60}")
    return words


def _asked(say: _Voice) -> list[str]:
    """Ask for a sentence; the usual one when nobody types any."""
    if say.silent or sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _tokens(DEFAULT)
    say.head("Your turn", f"Type an English sentence, or press Enter for: {DEFAULT}")
    typed = ""
    with contextlib.suppress(EOFError, UnicodeDecodeError):
        typed = input("  > ")
    return _tokens(typed if _TOKEN.search(typed) else DEFAULT)


def _read(found: Comparison, words: list[str]) -> Reading:
    models = {row.name: row.model for row in found.rows}
    crf = models["CRF"]
    labels = {name: model.tag(words) for name, model in models.items()}
    marginals = crf.predict_marginals_single(words)
    chances = [chance[label] for chance, label in zip(marginals, labels["CRF"], strict=True)]
    doubted = min(range(len(words)), key=chances.__getitem__)
    why = crf.explain(words, doubted).text(rows=4)
    return Reading(words, labels, chances, crf.nbest(words, READINGS), doubted, why)


# ------------------------------------------------------------------------------------------------ on the screen


class _Voice:
    """Prints as it goes, if it is not for programs."""

    def __init__(self, *, silent: bool) -> None:
        self.silent = silent

    def head(self, title: str, note: str = "") -> None:
        """Begin something new."""
        shown = textwrap.shorten(title, COLUMNS, placeholder=" …")
        self._print(f"\n\x1b[1m{shown}\x1b[0m" if wants_color(sys.stdout) else f"\n{shown}")
        if note:
            self._print(f"  {note}")

    def block(self, text: str) -> None:
        """Print lines, a little to the right."""
        self._print(textwrap.indent(text, "  "))

    def _print(self, text: str) -> None:
        if not self.silent:
            print(text, flush=True)


def _labelled(reading: Reading) -> str:
    names = list(reading.labels)
    rows = []
    for t, word in enumerate(reading.words):
        labels = [reading.labels[name][t] for name in names]
        mark = "" if len(set(labels)) == 1 else "they differ"
        rows.append([word, *labels, f"{reading.chances[t]:.3f}", mark])
    return table(["", *names, "P", ""], rows, left=len(names) + 1, indent=0)


def _readings(reading: Reading) -> str:
    """Readings in rows; a label that differs from the best one's stands in brackets."""
    best = [str(label) for label in reading.nbest[0].labels]
    rows = []
    for path, chance in zip(reading.nbest, _chances(reading.nbest), strict=True):
        labels = [str(label) for label in path.labels]
        shown = [one if one == other else f"[{one}]" for one, other in zip(labels, best, strict=True)]
        wrapped = textwrap.wrap(" ".join(shown), COLUMNS - 14)
        rows += [f"{chance:7.1%}  {wrapped[0]}", *(f"{'':9}{line}" for line in wrapped[1:])]
    return "\n".join(rows)


def _chances(nbest: NBest) -> list[float]:
    return [math.exp(-math.inf if path.log_prob is None else path.log_prob) for path in nbest]


def _next(folder: str) -> str:
    seqlab, model = program("seqlab") or f"{Path(sys.executable).name} -m seqlab", f"{folder}/crf.model"
    steps = {
        "look at the report": f"{folder}/report.html, in a browser",
        "label a text, one sentence in a line": f"{seqlab} tag {model} my.txt --format text",
        "ask why": f"{seqlab} explain {model} -s 'Time flies .' --at flies",
        "learn from data of your own": f"{seqlab} train train.txt --dev dev.txt -o my.model",
        "find the best penalty": f"{seqlab} tune train.txt --dev dev.txt --set l2=0.01,0.1,1",
        "see how the best path is found": f"{seqlab} demo --garden-path",
        "read on": "docs/guide/, which has all of this in Python too",
    }
    return "\n".join(f"{what}\n  {command}" for what, command in steps.items())


def _facts(reading: Reading) -> dict[str, Any]:
    return {
        "words": reading.words,
        "labels": reading.labels,
        "probabilities": reading.chances,
        "nbest": [
            {"labels": [str(label) for label in path.labels], "probability": chance}
            for path, chance in zip(reading.nbest, _chances(reading.nbest), strict=True)
        ],
        "explained": reading.doubted,
        "explanation": reading.why,
    }
