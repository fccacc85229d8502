"""Values that features read from a sentence: the plain, slow definition that the encoder is tested against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from seqlab.errors import CorpusError, TemplateError
from seqlab.features.functions import FOLDS, FUNCTIONS
from seqlab.features.lexicon import Lexicon, gazetteer_of, plain_column
from seqlab.features.model import Atom, Boundary, Call, Feature, SentenceLike, feature_text

Sentence = SentenceLike | Mapping[str, Sequence[str | None]] | list[str] | tuple[str, ...]


class View:
    """A sentence with the computed columns, and with the boundary and lexicons of a template."""

    def __init__(self, given: Sentence, boundary: Boundary, lexicons: Mapping[str, Lexicon]) -> None:
        """Wrap a Sentence, a dict {column: values}, or a list of words."""
        self.sentence = {"word": given} if isinstance(given, (list, tuple)) else given
        self.boundary = boundary
        self.lexicons = lexicons
        self._cache: dict[str, Sequence[str | None]] = {}
        if isinstance(self.sentence, Mapping):
            lengths = {name: len(values) for name, values in self.sentence.items()}
            if len(set(lengths.values())) > 1:
                raise TemplateError(f"the columns of a sentence must be equally long, got {lengths}")
            self.columns = tuple(self.sentence)
            self.length = max(lengths.values(), default=0)
        elif isinstance(given, str) or not hasattr(given, "columns"):
            raise TemplateError(f"a sentence, a dict of columns or a list of words is wanted, got {given!r}")
        else:
            self.columns, self.length = tuple(given.columns), len(given)

    def column(self, name: str) -> Sequence[str | None]:
        """Return the values of a column, whether it is read or computed."""
        if name not in self._cache:
            self._cache[name] = self._read(name)
        return self._cache[name]

    def _read(self, name: str) -> Sequence[str | None]:
        gazetteer = gazetteer_of(name)
        if gazetteer is not None:
            return gazetteer.values(self.column(gazetteer.column), self.lexicons)
        if name.startswith("@"):
            return plain_column(name, self.length)
        try:
            values = self.sentence[self.columns[int(name[1:])] if name.startswith("#") else name]
        except (LookupError, CorpusError):
            raise missing_column(name, self.columns) from None
        for t, one in enumerate(values):
            if one is not None and not isinstance(one, str):
                raise TemplateError(
                    f"the template reads column {name!r} as text, but it holds {quoted(repr(one))} at token {t}"
                )
        return values


def missing_column(name: str, columns: Sequence[str]) -> TemplateError:
    """Make the error for a column that a template reads and a corpus does not have."""
    asked = f"column number {name[1:]} (from 0)" if name.startswith("#") else f"a column {name!r}"
    return TemplateError(
        f"the template reads {asked}, but the corpus has {len(columns)}: "
        f"{', '.join(map(repr, columns))}{near(name, columns)}"
    )


def gives_several(feature: Feature) -> bool:
    """Return True if the feature can have several attributes at one token."""
    calls = (call.name for atom in feature.atoms for call in atom.calls)
    return any(name in FUNCTIONS and FUNCTIONS[name].several for name in calls)


def values(atom: Atom, view: View, t: int) -> list[str]:
    """Return the values of an atom at token t: none if it is absent; some functions return several."""
    start = t if not atom.absolute else view.length if atom.offset < 0 else 0
    place = start + atom.offset
    if 0 <= place < view.length:
        return all_through(atom.calls, view.column(atom.column)[place], view.lexicons)
    symbol = view.boundary.symbol(place, view.length)
    return all_through(atom.calls, symbol, view.lexicons) if view.boundary.calls else [symbol]


def all_through(calls: Sequence[Call], read: str | None, lexicons: Mapping[str, Lexicon]) -> list[str]:
    """Apply all calls to a value, innermost first, each to all results of the one before; duplicates are dropped.

    `in` compares in the case of the last `lower` or `upper` before it: the entries are put into the same case, so that
    `in(lower(word[0]), cities)` finds "Berlin" however the file spells it.
    """
    fold = None
    found = [] if read is None else [read]
    for call in calls:
        given: list[str | None] = []
        for one in found:
            if call.name == "in":
                given.append(lexicons[str(call.args[0])].table(fold).get(one))
            else:
                function = FUNCTIONS[call.name]
                value = function.apply(one, *call.args)
                given += value if function.several else [value]
        found = [value for value in dict.fromkeys(given) if value is not None]
        if call.name in FOLDS:
            fold = call.name
    return found


def passed_through(calls: Sequence[Call], read: str | None, lexicons: Mapping[str, Lexicon]) -> str | None:
    """Apply calls that return one value each; None if the feature is absent."""
    found = all_through(calls, read, lexicons)
    return found[0] if found else None


def attributes(feature: Feature, view: View, t: int) -> list[str]:
    """Return the attribute strings of a feature at token t: none if one of its values is absent."""
    return written(feature, [values(atom, view, t) for atom in feature.atoms])


def written(feature: Feature, read: Sequence[Sequence[str]]) -> list[str]:
    """Return the attribute strings of all combinations of values, the last varying fastest."""
    return [
        feature.pieces[0] + "".join(map(str.__add__, some, feature.pieces[1:])) for some in product(*read)
    ]


def why_absent(feature: Feature, view: View, t: int) -> str:
    """Describe which value is missing."""
    for atom in feature.atoms:
        steps = [
            values(atom._replace(calls=atom.calls[:count]), view, t) for count in range(len(atom.calls) + 1)
        ]
        if not steps[0]:
            if not atom.column.startswith("@"):
                return f"no value of {atom.column} here"
            gazetteer = gazetteer_of(atom.column)
            return (
                f"not the {atom.column[1:]} token"
                if gazetteer is None
                else f"no entry of {gazetteer.lexicon}"
            )
        if [] in steps:
            count = steps.index([])
            return f"{atom.calls[count - 1].name} of {quoted(steps[count - 1][0])} gives nothing"
    return "present"


def near(name: str, known: Iterable[str]) -> str:
    """Return '; did you mean ...?' when a known name is similar, otherwise nothing."""
    from difflib import get_close_matches  # slow to import

    lowered = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    return f"; did you mean {lowered[found[0]]!r}?" if found else ""


def quoted(text: str, most: int = 40) -> str:
    """Quote the text, shortened when it is long."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")


