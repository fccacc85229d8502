"""Results as figures, as a table, and as lines while the exams run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict

from benchmarks.quality.exams import Exam, Marks
from benchmarks.quality.sides import Result
from benchmarks.speed.figure import Figure, Peer
from benchmarks.speed.machine import ROOT
from benchmarks.speed.table import Table
from seqlab import Corpus

CASE = "quality"
RESULTS = ROOT / "benchmarks" / "results" / "quality.jsonl"
SHORT = {"python-crfsuite": "CRFsuite", "NLTK's TnT": "NLTK TnT"}


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
            "peer": None if peer is None else asdict(peer),
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


def table(figures: Sequence[Figure], *, part: str, marks: bool = True) -> Table | None:
    """One row a corpus: the figure, and the accuracy on unseen words behind a stroke; with or without our marks."""
    mine = [one for one in figures if one.case == CASE]
    if not mine:
        return None
    shown = (
        ("", "figure", "peer", "seqlab", "at least", "aim")
        if marks
        else ("", "figure", "beside", "peer", "seqlab")
    )
    rows = [row(one, starred=marks and part == "test") for one in mine]
    return Table(
        title=f"Accuracy on {part} sets, per cent",
        header=tuple("it reaches" if name == "peer" and not marks else name for name in shown),
        rows=tuple(tuple(cells[name] for name in shown) for cells in rows),
        note=note(mine, part=part, marks=marks),
    )


def note(figures: Sequence[Figure], *, part: str, marks: bool) -> str:
    said = [
        "F1 of spans, or accuracy of labels; behind the stroke, accuracy on words that training has not seen.",
        "CRFsuite has the same features, its own defaults, and order 1.",
    ]
    said += ["Beside the HMM stands NLTK's TnT."] if marks else []
    dates = sorted({(one.details.get("peer") or {}).get("date") for one in figures} - {None, ""})
    if dates:
        said.append(f"Peers trained on {' and '.join(dates)}.")
    if part == "test":
        said.append("Presets and defaults as they come; no choice was made by a test set.")
        said += ["A star: below 'at least'."] if marks else []
    else:
        said.append("Development sets; the marks are for test sets.")
    return " ".join(said)


def row(one: Figure, *, starred: bool) -> dict[str, str]:
    details = one.details
    star = " *" if starred and not details["reached"] else ""
    return {
        "": one.name,
        "figure": "F1" if one.unit == "span_f1" else "accuracy",
        "beside": "-" if one.peer is None else SHORT[one.peer.name],
        "peer": "-" if one.peer is None else both(one.peer.median, details["peer_unseen"]),
        "seqlab": both(one.median, details["unseen"]) + star,
        "at least": both(details["at_least"], details["unseen_at_least"], digits=1),
        "aim": both(details["aim"], details["unseen_aim"], digits=1),
    }


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


def input_hash(*corpora: Corpus) -> str:
    """Twelve hex digits over all words and labels."""
    digest = hashlib.sha256()
    for corpus in corpora:
        for column in corpus.columns:
            digest.update("\n".join("\t".join(cells) for cells in corpus.column(column)).encode())
    return digest.hexdigest()[:12]
