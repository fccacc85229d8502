"""A mutant: one small change of one line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change.

    path     file, from the root of the project
    line     its number
    column   where the change begins
    kind     of change, such as "sign" or "dropped"
    text     the line without its indentation
    """

    path: str
    line: int
    column: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.kind}: {self.text}"
