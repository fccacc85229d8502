"""Names of columns: the usual ones, their other spellings, and what an unknown one may have meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from seqlab.errors import CorpusError

CONLLU = ("id", "word", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")

# The types of the CoNLL-2000 chunking task; whatever else carries a scheme is taken for entities.
CHUNK_TYPES = frozenset(["NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP"])
_SCHEME_TAG = r"[BIESLUM]-(.+)"


def resolve(name: str, columns: Sequence[str]) -> str:
    """The column that `name` means: "form" is "word", and "pos" is "upos" when there is no "pos"."""
    if name in columns:
        return name
    alias = {"form": "word", "word": "form", "pos": "upos"}.get(name)
    if alias in columns:
        return str(alias)
    raise CorpusError(unknown(name, columns))


def unknown(name: object, columns: Sequence[str]) -> str:
    """What to say about a column that is not there."""
    import difflib  # slow to import

    there = ", ".join(map(repr, columns)) or "none"
    near = difflib.get_close_matches(str(name), columns, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no column {name!r}: the columns are {there}{hint}"


def counted(number: int, noun: str) -> str:
    """1 token, 2 tokens."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def checked(names: Iterable[str]) -> tuple[str, ...]:
    """Names as a tuple: strings, not empty, each once."""
    if isinstance(names, str):
        raise CorpusError(
            f"columns must be a list of names, got the single string {names!r}; write ({names!r},)"
        )
    kept = tuple(names)
    for name in kept:
        if not isinstance(name, str) or not name:
            raise CorpusError(f"a column name must be a string that is not empty, got {name!r}")
        if kept.count(name) > 1:
            raise CorpusError(
                f"the column name {name!r} occurs twice in {kept!r}; every column needs its own"
            )
    return kept


def usual(width: int, last_values: Iterable[str]) -> tuple[str, ...]:
    """Names for a file of `width` columns that says nothing about them."""
    if width == 1:
        return ("word",)
    if width == 2:
        return ("word", "label")
    if width == 3:
        return ("word", "pos", _meaning(last_values))
    if width == 4:
        return ("word", "pos", "chunk", "entity")
    return ("word", *(f"column{i}" for i in range(1, width - 1)), "label")


def _meaning(values: Iterable[str]) -> str:
    """What a column of these values is: chunk, entity, or just label."""
    types = set()
    for value in values:
        tag = re.fullmatch(_SCHEME_TAG, value)
        if tag:
            types.add(tag[1])
        elif value != "O":
            return "label"
    if not types:
        return "label"
    return "chunk" if types <= CHUNK_TYPES else "entity"
