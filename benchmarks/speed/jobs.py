"""Whole jobs, from what a user has to what he wants, each beside the program that is used for it otherwise.

They are rows of the other cases, gathered for the README; `run` measures these rows and no others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.speed import baum_welch, crfsuite, data, lessons, reading, shell, tagging, training
from benchmarks.speed.goals import times
from benchmarks.speed.table import Table, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.speed.figure import Figure


@dataclass(frozen=True, slots=True)
class Job:
    """title is the README's; case and name are those of the figure."""

    title: str
    case: str
    name: str


JOBS = (
    Job("train a CRF to CRFsuite's objective", "discriminative", "fit(X, y) to 0.1 %"),
    Job("train a CRF to its own stop", "discriminative", "fit(X, y) to its stop"),
    Job("find the names in {tokens:,} tokens", "discriminative", "predict words, preset ner"),
    Job("train an HMM of 45 states, 10 iterations", "hmm-training", baum_welch.WHOLE),
    Job("read a treebank of {tokens:,} tokens", "reading", "CoNLL-U, read"),
    Job("label {tokens:,} tokens from the shell", "shell", shell.WHOLE),
)
UNITS = {"s": 1.0, "ms": 1e-3}


def run(*, quick: bool = False) -> list[Figure]:
    """The rows of the README; CRFsuite is trained to its end in the same run."""
    chunks, names = (lessons.prepare(one, quick=quick) for one in (lessons.CHUNKING, lessons.NER))
    words, treebank = data.found(baum_welch.WORDS), data.found(reading.CONLLU)
    if chunks is None or names is None or words is None or treebank is None:
        print(data.absent("jobs"))
        return []
    case = "discriminative"
    log = crfsuite.converged(chunks, fresh=True)
    return [
        *training.whole_call(case, chunks, log, quick=quick),
        tagging.measured(case, *tagging.ner_sides(names), names, tagging.WORDS, quick=quick),
        baum_welch.whole_fit(baum_welch.words_job(words, quick=quick), quick=quick),
        *reading.beside_pyconll(treebank, 0.2 if quick else 2.0),
        *shell.whole_file(quick=quick),
    ]


def figures(stored: Sequence[Figure]) -> list[Figure]:
    """The figures of the jobs, in their order."""
    by_name = {(one.case, one.name): one for one in stored}
    return [by_name[job.case, job.name] for job in JOBS if (job.case, job.name) in by_name]


def table(stored: Sequence[Figure]) -> Table:
    """One row a job, in seconds."""
    titles = {(job.case, job.name): job.title for job in JOBS}
    return Table(
        title="Whole jobs",
        header=("", "beside", "it takes", "seqlab", "ratio"),
        rows=tuple(
            (
                titles[one.case, one.name].format(**one.details),
                one.peer.name if one.peer else "-",
                duration(one, one.peer.median) if one.peer else "-",
                duration(one, one.median),
                times(one.ratio) if one.ratio else "-",
            )
            for one in figures(stored)
        ),
        note=(
            "One thread; CPU time, but the wall clock from the shell. The CRF learns chunks from 8,936 sentences given "
            "as lists of words, features included, with the same penalty on both sides."
        ),
    )


def duration(one: Figure, value: float) -> str:
    """The time of the whole job: 57.5 s, 42.4 ms."""
    seconds = value * (UNITS[one.unit] if one.unit in UNITS else 1e-9 * one.details["tokens"])
    return f"{number(seconds)} s" if seconds >= 1 else f"{number(1e3 * seconds)} ms"
