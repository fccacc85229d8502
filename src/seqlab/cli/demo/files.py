"""What `seqlab demo` writes: a report, its pictures, and a model. Each file is there whole, or not at all."""

from __future__ import annotations

import contextlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from seqlab import draw
from seqlab.errors import OptionError
from seqlab.views import html

if TYPE_CHECKING:
    from seqlab.cli.demo.tour import Reading
    from seqlab.draw import Picture
    from seqlab.tuning import Comparison

OPENING = (
    "A hidden Markov model, a maximum-entropy Markov model and a conditional random field have learned "
    "parts of speech"
)
NO_CHART = "Learning curves are drawn by matplotlib: pip install 'seqlab[plot]', and run seqlab demo again."
MOST_LABELS = 7  # rows of the trellis picture


def write_files(folder: Path, found: Comparison, reading: Reading) -> dict[str, str]:
    """File -> what it is."""
    crf = found["CRF"].model
    trellis = draw.trellis_picture(
        crf.trellis(reading.words),
        reading.words,
        nbest=2,
        max_labels=MOST_LABELS,
        title="The two best readings, and every other one in the shade",
    )
    pictures = {
        "trellis.svg": (trellis, "the sentence in the CRF: two best paths, probabilities"),
        "moves.svg": (
            draw.transition_picture(crf, kind="graph", most=7, title="Moves between parts of speech (CRF)"),
            "how the CRF values moves from label to label",
        ),
    }
    with contextlib.suppress(OptionError):  # without matplotlib the page says how to get it
        learning = draw.learning_picture({"MEMM": found["MEMM"].model, "CRF": crf}, title="Learning")
        pictures["learning.svg"] = (learning, "the objective of every iteration")
    files: dict[str, str] = {}
    for name, (picture, what) in pictures.items():
        picture.save(folder / name)
        files[name] = what
    html.page("seqlab: a first tour", _report(found, reading, pictures), folder / "report.html")
    found["CRF"].report.html(folder / "mistakes.html", title="The CRF on the test sentences")
    crf.save(folder / "crf.model")
    return {
        "report.html": "the table, your sentence and the pictures on one page",
        "mistakes.html": "the CRF in detail: labels, confusions, worst sentences",
        **files,
        "crf.model": "the trained CRF, for the commands below",
    }


def _report(found: Comparison, reading: Reading, pictures: dict[str, tuple[Picture, str]]) -> list[str]:
    parts = [
        f"<p>{OPENING} from {found.train_sentences:,} sentences of the corpus that comes with seqlab.</p>",
        "<h2>The table</h2>",
        found.html_table(),
        '<p>More about the CRF: <a href="mistakes.html">every label, and where it goes wrong</a>.</p>',
        f"<h2>{escape(' '.join(reading.words))}</h2>",
        _labels(reading),
        f"<h2>Why {escape(reading.words[reading.doubted])}?</h2>",
        f"<pre>{escape(reading.why)}</pre>",
        "<h2>Pictures</h2>",
    ]
    for name, (picture, what) in pictures.items():
        caption = escape(what[:1].upper() + what[1:])
        parts.append(
            f'<figure><img src="{name}" width="{picture.width}" alt="{escape(picture.title)}">'
            f"<figcaption>{caption}.</figcaption></figure>"
        )
    return parts if "learning.svg" in pictures else [*parts, f"<p>{escape(NO_CHART)}</p>"]


def _labels(reading: Reading) -> str:
    rows = []
    for t, word in enumerate(reading.words):
        labels = [labels[t] for labels in reading.labels.values()]
        rows.append(html.row(word, [*labels, f"{reading.chances[t]:.3f}"]))
    return html.table(["word", *reading.labels, "P (CRF)"], rows)
