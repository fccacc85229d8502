"""`seqlab demo`: train three models, compare them, and label a sentence."""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import sys
import textwrap
import warnings
from functools import partial
from html import escape
from operator import ne
from pathlib import Path
from typing import Any, NamedTuple

import seqlab
from seqlab.cli.parsing import option
from seqlab.cli.terminal import COLUMNS, print_json, program, table, training_progress, wants_color
from seqlab.errors import ConvergenceWarning, OptionError

NARROWEST = 20
FOLDER = "demo-output"
WRITTEN = {
    **dict.fromkeys(("report.html", "mistakes.html"), "page"),
    **dict.fromkeys(("trellis.svg", "moves.svg", "learning.svg"), "picture"),
    "crf.model": "model",
}

USAGE = ""
DESCRIPTION = """\
A hidden Markov model, a maximum-entropy Markov model and a conditional random field learn
parts of speech from the corpus that comes with seqlab. They are compared, and label a
sentence that you type. A report, pictures and a model go to a folder.

With --garden-path: one sentence decoded step by step in a model small enough to check by hand."""

EXAMPLES = """\
seqlab demo
seqlab demo --sentence 'Time flies like an arrow.' --output tour
seqlab demo --garden-path"""


def _width(text: str) -> int:
    if not text.isdecimal() or int(text) < NARROWEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of columns, {NARROWEST} or more")
    return int(text)


OPTIONS = (
    option("--sentence -s TEXT", "what to label (default: you are asked, on a terminal)"),
    option(
        "--output -o FOLDER", f"for report and pictures (default: {FOLDER})", default=FOLDER, writes=WRITTEN
    ),
    option("--garden-path", "decode 'the old man the boat' and draw its trellis"),
    option("--width N", "screen columns of --garden-path (default: the terminal's)", _width),
    option("--no-color", "no colours (NO_COLOR=1 does the same)"),
    option("--ascii", "--garden-path without characters beyond ASCII"),
    option("--json", "the same numbers for programs"),
)

LABEL = "pos"
ITERATIONS = 20  # enough on this corpus; the usual limit is far above
DEFAULT = "The old man the boat."
RIGHT = ("DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT")
STORY = """

It is the old who man the boat: "man" is the verb. Most readers, and all three
models, take another path first, and would have to turn back."""
MOST_WORDS = 60  # words of a sentence that fits pictures and screen
MOST_LABELS = 7  # labels in a picture
READINGS, SENTENCES = 3, 3  # of the sentence; of the test set, with wrong labels, in the report
MODELS = "A hidden Markov model, a maximum-entropy Markov model and a conditional random field"
NO_CHART = "Learning curves are drawn by matplotlib: pip install 'seqlab[plot]', and run seqlab demo again."
_TOKEN = re.compile(r"\w+(?:[.'’-]\w+)*|[^\w\s]")


class Reading(NamedTuple):
    """A sentence labelled by every model, as in the output of --json.

    words           its tokens
    labels          by the name of the model
    right           the labels it should have, where they are known
    probabilities   of the CRF's label of each word
    nbest           the best labellings of the CRF, and their probabilities
    explained       the position of which it is least sure
    explanation     of that label, as text
    """

    words: list[str]
    labels: dict[str, list[str]]
    right: list[str] | None
    probabilities: list[float]
    nbest: list[dict[str, Any]]
    explained: int
    explanation: str

    def rows(self) -> list[list[str]]:
        """Return headings, then each word with its right label, those of models (✗ if wrong), and a probability."""
        columns = {"": self.words} | ({"right": self.right} if self.right else {})
        for name, row in self.labels.items():
            pairs = zip(row, self.right or row, strict=True)
            columns[name] = [label if label == right else f"✗ {label}" for label, right in pairs]
        columns["P"] = [f"{chance:.3f}" for chance in self.probabilities]
        if not self.right:
            said = map(set, zip(*self.labels.values(), strict=True))
            columns[" "] = ["" if len(labels) == 1 else "they differ" for labels in said]
        return [list(columns), *map(list, zip(*columns.values(), strict=True))]

    def verdict(self) -> str:
        """Format the number of wrong labels, if it is known."""
        if self.right is None:
            return "Nobody has said which labels are right here, so none is marked as wrong."
        counts = (f"{name} {sum(map(ne, row, self.right))}" for name, row in self.labels.items())
        return f"Wrong labels (✗) of {len(self.words)}: {', '.join(counts)}."


