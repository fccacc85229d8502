"""Characters a second of tokenisers, one thread: by rules, and trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.speed.figure import Figure
from benchmarks.speed.timing import measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from seqlab import Document

CASE = "tokens speed"
AT_LEAST = {"rules": 5.0, "trained": 2.0}  # million characters a second
COPIES = 30


def figures(
    tokenisers: Mapping[str, Callable[[str], Document]],
    texts: Sequence[str],
    *,
    input_hash: str,
    seconds: float = 1.0,
) -> list[Figure]:
    """Time each on one long text; in million characters a second."""
    text = "\n\n".join(texts) * COPIES
    taken = measure({name: lambda cut=cut: cut(text) for name, cut in tokenisers.items()}, seconds=seconds)
    return [
        Figure(
            case=CASE,
            name=name,
            unit="million characters/s",
            median=len(text) / one.median / 1e6,
            spread=one.spread,
            repetitions=one.repetitions,
            input_hash=input_hash,
            details={"characters": len(text), "at_least": AT_LEAST[name]},
        )
        for name, one in taken.items()
    ]
