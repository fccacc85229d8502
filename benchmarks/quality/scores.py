"""Results as figures, as a table, and as lines while the exams run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from benchmarks.quality.exams import Exam, Marks
from benchmarks.quality.sides import Result
from benchmarks.speed.figure import Figure, Peer
from benchmarks.speed.record import Run
from benchmarks.speed.table import Table
from seqlab import Corpus

CASE = "quality"


def figure(exam: Exam, mine: Result, peer: Result | None, *, input_hash: str) -> Figure:
    """In per cent; everything the table says is in the details."""
    return Figure(
        case=CASE,
        name=exam.name,
        unit=exam.figure,
        median=100 * mine.value,
        spread=0.0,
        repetitions=1,
        input_hash=input_hash,
        peer=None if peer is None else Peer(exam.peer, 100 * peer.value, 0.0, 1),
        details={
            "unseen": per_cent(mine.unseen),
            "peer_unseen": None if peer is None else per_cent(peer.unseen),
            "accuracy": 100 * mine.accuracy,
            "seconds": mine.seconds,
            "at_least": exam.marks.at_least,
            "aim": exam.marks.aim,
            "unseen_at_least": exam.marks.unseen_at_least,
            "unseen_aim": exam.marks.unseen_aim,
            "reached": reached(exam.marks, mine),
        },
    )


def reached(marks: Marks, result: Result) -> bool:
    """Whether every "at least" was met."""
    if 100 * result.value < marks.at_least:
        return False
    return marks.unseen_at_least is None or 100 * (result.unseen or 0.0) >= marks.unseen_at_least


def table(figures: Sequence[Figure], *, part: str) -> Table | None:
    """One row a corpus: the figure, and the accuracy on unseen words behind a stroke."""
    mine = [one for one in figures if one.case == CASE]
    if not mine:
        return None
    note = (
        "F1 of spans, or accuracy of labels; behind the stroke, accuracy on words that training has not seen. "
        "Peer: CRFsuite with the same features; NLTK's TnT beside the HMM. "
    )
    if part == "test":
        note += (
            "Presets and defaults as they come; no choice was made by a test set. A star: below 'at least'."
        )
    else:
        note += "Development sets; the marks are for test sets."
    return Table(
        title=f"Accuracy on {part} sets, per cent",
        header=("", "", "peer", "seqlab", "at least", "aim"),
        rows=tuple(row(one, starred=part == "test") for one in mine),
        note=note,
    )


def row(one: Figure, *, starred: bool) -> tuple[str, ...]:
    details = one.details
    star = " *" if starred and not details["reached"] else ""
    return (
        one.name,
        "F1" if one.unit == "span_f1" else "acc.",
        "-" if one.peer is None else both(one.peer.median, details["peer_unseen"]),
        both(one.median, details["unseen"]) + star,
        both(details["at_least"], details["unseen_at_least"], digits=1),
        both(details["aim"], details["unseen_aim"], digits=1),
    )


def both(value: float, unseen: float | None, *, digits: int = 2) -> str:
    """93.81 / 88.2."""
    text = f"{value:.{digits}f}"
    return text if unseen is None else f"{text} / {unseen:.1f}"


def line(exam: Exam, mine: Result, peer: Result | None) -> str:
    told = f"{exam.name}: {both(100 * mine.value, per_cent(mine.unseen))} in {mine.seconds:.1f} s"
    if peer is None:
        return told
    return f"{told}; {exam.peer} {both(100 * peer.value, per_cent(peer.unseen))} in {peer.seconds:.1f} s"


def per_cent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def provenance(run: Run) -> str:
    """One sentence: when and with what the table was made."""
    packages = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    return f"Made by `{run.command}` on {run.date[:10]} at commit {run.commit}; {packages}."


def input_hash(*corpora: Corpus) -> str:
    """Twelve hex digits over all words and labels."""
    digest = hashlib.sha256()
    for corpus in corpora:
        for column in corpus.columns:
            digest.update("\n".join("\t".join(cells) for cells in corpus.column(column)).encode())
    return digest.hexdigest()[:12]