def run(arguments: argparse.Namespace) -> None:
    """Run the demo, or show the garden path."""
    if arguments.garden_path:
        from seqlab.cli.demo import garden_path

        garden_path.show(arguments, NARROWEST)
        return
    warnings.simplefilter("ignore", ConvergenceWarning)  # a demo stops training early
    folder, json = arguments.output, arguments.json
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise OptionError(f"--output {folder}: this is a file, but a folder is wanted")
    words = None if arguments.sentence is None else _tokens(arguments.sentence)
    target.mkdir(parents=True, exist_ok=True)
    say = partial(_say, silent=json)
    say("Three models learn parts of speech")
    found = _learned(json=json)
    say(text=found.text())
    reading = _read(found, words or _asked(silent=json))
    heads, *rows = reading.rows()
    note = f"{reading.verdict()}\nP: how sure the CRF is of its label"
    shown = table(heads, rows, left=heads.index("P"), indent=0)
    say(f"The sentence: {' '.join(reading.words)}", note, shown)
    note = "which labels change, and how probable each one is"
    say(
        f"Its {len(reading.nbest)} best readings",
        note,
        _readings(reading) + (STORY if reading.words == _tokens(DEFAULT) else ""),
    )
    say(f"The word it is least sure of: {reading.words[reading.explained]}", text=reading.explanation)
    files = _write_files(target, found, reading)
    say(f"Written to {folder}/", text=table(["", ""], files.items(), left=2).partition("\n")[2])
    say("What to try next", text=_next(folder))
    if json:
        print_json({"comparison": found.to_dict(), "sentence": reading._asdict(), "files": list(files)})


def _learned(*, json: bool) -> seqlab.tuning.Comparison:
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


def _asked(*, silent: bool) -> list[str]:
    """Ask for a sentence; the default one when the user enters none."""
    if silent or sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _tokens(DEFAULT)
    _say("Your turn", f"Type an English sentence, or press Enter for: {DEFAULT}")
    typed = ""
    with contextlib.suppress(EOFError, UnicodeDecodeError):
        typed = input("  > ")
    return _tokens(typed if _TOKEN.search(typed) else DEFAULT)


def _read(found: seqlab.tuning.Comparison, words: list[str]) -> Reading:
    from seqlab import demo_corpus

    models = {row.name: row.model for row in found.rows}
    crf = models["CRF"]
    labels = {name: model.tag(words) for name, model in models.items()}
    marginals = crf.predict_marginals_single(words)
    chances = [chance[label] for chance, label in zip(marginals, labels["CRF"], strict=True)]
    nbest = [
        {"labels": list(map(str, path.labels)), "probability": math.exp(path.log_prob)}
        for path in crf.nbest(words, READINGS)
    ]
    known = {tuple(one["word"]): list(one[LABEL]) for part in ("train", "test") for one in demo_corpus(part)}
    right = (known | {tuple(_tokens(DEFAULT)): list(RIGHT)}).get(tuple(words))
    doubted = min(range(len(words)), key=chances.__getitem__)
    return Reading(words, labels, right, chances, nbest, doubted, crf.explain(words, doubted).text(rows=4))


def _say(title: str = "", note: str = "", text: str = "", *, silent: bool = False) -> None:
    """Print a title, a note below it, and indented lines; nothing with --json."""
    if silent:
        return
    if title:
        shown = textwrap.shorten(title, COLUMNS, placeholder=" …")
        print(f"\n\x1b[1m{shown}\x1b[0m" if wants_color(sys.stdout) else f"\n{shown}", flush=True)
    for lines in filter(None, (note, text)):
        print(textwrap.indent(lines, "  "), flush=True)


def _readings(reading: Reading) -> str:
    """Format readings in rows; labels that differ from the best reading are in brackets."""
    rows = []
    for path in reading.nbest:
        pairs = zip(path["labels"], reading.nbest[0]["labels"], strict=True)
        shown = " ".join(one if one == best else f"[{one}]" for one, best in pairs)
        first, *more = textwrap.wrap(shown, COLUMNS - 14)
        rows += [f"{path['probability']:7.1%}  {first}", *(f"{'':9}{line}" for line in more)]
    return "\n".join(rows)


