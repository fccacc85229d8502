"""Format an explanation: as text of at most 80 columns, and as HTML for a notebook."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from html import escape
from typing import NamedTuple

from seqlab.arrays import whole_number
from seqlab.families.linear.explain.explanation import Contribution, Explanation, MoveContribution
from seqlab.shown import Table as Columns
from seqlab.views.html import cell, table
from seqlab.views.notebook import Markup
from seqlab.views.text import clip, left, printable, right, text_width

COLUMNS = 80
NUMBER = 10  # screen columns of a number
SHARES = 16
HTML_ROWS = 20
AROUND = 25  # words that a notebook shows before and behind a token
SMALL = 5e-4  # rounds to 0 with three digits


class Row(NamedTuple):
    """One line of a table: its name, the probability of the neighbours, the two weights, the contribution."""

    what: str
    shares: str
    weight: str
    rival_weight: str
    adds: str


class Table(NamedTuple):
    """A table: its heading, the headings above the columns of weights, and its lines."""

    title: str
    columns: tuple[str, str]
    rows: list[Row]

    @property
    def heads(self) -> Row:
        """Headings of the columns; empty above a column of shares that is not shown."""
        return Row(self.title, "share" if any(row.shares for row in self.rows) else "", *self.columns, "adds")


# ------------------------------------------------------------------------------------------------ text


def explanation_text(found: Explanation, *, rows: int) -> str:
    """Write the question, the answer, and the tables."""
    rows = whole_number(rows, "rows", 1)
    parts = [_filled(question(found)), _sentence(found)]
    if found.path is not None:
        parts.append(_paths(found))
    parts.append("\n".join(map(_filled, verdict(found))))
    parts += [_text_table(some) for some in tables(found, rows) if some.rows]
    parts += [_filled(line) for line in (*footnotes(found), summary(found))]
    return "\n\n".join(part for part in parts if part)


def _filled(line: str) -> str:
    return textwrap.fill(printable(line), COLUMNS)


def _sentence(found: Explanation) -> str:
    """Write the words, with the token in brackets; of a long sentence only those around it."""
    if all(word == str(t) for t, word in enumerate(found.tokens)):
        return ""
    words, t = [printable(word) for word in found.tokens], found.position
    words[t] = f"[{words[t]}]"
    begin, end = t, t + 1
    while end - begin < len(words):
        backward = begin > 0 and (end == len(words) or t - begin <= end - t)
        wider = (begin - 1, end) if backward else (begin, end + 1)
        if text_width(" ".join(words[slice(*wider)])) > COLUMNS - 10:
            break
        begin, end = wider
    shown = clip(" ".join(words[begin:end]), COLUMNS - 10, "…")
    return f"  {'... ' if begin else ''}{shown}{' ...' if end < len(words) else ''}"


def _paths(found: Explanation) -> str:
    """Write the tokens where the two paths differ, with both labels."""
    lines = [f"  {left('the paths differ at', 24)}  {left(f'with {found.label}', 20)}  with {found.rival}"]
    for t, (one, other) in enumerate(zip(found.path or (), found.rival_path or (), strict=True)):
        if one != other:
            lines.append(f"  {left(found.tokens[t], 24)}  {left(one, 20)}  {left(other, 20)}".rstrip())
    return "\n".join(lines)


def _text_table(some: Table) -> str:
    shares = SHARES if some.heads.shares else 0
    room = COLUMNS - shares - 3 * NUMBER
    widest = max(text_width(printable(row.what)) for row in some.rows) + 2
    width = max(min(widest, room), min(text_width(some.title), room))
    one, other = (clip(printable(name), NUMBER - 1, "…") for name in some.columns)
    rows = [some.heads._replace(weight=one, rival_weight=other)]
    rows += [row._replace(what=f"  {row.what}") for row in some.rows]
    return "\n".join(
        (left(what, width) + right(share, shares) + "".join(right(one, NUMBER) for one in numbers)).rstrip()
        for what, share, *numbers in rows
    )


# ------------------------------------------------------------------------------------------------ HTML


def explanation_views(found: Explanation) -> Iterator[str | Columns]:
    """Make the question, the sentence, the tables and the sum, as a notebook shows them."""
    at = min(found.position, AROUND)
    words = [escape(word) for word in found.tokens[found.position - at : found.position + AROUND]]
    words[at] = f"<mark>{words[at]}</mark>"
    yield question(found)
    yield Markup(f"<p>{' '.join(words)}</p>")
    yield from verdict(found)
    for some in tables(found, HTML_ROWS):
        if some.rows:
            yield _html_table(some)
    yield from (*footnotes(found), summary(found))


def _html_table(some: Table) -> Markup:
    shown = [place for place, head in enumerate(some.heads) if head or place != 1]
    lines = []
    for row in some.rows:
        side = "yes" if row.adds.startswith("+") else "no"  # the sign shows it too
        cells = "".join(cell(row[place]) for place in shown[:-1])
        lines.append(f'<tr>{cells}<td><span class="{side}">{escape(row.adds)}</span></td></tr>')
    return Markup(table([some.heads[place] for place in shown], lines, kind="right"))


# ------------------------------------------------------------------------------------------------ words


def question(found: Explanation) -> str:
    """Write the question: a token with its position, or its position alone without words."""
    t, word = found.position, found.tokens[found.position]
    named = f"token {t}" if word == str(t) else f"“{clip(word, 30, '…')}” (token {t})"
    return f"Why is {named} {found.label} rather than {found.rival}?"


def verdict(found: Explanation) -> list[str]:
    """Write the result in a sentence or two."""
    size = (found.margin if found.log_odds is None else found.log_odds) or 0.0
    more, less = (found.label, found.rival) if size >= 0 else (found.rival, found.label)
    if found.log_odds is None:
        return [
            f"The best path with {more} there scores {abs(size):.3f} more than the best path with {less}."
        ]
    lines = []
    if found.probability is not None and found.rival_probability is not None:
        odds = math.exp(min(abs(size), 14.0))
        times = "more than a million" if odds > 1e6 else f"{odds:,.0f}" if odds >= 100 else f"{odds:.3g}"
        said = f"{more} is {times} times as probable as {less}"
        if abs(size) < 0.005:
            said = "both are equally probable"
        both = f"{found.label} {percent(found.probability)}, {found.rival} {percent(found.rival_probability)}"
        lines.append(f"{both}: {said}.")
    return [*lines, f"The log-odds are {signed(found.log_odds)}, and this is what they add up from:"]


def tables(found: Explanation, most: int) -> Iterator[Table]:
    """Make tables of features, then of transitions: of one position for log-odds, of two paths for a margin."""
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
    rows = [_row(one, found) for one in shown]
    count = len(listed) - len(shown)
    if count:
        rest = math.fsum(one.difference for one in listed) - math.fsum(one.difference for one in shown)
        rows.append(Row(f"{count} smaller one{'s' if count > 1 else ''}", "", "", "", signed(rest)))
    return Table(title, columns, rows)


def _row(one: Contribution | MoveContribution, found: Explanation) -> Row:
    attribute, shares = one.attribute or "", ""
    if one.value != 1:
        attribute += f" × {one.value:.4g}".replace("-", "−")
    if isinstance(one, Contribution):
        what = attribute
        if found.log_odds is None:
            what = f"{one.label} not {one.rival}: {what} (token {one.position})"
    else:
        if found.log_odds is None:
            what = f"{' → '.join(one.labels)} not {' → '.join(one.rival_labels)} (token {one.position})"
        else:
            what = _neighbours(one, found.position)
            shares = f"{percent(one.share)}, {percent(one.rival_share)}"
        if one.attribute is not None:
            what += f", {attribute}"
    return Row(what, shares, signed(one.weight), signed(one.rival_weight), signed(one.difference))


def _neighbours(one: MoveContribution, position: int) -> str:
    """Write "after NOUN", "before DET", "after ADJ NOUN" or "between NOUN and DET"."""
    at = len(one.labels) - 1 - (one.position - position)
    before, after = one.labels[:at], one.labels[at + 1 :]
    if before and after:
        return f"between {' '.join(before)} and {' '.join(after)}"
    return f"after {' '.join(before)}" if before else f"before {' '.join(after)}"


def footnotes(found: Explanation) -> Iterator[str]:
    """Explain shares and the normaliser, where there are any."""
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
    """Write the sums and their total."""
    parts = [f"features {signed(found.from_features)}"]
    if found.log_odds is None:
        parts.append(f"moves {signed(found.from_before + found.from_after)}")
    else:
        parts += [f"labels before {signed(found.from_before)}", f"labels after {signed(found.from_after)}"]
    for name, size in (("all other moves", found.other_moves), ("normaliser", found.normaliser)):
        if abs(size) >= SMALL:
            parts.append(f"{name} {signed(size)}")
    return f"{', '.join(parts)}: together {signed(found.total)}"


def signed(number: float) -> str:
    """Format a signed number: +1.204, −0.330, 0 for zero, "never" for -inf."""
    if math.isinf(number):
        return "never"
    text = f"{number:+.3f}" if abs(number) < 1e6 else f"{number:+.3e}"
    return "0" if number == 0 else text.replace("-", "−", 1)


def percent(share: float) -> str:
    """Format a percentage, 97 % or 0.3 %, with few digits."""
    value = 100 * share
    if 0 < value < 0.05:
        return "< 0.1 %"
    return f"{value:.0f} %" if value == 0 or 9.95 <= value < 99.5 or value >= 99.95 else f"{value:.1f} %"
