"""What `seqlab demo` writes: a report, its pictures, and a model. Each file is there whole, or not at all."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from seqlab import draw
from seqlab.files import write_whole
from seqlab.tuning.pages import page_of, table_of

if TYPE_CHECKING:
    from seqlab.cli.demo.tour import Reading
    from seqlab.draw import Picture
    from seqlab.tuning import Comparison

OPENING = (
    "A hidden Markov model, a maximum-entropy Markov model and a conditional random field have learned "
    "parts of speech"
)
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
            draw.transition_picture(crf, kind="table", most=10, title="Moves between parts of speech (CRF)"),
            "how the CRF values moves from label to label",
        ),
        "learning.svg": (
            draw.learning_picture({"MEMM": found["MEMM"].model, "CRF": crf}, title="Learning"),
            "the objective of every iteration",
        ),
    }
    files: dict[str, str] = {}
    for name, (picture, what) in pictures.items():
        picture.save(folder / name)
        files[name] = what
    write_whole(folder / "report.html", _report(found, reading, pictures))
    found["CRF"].report.html(folder / "mistakes.html", title="The CRF on the test sentences")
    crf.save(folder / "crf.model")
    return {
        "report.html": "the table, your sentence and the pictures on one page",
        "mistakes.html": "the CRF in detail: labels, confusions, worst sentences",
        **files,
        "crf.model": "the trained CRF, for the commands below",
    }


def _report(found: Comparison, reading: Reading, pictures: dict[str, tuple[Picture, str]]) -> str:
    parts = [
        f"<p>{OPENING} from {found.train_sentences:,} sentences of the corpus that comes with seqlab.</p>",
        "<h2>The table</h2>",
        table_of(found),
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
    return page_of("seqlab: a first tour", parts)


def _labels(reading: Reading) -> str:
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("word", *reading.labels, "P (CRF)"))
    rows = []
    for t, word in enumerate(reading.words):
        labels = "".join(f"<td>{escape(labels[t])}</td>" for labels in reading.labels.values())
        rows.append(f'<tr><th scope="row">{escape(word)}</th>{labels}<td>{reading.chances[t]:.3f}</td></tr>')
    return (
        f'<div class="scroll"><table class="scores"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
