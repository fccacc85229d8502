"""What looking a corpus over brings to light: findings with places, as text and as data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

ERROR, WARNING, NOTE = "error", "warning", "note"
SHOWN = 5  # places that the text names; the data has all


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of trouble in one column.

    kind       a short name: "empty sentence", "invalid sequence", ...
    severity   "error": training would go wrong; "warning": probably a mistake; "note": good to know
    message    a sentence with the numbers
    advice     what to do about it
    places     file:line (or sentence and token) of every case
    column     the column it was found in, when it is about one
    """

    kind: str
    severity: str
    message: str
    advice: str
    places: tuple[str, ...] = ()
    column: str | None = None

    def __str__(self) -> str:
        shown = ", ".join(self.places[:SHOWN])
        more = f", and {len(self.places) - SHOWN} more" if len(self.places) > SHOWN else ""
        where = f"\n    at {shown}{more}" if shown else ""
        return f"{self.severity}: {self.message}; {self.advice}{where}"


@dataclass(frozen=True, slots=True)
class Check(Sequence[Finding]):
    """The findings of a check, worst first; a list that prints itself."""

    title: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No errors and no warnings."""
        return all(finding.severity == NOTE for finding in self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, key: Any) -> Any:
        return self.findings[key]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def of(self, kind: str) -> list[Finding]:
        """The findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def __str__(self) -> str:
        return "\n".join([self.title, *map(str, self.findings or ["nothing to complain about"])])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "title": self.title,
            "ok": self.ok,
            "findings": [asdict(finding) for finding in self.findings],
        }

    def json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)
