"""Files with initial parameters of EM or with a dictionary: tables, labelled sentences, models, word lists."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import seqlab
from seqlab.cli.parsing import reading_of
from seqlab.cli.reading.corpora import is_model, label_column, load_model, read_corpora
from seqlab.cli.reading.numbers import with_vectors
from seqlab.errors import OptionError

WAYS = ("random", "kmeans", "clusters")
FORMS = ("dictionary", "tables", "labelled")  # prefixes of --init that tell the kind of file
TABLES = ("start", "transitions", "end", "emissions")
OF_EMISSIONS = ("means", "covariances", "weights", "rates", "probabilities")
TABLE_FILES = (".json", ".toml", ".npz")


def read(settings: argparse.Namespace, emissions: Any, observed: str | None) -> tuple[Any, dict[str, Any]]:
    """Read --init; return the option init of an HMM, and further options that the file sets.

    emissions   those of the HMM; None for words
    observed    the column of the observations; None for words
    """
    given = settings.init
    if given in WAYS:
        return given, {}
    prefix, colon, rest = given.partition(":")
    form, path = (prefix, rest) if colon and prefix in FORMS else (None, given)
    if not Path(path).is_file():
        raise OptionError(
            f"--init {given}: there is no such file; pass {', '.join(WAYS[:2])}, a model, tables or a dictionary as "
            f".json, .toml or .npz, lines of words and their labels, or labelled sentences"
        )
    if form is None and is_model(path):
        before = load_model(path)
        if not hasattr(before, "generate"):
            raise OptionError(f"--init {path}: EM begins with an hmm, but this is a {type(before).__name__}")
        return before, {}
    form = form or _form(path)
    if form == "dictionary":
        return dictionary(path), {}
    if form == "tables":
        return _tables(path, _contents(path), emissions)
    corpus = read_corpora([path], reading_of(settings))
    label = label_column(corpus, settings.label)
    if observed is not None and getattr(emissions, "holds", "") == "vectors":
        corpus = with_vectors(corpus, observed)
    return (corpus, label), {}


def _form(path: str) -> str:
    """Guess the kind of file by its keys; lines are a dictionary if every word occurs once and no line is blank."""
    if Path(path).suffix in TABLE_FILES:
        found = _contents(path)
        return (
            "tables" if set(found) & {*TABLES, *OF_EMISSIONS} and not _is_dictionary(found) else "dictionary"
        )
    lines = _lines(path)
    words = [line.split()[0] for line in lines if line.strip()]
    return "dictionary" if all(map(str.strip, lines)) and len(set(words)) == len(words) else "labelled"


def _is_dictionary(found: Mapping[str, Any]) -> bool:
    return all(
        isinstance(some, str) or (isinstance(some, list) and all(isinstance(one, str) for one in some))
        for some in found.values()
    )


def _lines(path: str) -> list[str]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"{path}: this is no UTF-8 text: {error.reason} at byte {error.start}") from error
    return text.rstrip().split("\n") if text.strip() else []


def _contents(path: str) -> dict[str, Any]:
    """Read a JSON, TOML or .npz file as a dict."""
    suffix = Path(path).suffix
    try:
        if suffix == ".npz":
            import numpy as np

            with np.load(path, allow_pickle=False) as arrays:
                return {name: arrays[name].tolist() for name in arrays.files}
        text = Path(path).read_text(encoding="utf-8-sig")
        if suffix == ".toml":
            import tomllib

            return tomllib.loads(text)
        import json

        found = json.loads(text)
    except (ValueError, OSError, RecursionError, EOFError) as error:
        raise OptionError(f"{path}: the file cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise OptionError(f"{path}: names and values are wanted, found {found!r:.60}")
    return found


# ------------------------------------------------------------------------------------------------ dictionaries


def dictionary(path: str) -> dict[str, list[str]]:
    """Read {word: labels} from JSON, TOML, or lines with a word and its labels, separated by blanks or tabs."""
    if not Path(path).is_file():
        raise OptionError(f"{path}: there is no such file; a dictionary has lines of a word and its labels")
    found: dict[str, list[str]] = defaultdict(list)
    if Path(path).suffix in TABLE_FILES:
        contents = _contents(path)
        if not _is_dictionary(contents):
            raise OptionError(f"{path}: a dictionary maps every word to a label or a list of labels")
        return {word: some.split() if isinstance(some, str) else some for word, some in contents.items()}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        head, tab, tail = line.rstrip("\r").partition("\t")
        word, labels = (head, tail.split()) if tab else (line.split()[0], line.split()[1:])
        if not labels:
            raise OptionError(f"{path}:{number}: a word and its labels are wanted, found {line!r:.60}")
        found[word] += [label for label in labels if label not in found[word]]
    if not found:
        raise OptionError(f"{path}: the dictionary has no word")
    return dict(found)


# ------------------------------------------------------------------------------------------------ tables


def _tables(path: str, found: dict[str, Any], emissions: Any) -> tuple[Any, dict[str, Any]]:
    """Read tables of an HMM: arrays, or by name {state: {state: P}} and {state: {word: P}}.

    Tables that name their symbols become a model; training adds the symbols that they lack.
    """
    loose = {name: found.pop(name) for name in OF_EMISSIONS if name in found}
    if loose:
        found["emissions"] = {**(found.get("emissions") or {}), **loose}
    known = {*TABLES, "states", "symbols"}
    for name in found:
        if name not in known:
            raise OptionError(f"{path}: there is no table {name!r}; known are {', '.join(sorted(known))}")
    states, symbols = _by_names(path, found, emissions)
    named = {} if states is None else {"states": [str(state) for state in states]}
    if symbols is None:
        return found, named
    if any(name not in found for name in ("start", "transitions", "emissions")):
        raise OptionError(
            f"{path}: tables that name their symbols want all of start, transitions and emissions"
        )
    tables = (found["start"], found["transitions"], found["emissions"])
    made = seqlab.HMM.from_tables(
        *tables, end=found.get("end"), emissions=emissions, symbols=symbols, **named
    )
    return made, {"end": True} if found.get("end") is not None else {}


def _by_names(path: str, found: dict[str, Any], emissions: Any) -> tuple[Any, Any]:
    """Replace tables by name with lists, in place; return the names of states and symbols, None without names."""
    states, symbols = found.pop("states", None), found.pop("symbols", None)
    B: Any = found.get("emissions")
    by_word = isinstance(B, dict) and bool(B) and all(isinstance(row, dict) for row in B.values())
    by_word = by_word and not getattr(emissions, "parts", None)  # the keys are names of streams
    tables = (found.get("start"), found.get("transitions"), B if by_word else None)
    states = states or next((list(one) for one in tables if isinstance(one, dict)), None)
    for name in ("start", "end"):
        if isinstance(found.get(name), dict):
            found[name] = _row(path, found[name], states, name)
    if isinstance(found.get("transitions"), dict):
        moves = found["transitions"]
        found["transitions"] = [_row(path, moves.get(state, {}), states, state) for state in states or ()]
    if by_word:
        symbols = symbols or list(dict.fromkeys(word for row in B.values() for word in row))
        found["emissions"] = [_row(path, B.get(state, {}), symbols, state) for state in states or ()]
    return states, symbols


def _row(path: str, row: Any, names: Any, what: str) -> list[float]:
    """Return the row of a table in the order of `names`, 0 for those that it lacks."""
    if not isinstance(row, dict) or names is None:
        raise OptionError(f"{path}: the row {what!r} should map names to probabilities, found {row!r:.60}")
    wrong = [name for name in row if name not in names]
    if wrong:
        raise OptionError(
            f"{path}: the row {what!r} has {wrong[0]!r}, which is none of {', '.join(map(str, names))}"
        )
    return [row.get(name, 0.0) for name in names]