def shown(features: Sequence[Feature], view: View, t: int, *, bigram: bool) -> str:
    """List feature | attribute, node features first, then edge features."""
    nodes = [(feature_text(f), _seen(f, view, t)) for f in features if f.on_node]
    edges = [(feature_text(f), _seen(f, view, t)) for f in features if f.on_edge]
    if bigram:
        edges.insert(0, ("", "the plain pair of labels"))
    if t == 0 and edges:
        edges = [("", "nothing: there is no pair at the first token")]
    width = max((len(text) for text, _ in nodes + edges), default=0)
    lines = [f"token {t} of {view.length}{_row(view, t)}"]
    for title, rows in (("labels see", nodes), ("pairs of labels see", edges)):
        if rows:
            lines += ["", title, *(f"  {text:<{width}} | {seen}" for text, seen in rows)]
    return "\n".join(lines)


def _seen(feature: Feature, view: View, t: int) -> str:
    found = attributes(feature, view, t)
    return ", ".join(found) if found else f"(absent: {why_absent(feature, view, t)})"


def _row(view: View, t: int) -> str:
    """Show the token itself: its value in every column of text."""
    cells = [(name, view.sentence[name][t]) for name in view.columns]
    found = [f"{name}={cell!r}" for name, cell in cells if isinstance(cell, str)]
    return ": " + ", ".join(found) if found else ""
