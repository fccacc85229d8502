"""The parts of the speed benchmark, in the order of docs/benchmarks.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.speed import (
    baum_welch,
    discriminative,
    encoding,
    growth,
    hmm,
    hmm_tagging,
    loading,
    memory,
    ngrams,
    open_crfsuite,
    reading,
    sentences,
    shell,
    short_calls,
    startup,
    tutorial,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from benchmarks.speed.figure import Figure
    from benchmarks.speed.table import Table

CASES: dict[str, ModuleType] = {
    case.CASE: case
    for case in (
        discriminative,
        tutorial,
        short_calls,
        baum_welch,
        hmm_tagging,
        ngrams,
        encoding,
        reading,
        sentences,
        hmm,
        growth,
        memory,
        loading,
        open_crfsuite,
        shell,
        startup,
    )
}


def tables(figures: Sequence[Figure]) -> list[Table]:
    """The tables of all cases that have figures."""
    return [table for case in CASES.values() for table in case.tables(figures)]
