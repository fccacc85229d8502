"""How an explanation is said: the words that its text and its page share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from seqlab.families.linear.explain.explanation import Contribution, Explanation, MoveContribution
from seqlab.views.text import clip

SMALL = 5e-4  # what three digits cannot show


@dataclass(frozen=True, slots=True)
class Row:
    """One line: what, how probable such neighbours are, the two weights, what it adds."""

    what: str
    shares: str
    weight: str
    rival_weight: str
    adds: str


@dataclass(frozen=True, slots=True)
class Table:
    """A heading, what stands above the columns of weights, and lines."""

    title: str
    columns: tuple[str, str]
    rows: list[Row]
    total: float


def question(found: Explanation) -> str:
    """What the explanation answers."""
    t = found.position
    return f"Why is {named(found.tokens, t)} {found.label} rather than {found.rival}?"


def named(tokens: tuple[str, ...], t: int) -> str:
    """A token with its place, or its place alone when it has no words."""
    return f"token {t}" if tokens[t] == str(t) else f"“{clip(tokens[t], 30, '…')}” (token {t})"


def verdict(found: Explanation) -> list[str]:
    """The outcome in a sentence or two."""
    if found.log_odds is None:
        better, size = (found.margin or 0.0) >= 0, abs(found.margin or 0.0)
        best, other = (found.label, found.rival) if better else (found.rival, found.label)
        return [f"The best path with {best} there scores {size:.3f} more than the best path with {other}."]
    lines = []
    if found.probability is not None and found.rival_probability is not None:
        lines.append(
            f"{found.label} {percent(found.probability)}, {found.rival} {percent(found.rival_probability)}: "
            f"{_times(found)}."
        )
    lines.append(f"The log-odds are {signed(found.log_odds)}, and this is what they add up from:")
    return lines


def _times(found: Explanation) -> str:
    odds = found.log_odds or 0.0
    if abs(odds) < 0.005:
        return "both are equally probable"
    more, less = (found.label, found.rival) if odds > 0 else (found.rival, found.label)
    odds = math.exp(min(abs(odds), 14.0))
    times = "more than a million" if odds > 1e6 else f"{odds:,.0f}" if odds >= 100 else f"{odds:.3g}"
    return f"{more} is {times} times as probable as {less}"


def tables(found: Explanation, most: int) -> Iterator[Table]:
    """Features, then moves; those of one position for log-odds, those of two paths for a margin."""
    names = (found.label, found.rival)
    if found.log_odds is None:
        sides = (f"with {found.label}", f"with {found.rival}")
        yield _table("Features where the two paths differ", sides, found.features, found, most)
        yield _table("Moves where the two paths differ", sides, found.moves, found, most)
        return
    before = [one for one in found.moves if one.position <= found.position]
    after = [one for one in found.moves if one.position > found.position]
    yield _table("Features of the token", names, found.features, found, most)
    yield _table("The labels before it", names, before, found, most)
    yield _table("The labels after it", names, after, found, most)


def _table(
    title: str,
    columns: tuple[str, str],
    parts: Iterable[Contribution | MoveContribution],
    found: Explanation,
    most: int,
) -> Table:
    listed = list(parts)
    shown = [one for one in listed if abs(one.difference) >= SMALL][:most]
    rows = [_feature(one, found) if isinstance(one, Contribution) else _move(one, found) for one in shown]
    rest = math.fsum(one.difference for one in listed) - math.fsum(one.difference for one in shown)
    if len(shown) < len(listed):
        count = len(listed) - len(shown)
        rows.append(Row(f"{count} smaller one{'s' if count > 1 else ''}", "", "", "", signed(rest)))
    return Table(title, columns, rows, math.fsum(one.difference for one in listed))


def _feature(one: Contribution, found: Explanation) -> Row:
    what = one.attribute + _times_value(one.value)
    if found.log_odds is None:
        what = f"{one.label} not {one.rival}: {what} (token {one.position})"
    return Row(what, "", signed(one.weight), signed(one.rival_weight), signed(one.difference))


def _move(one: MoveContribution, found: Explanation) -> Row:
    if found.log_odds is None:
        what = f"{' → '.join(one.labels)} not {' → '.join(one.rival_labels)} (token {one.position})"
        shares = ""
    else:
        what = _neighbours(one, found.position)
        shares = f"{percent(one.share)}, {percent(one.rival_share)}"
    if one.attribute is not None:
        what += f", {one.attribute}{_times_value(one.value)}"
    return Row(what, shares, signed(one.weight), signed(one.rival_weight), signed(one.difference))


def _times_value(value: float) -> str:
    return "" if value == 1 else f" × {value:.4g}".replace("-", "−")


def _neighbours(one: MoveContribution, position: int) -> str:
    """after NOUN; before DET; after ADJ NOUN; between NOUN and DET."""
    at = len(one.labels) - 1 - (one.position - position)
    left, right = one.labels[:at], one.labels[at + 1 :]
    if left and right:
        return f"between {' '.join(left)} and {' '.join(right)}"
    return f"after {' '.join(left)}" if left else f"before {' '.join(right)}"


def footnotes(found: Explanation) -> Iterator[str]:
    """What a share and a normaliser are, where there are any."""
    if found.log_odds is not None and found.moves:
        yield (
            f"share: how probable these neighbours are if the token is {found.label}, and if it is {found.rival}; "
            f"a move adds the difference of its weights, times a mean of both."
        )
    if abs(found.normaliser) >= SMALL:
        yield (
            "normaliser: the sums that an MEMM divides its steps by, so that the labels that can come next "
            "share a probability of 1; it takes back what the labels after the token say."
        )


def summary(found: Explanation) -> str:
    """The sum of the sums."""
    parts = [f"features {signed(found.from_features)}"]
    if found.log_odds is None:
        parts.append(f"moves {signed(found.from_before + found.from_after)}")
    else:
        parts += [f"labels before {signed(found.from_before)}", f"labels after {signed(found.from_after)}"]
    if abs(found.other_moves) >= SMALL:
        parts.append(f"all other moves {signed(found.other_moves)}")
    if abs(found.normaliser) >= SMALL:
        parts.append(f"normaliser {signed(found.normaliser)}")
    return f"{', '.join(parts)}: together {signed(found.total)}"


def signed(number: float) -> str:
    """+1.204, −0.330, 0 for nothing, never for what is not allowed."""
    if math.isinf(number):
        return "never"
    text = f"{number:+.3f}" if abs(number) < 1e6 else f"{number:+.3e}"
    return "0" if number == 0 else text.replace("-", "−", 1)


def percent(share: float) -> str:
    """97 %, 0.3 %, with no more digits than help."""
    value = 100 * share
    if 0 < value < 0.05:
        return "< 0.1 %"
    return f"{value:.0f} %" if value == 0 or 9.95 <= value < 99.5 or value >= 99.95 else f"{value:.1f} %"
