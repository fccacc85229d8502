"""What the caller of read or stream may say, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from seqlab.corpus.names import CONLLU, checked
from seqlab.errors import CorpusError

Columns = Sequence[str] | Mapping[str, Any] | None


class Options(NamedTuple):
    """What the caller of read or stream said, then what the file told, which Intake fills in.

    format    given or guessed
    name      of the file, for messages
    bom       whether a byte-order mark was skipped
    """

    format: str | None = None
    columns: Columns = None
    separator: str | None = None
    comments: bool | str = False
    docstart: bool = True
    name: str = ""
    guessed: bool = False
    bom: bool = False


def wanted_cells(columns: Columns) -> tuple[tuple[str, ...] | None, list[int]]:
    """Names and the cells to pick (none: all)."""
    if columns is None:
        return None, []
    names = checked(columns)
    if not names:
        raise CorpusError("columns= must name at least one column, got none")
    if not isinstance(columns, Mapping):
        return names, []
    picks = list(columns.values())
    for name, pick in columns.items():
        if isinstance(pick, bool) or not isinstance(pick, int) or not -10_000 < pick < 10_000:
            raise CorpusError(
                f"columns={{{name!r}: {pick!r}}}: the number of a cell is wanted, -1 for the last one"
            )
    return names, picks


def conllu_cells(columns: Columns) -> tuple[tuple[str, ...], list[int]]:
    """The same for CoNLL-U, where names of its own columns also pick."""
    names, picks = wanted_cells(columns)
    if names is None:
        return CONLLU, []
    if picks:
        outside = [pick for pick in picks if not -len(CONLLU) <= pick < len(CONLLU)]
        if outside:
            raise CorpusError(
                f"columns= picks cell {outside[0]}, but CoNLL-U has cells 0 to {len(CONLLU) - 1}"
            )
        return names, picks
    places = {**{name: i for i, name in enumerate(CONLLU)}, "form": 1, "pos": 3}
    if all(name in places for name in names):
        return names, [places[name] for name in names]
    if len(names) == len(CONLLU):
        return names, []
    strange = next(name for name in names if name not in places)
    raise CorpusError(
        f"CoNLL-U has no column {strange!r}: its columns are {', '.join(CONLLU)}; "
        f"pass ten names, some of these, or a mapping like {{{strange!r}: 3}}"
    )


def separator_byte(separator: str | None) -> int:
    """The byte between cells; 0 when the first line shall tell."""
    if separator is None:
        return 0
    if (
        not isinstance(separator, str)
        or len(separator) != 1
        or not 0 < ord(separator) < 128
        or separator in "\r\n"
    ):
        raise CorpusError(
            f"separator must be '\\t', ' ' for any number of blanks, or another ASCII character, got {separator!r}"
        )
    return ord(separator)


def comment_prefix(*, comments: bool | str) -> str:
    """What comment lines begin with; "" when there are none."""
    if isinstance(comments, str) and "\n" not in comments and comments:
        return comments
    if isinstance(comments, bool):
        return "#" if comments else ""
    raise CorpusError(f"comments must be True, False, or what comment lines begin with, got {comments!r}")


def line_names(options: Options) -> tuple[str, ...]:
    """Names for one-sentence-a-line text: the word, and its tag in word/TAG."""
    usual = ("word", "label") if options.format == "slash" else ("word",)
    return _fixed(options, usual)


def attribute_names(options: Options) -> tuple[str, ...]:
    """Names for CRFsuite's files."""
    return _fixed(options, ("label", "attributes"))


def _fixed(options: Options, usual: tuple[str, ...]) -> tuple[str, ...]:
    if options.columns is None:
        return usual
    names = checked(options.columns)
    if isinstance(options.columns, Mapping) or len(names) != len(usual):
        raise CorpusError(
            f"format {options.format!r} has {len(usual)} columns ({', '.join(usual)}); "
            f"columns= must give {len(usual)} names, got {options.columns!r}"
        )
    return names
