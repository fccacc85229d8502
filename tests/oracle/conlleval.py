"""The rules of the CoNLL shared tasks' scorer, conlleval, written out plainly.

A label is letter, hyphen, type. Between two neighbours a chunk may end and a chunk may start; the two lists of letter
pairs below say when. Chunks are counted when they start. A chunk is right when both sides start it together, end it
together, and give it the same type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

ENDS = {"BB", "BO", "IB", "IO", "EE", "EI", "EO"}
STARTS = {"BB", "IB", "OB", "OI", "EE", "EI", "OE"}

Chunk = tuple[int, int, str]  # start, end (not included), type


def split(label: str) -> tuple[str, str]:
    """Letter and type; the first hyphen divides."""
    letter, hyphen, kind = label.partition("-")
    return (letter, kind) if hyphen else (label, "")


def end_of_chunk(before: tuple[str, str], here: tuple[str, str]) -> bool:
    changed = before[0] != "O" and before[1] != here[1]
    return before[0] + here[0] in ENDS or changed


def start_of_chunk(before: tuple[str, str], here: tuple[str, str]) -> bool:
    changed = here[0] != "O" and before[1] != here[1]
    return before[0] + here[0] in STARTS or changed


def chunks(labels: Sequence[str]) -> list[Chunk]:
    """The chunks of one sentence, from the same two questions."""
    found: list[Chunk] = []
    before, start = ("O", ""), None
    for t, label in enumerate([*labels, "O"]):
        here = split(label)
        if start is not None and end_of_chunk(before, here):
            found.append((start, t, before[1]))
            start = None
        if start_of_chunk(before, here):
            start = t
        before = here
    return found


def counts(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Right, predicted and gold chunks by type, counted on the way as the script does."""
    right: Counter[str] = Counter()
    found_predicted: Counter[str] = Counter()
    found_gold: Counter[str] = Counter()
    in_correct = False
    last_gold = last_predicted = ("O", "")
    for one, other in _stream(gold, predicted):
        gold_ends, predicted_ends = end_of_chunk(last_gold, one), end_of_chunk(last_predicted, other)
        if in_correct:
            if gold_ends and predicted_ends and last_gold[1] == last_predicted[1]:
                in_correct = False
                right[last_gold[1]] += 1
            elif gold_ends != predicted_ends or one[1] != other[1]:
                in_correct = False
        gold_starts, predicted_starts = start_of_chunk(last_gold, one), start_of_chunk(last_predicted, other)
        if gold_starts and predicted_starts and one[1] == other[1]:
            in_correct = True
        found_gold[one[1]] += gold_starts
        found_predicted[other[1]] += predicted_starts
        last_gold, last_predicted = one, other
    return right, found_predicted, found_gold


def _stream(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Both labels of every token, with an outside pair after every sentence."""
    for one, other in zip(gold, predicted, strict=True):
        yield from ((split(a), split(b)) for a, b in zip(one, other, strict=True))
        yield ("O", ""), ("O", "")