def _next(folder: str) -> str:
    seqlab, model = program("seqlab") or f"{Path(sys.executable).name} -m seqlab", f"{folder}/crf.model"
    steps = {
        "look at the report": f"{folder}/report.html, in a browser",
        "label a text, one sentence in a line": f"{seqlab} tag {model} my.txt --format text",
        "ask why": f"{seqlab} explain {model} -s 'Time flies .' --at flies",
        "learn from data of your own": f"{seqlab} train train.txt --dev dev.txt -o my.model",
        "find the best penalty": f"{seqlab} tune train.txt --dev dev.txt --set l2=0.01,0.1,1",
        "see how the best path is found": f"{seqlab} demo --garden-path",
        "open this model on a page that shows how it thinks": f"{seqlab} serve {model}",
        "read on": "docs/guide/, which has all of this in Python too",
    }
    return "\n".join(f"{what}\n  {command}" for what, command in steps.items())


def _write_files(folder: Path, found: seqlab.tuning.Comparison, reading: Reading) -> dict[str, str]:
    """Write a report, its pictures and a model atomically; return {file: description}."""
    from seqlab import draw
    from seqlab.views import html

    crf, words = found["CRF"].model, reading.words
    best = "The two best readings, and every other one in the shade"
    trellis = draw.trellis_picture(crf.trellis(words), words, nbest=2, max_labels=MOST_LABELS, title=best)
    moves = "Moves between parts of speech (CRF)"
    pictures = {
        "trellis.svg": (trellis, "the sentence in the CRF: two best paths, probabilities"),
        "moves.svg": (
            draw.transition_picture(crf, kind="graph", most=MOST_LABELS, title=moves),
            "how the CRF values moves from label to label",
        ),
    }
    with contextlib.suppress(OptionError):  # without matplotlib the page says how to install it
        learning = draw.learning_picture({"MEMM": found["MEMM"].model, "CRF": crf}, title="Learning")
        pictures["learning.svg"] = (learning, "the objective by iteration; solid: MEMM, dashed: CRF")
    for name, (picture, _) in pictures.items():
        picture.save(folder / name)
    html.page("seqlab: a first tour", _report(found, reading, pictures), folder / "report.html")
    found["CRF"].report.html(folder / "mistakes.html", title="The CRF on the test sentences")
    crf.save(folder / "crf.model")
    return {
        "report.html": "the table, your sentence and the pictures on one page",
        "mistakes.html": "the CRF in detail: labels, confusions, worst sentences",
        **{name: what for name, (_, what) in pictures.items()},
        "crf.model": "the trained CRF, for the commands below",
    }


def _report(
    found: seqlab.tuning.Comparison, reading: Reading, pictures: dict[str, tuple[seqlab.draw.Picture, str]]
) -> list[str]:
    from seqlab.evaluation.page import errors_in_context
    from seqlab.views import html

    figures = [
        f'<figure><a href="{name}"><img src="{name}" width="{picture.width}" alt="{escape(picture.title)}"></a>'
        f"<figcaption>{escape(what[:1].upper() + what[1:])}.</figcaption></figure>"
        for name, (picture, what) in pictures.items()
    ]
    (_, *heads), *rows = reading.rows()
    shown = [html.row(word, cells).replace("<td>✗", '<td class="wrong">✗') for word, *cells in rows]
    source = f"{found.train_sentences:,} sentences of the corpus that comes with seqlab"
    story = STORY if reading.right == list(RIGHT) else ""
    return [
        f"<p>{MODELS} have learned parts of speech from {source}.</p>",
        "<h2>The table</h2>",
        found.html_table(),
        f"<h2>{escape(' '.join(reading.words))}</h2>",
        f"<p>{reading.verdict()} P is how sure the CRF is of its label.{story}</p>",
        html.table(["word", *heads], shown),
        f"<h2>Why {escape(reading.words[reading.explained])}?</h2>",
        f"<pre>{escape(reading.explanation)}</pre>",
        "<h2>Pictures</h2>",
        *figures,
        *([] if "learning.svg" in pictures else [f"<p>{escape(NO_CHART)}</p>"]),
        errors_in_context(found["CRF"].report.data, SENTENCES),
        '<p>More about the CRF: <a href="mistakes.html">every label, and where it goes wrong</a>.</p>',
    ]
