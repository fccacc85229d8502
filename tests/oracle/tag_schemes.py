"""Tag schemes, slowly: every way to cut a sentence into spans, written down label by label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Triple = tuple[int, int, str]  # start, end (not included), type

LETTERS = {
    "IO": "I",
    "IOB1": "IB",
    "IOB2": "IB",
    "IOE1": "IE",
    "IOE2": "IE",
    "IOBES": "IBES",
    "BILOU": "IBLU",
    "BMES": "MBES",
}


def label(letter: str, kind: str) -> str:
    return f"{letter}-{kind}" if kind else letter


def alphabet(scheme: str, kinds: Sequence[str]) -> list[str]:
    """All labels of a scheme."""
    return ["O", *(label(letter, kind) for kind in kinds for letter in LETTERS[scheme])]


def segmentations(length: int, kinds: Sequence[str], start: int = 0) -> Iterator[list[Triple]]:
    """Every set of spans in a sentence of this length."""
    if start == length:
        yield []
        return
    yield from segmentations(length, kinds, start + 1)
    for end in range(start + 1, length + 1):
        for kind in kinds:
            for rest in segmentations(length, kinds, end):
                yield [(start, end, kind), *rest]


def write(spans: Sequence[Triple], length: int, scheme: str) -> list[str]:
    """The labels of sorted spans."""
    labels = ["O"] * length
    for i, (start, end, kind) in enumerate(spans):
        after = i > 0 and spans[i - 1][1:] == (start, kind)
        before = i + 1 < len(spans) and spans[i + 1][0] == end and spans[i + 1][2] == kind
        for t in range(start, end):
            letter = letter_at(scheme, first=t == start, last=t == end - 1, after=after, before=before)
            labels[t] = label(letter, kind)
    return labels


def letter_at(scheme: str, *, first: bool, last: bool, after: bool, before: bool) -> str:
    """The letter of a position; after, before: whether a span of the same type touches on that side."""
    inside = LETTERS[scheme][0]
    if scheme == "IOB1":
        return "B" if first and after else inside
    if scheme == "IOB2":
        return "B" if first else inside
    if scheme == "IOE1":
        return "E" if last and before else inside
    if scheme == "IOE2":
        return "E" if last else inside
    if scheme in {"IOBES", "BILOU", "BMES"}:
        _, begin, end, single = LETTERS[scheme]
        return single if first and last else begin if first else end if last else inside
    return inside


def joined(spans: Sequence[Triple]) -> list[Triple]:
    """What is left of the spans in IO: touching ones of one type are one."""
    result: list[Triple] = []
    for start, end, kind in spans:
        if result and result[-1][1:] == (start, kind):
            result[-1] = (result[-1][0], end, kind)
        else:
            result.append((start, end, kind))
    return result


def valid(length: int, scheme: str, kinds: Sequence[str]) -> set[tuple[str, ...]]:
    """Every label sequence that writes some spans."""
    return {tuple(write(spans, length, scheme)) for spans in segmentations(length, kinds)}


def read(labels: Sequence[str]) -> list[Triple]:
    """Spans by conlleval's rules with S, U, L and M added: one label after the other."""
    spans: list[Triple] = []
    start, kind, before = -1, "", "O"
    for t, text in enumerate([*labels, "O"]):
        letter, _, here = text.partition("-")
        letter = {"L": "E", "U": "S", "M": "I"}.get(letter, letter)
        border = before in "OES" or letter in "OBS" or kind != here
        if border and before != "O":
            spans.append((start, t, kind))
        if border and letter != "O":
            start = t
        before, kind = letter, here
    return spans
