"""A template: the features of a model as one value that can be read, printed and extended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, ClassVar, overload

from seqlab import features as kinds
from seqlab.arrays import position_number
from seqlab.errors import Place, StoreError, TemplateError
from seqlab.features.functions import FUNCTIONS, Function
from seqlab.features.lexicon import PLAIN, Lexicon, StoredLexicons, gazetteer_of
from seqlab.features.model import (
    BOUNDARIES,
    SEQLAB,
    Boundary,
    Call,
    Feature,
    feature_text,
    is_canonical,
    lines,
    quoted_string,
)
from seqlab.features.values import Sentence, View, attributes, gives_several, shown
from seqlab.features.wapiti_regex import compiled
from seqlab.files import checked_name
from seqlab.shown import cut
from seqlab.store.fields import Choice

NUL = "a NUL character, which no text has; a file with such characters is UTF-16 or not a template"
Lexicons = Mapping[str, Lexicon | Mapping[str, str] | Iterable[str]]


@dataclass(frozen=True)
class Template:
    """A feature template: features in order, with their lexicons and boundary symbols.

    features   the same feature is kept once, unless it has a name of its own (CRF++, Wapiti)
    bigram     plain label bigrams, without any observation
    boundary   symbols read outside the sentence
    lexicons   by name
    """

    stored_kind: ClassVar[str] = "template"
    stored_facts: ClassVar[tuple[str, ...]] = ("text",)

    features: tuple[Feature, ...]
    bigram: bool = True
    boundary: Annotated[Boundary, Choice(BOUNDARIES)] = SEQLAB
    lexicons: Annotated[Mapping[str, Lexicon], StoredLexicons()] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", _without_repeats(self.features))
        object.__setattr__(self, "lexicons", dict(self.lexicons))
        if self.boundary not in BOUNDARIES.values():
            raise TemplateError(
                f"unknown boundary {self.boundary!r}: one of {', '.join(BOUNDARIES)} is wanted"
            )
        for name in _lexicons_of(self.features):
            if name not in self.lexicons:
                raise TemplateError(f"a feature asks for lexicon {name!r}, which the template does not have")

    @cached_property
    def several(self) -> frozenset[Feature]:
        """The features that can have several attributes at one token."""
        return frozenset(filter(gives_several, self.features))

    @property
    def text(self) -> str:
        """The template in its own language."""
        return str(self)

    def check(self) -> None:
        """Reject values that no parser makes but a file may have: unknown columns, functions and arguments.

        A file has the features one by one, not as text: reading them opens no lexicon's file, expands no
        range, and gives the same template for any characters in its pieces. The text is for information.
        """
        for atom in (atom for feature in self.features for atom in feature.atoms):
            if not _is_column(atom.column):
                raise StoreError(f"a feature reads the column {atom.column!r:.80}, which nothing can compute")
            for call in atom.calls:
                _check_call(call)

    # -------------------------------------------------------------------------------- reading

    @classmethod
    def parse(cls, text: str, *, lexicons: Lexicons | None = None) -> Template:
        """Read text in the template language (docs/guide/features.md); `lexicons` are those without a file."""
        return _parsed(text, lexicons=_lexicons(lexicons))

    @classmethod
    def from_crfpp(cls, source: str | PathLike[str], *, columns: Sequence[str] | None = None) -> Template:
        """Read a CRF++ template; source: a path, or the text itself (with a line end or a %); columns: their names."""
        from seqlab.features.foreign import read_crfpp

        text, path = _text_of(source)
        return read_crfpp(text, path=path, columns=columns)

    @classmethod
    def from_wapiti(cls, source: str | PathLike[str], *, columns: Sequence[str] | None = None) -> Template:
        """Read a Wapiti pattern file; source: a path, or the text (with a line end or a %); columns: their names."""
        from seqlab.features.foreign import read_wapiti

        text, path = _text_of(source)
        return read_wapiti(text, path=path, columns=columns)

    @classmethod
    def read(cls, path: str | PathLike[str], *, lexicons: Lexicons | None = None) -> Template:
        """Read the file at path in our language, CRF++'s or Wapiti's, as detected; lexicons as for parse."""
        from seqlab.features import foreign

        text = _read(path)
        match foreign.language_of(text):
            case "crfpp":
                return foreign.read_crfpp(text, path=str(path))
            case "wapiti":
                return foreign.read_wapiti(text, path=str(path))
        return _parsed(text, path=str(path), base=Path(path).parent, lexicons=_lexicons(lexicons))

    # -------------------------------------------------------------------------------- what it means

    def attributes(self, sentence: Sentence, t: int) -> list[str]:
        """Return the node attributes at token t of a sentence, counted from 0."""
        return self._seen([feature for feature in self.features if feature.on_node], sentence, t)

    def edge_attributes(self, sentence: Sentence, t: int) -> list[str]:
        """Return the edge attributes of the labels at t-1 and t of a sentence; none at token 0."""
        return self._seen([feature for feature in self.features if feature.on_edge and t != 0], sentence, t)

    def _seen(self, features: Iterable[Feature], sentence: Sentence, t: int) -> list[str]:
        view = self._view(sentence, t)
        return [text for feature in features for text in attributes(feature, view, t)]

    def show(self, sentence: Sentence, t: int) -> str:
        """List the features at token t of a sentence, one per line; for absent ones, the reason."""
        return shown(self.features, self._view(sentence, t), t, bigram=self.bigram)

    def _view(self, sentence: Sentence, t: int) -> View:
        view = View(sentence, self.boundary, self.lexicons)
        if not 0 <= position_number(t, "a template") < view.length:
            raise TemplateError(f"there is no token {t!r} in a sentence of {view.length}")
        return view

    # -------------------------------------------------------------------------------- as a value

    def __str__(self) -> str:
        head = [] if self.bigram else ["no edge"]
        head += [f"boundary {name}" for name, known in BOUNDARIES.items() if known == self.boundary != SEQLAB]
        for name, lexicon in self.lexicons.items():
            path = "" if lexicon.path is None else f" = {quoted_string(lexicon.path)}"
            head.append(f"lexicon {name}{path}")
        return "\n".join([*head, *lines(self.features)])

    def __repr__(self) -> str:
        return cut(f"Template({len(self)} features: {'; '.join(str(self).splitlines())})")

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.features)

    def __hash__(self) -> int:
        return hash((self.features, self.bigram, self.boundary, frozenset(self.lexicons.items())))

    @overload
    def __add__(self, other: Template | str) -> Template: ...
    @overload
    def __add__(self, other: Callable[..., Any]) -> kinds.FeatureSum: ...
    def __add__(self, other: Any) -> Any:
        """Join two templates; `no edge` of either applies to both, and boundary symbols are those of the left one.

        With a function (sentence, t), return a FeatureSum of both.
        """
        if isinstance(other, str):
            other = _parsed(other, lexicons=self.lexicons)
        if callable(other):
            from seqlab.features.own import FeatureSum  # needs this module

            return FeatureSum((self, other))
        if not isinstance(other, Template):
            return NotImplemented
        for name in self.lexicons.keys() & other.lexicons.keys():
            if self.lexicons[name] != other.lexicons[name]:
                raise TemplateError(f"the two templates mean different lexicons by {name!r}; rename one")
        features, lexicons = (*self.features, *other.features), {**self.lexicons, **other.lexicons}
        return Template(features, self.bigram and other.bigram, self.boundary, lexicons)

    def __radd__(self, other: Callable[..., Any]) -> kinds.FeatureSum:
        """Return the sum of a function (sentence, t) and the template."""
        from seqlab.features.own import FeatureSum  # needs this module

        return FeatureSum((other, self)) if callable(other) else NotImplemented

    def __sub__(self, other: Template | str) -> Template:
        """Leave out the features of the other one, each of which must be there."""
        if isinstance(other, str):
            other = _parsed(other, lexicons=self.lexicons)
        if not isinstance(other, Template):
            return NotImplemented
        mine, gone = ({_identity(feature) for feature in one.features} for one in (self, other))
        for feature in other.features:
            if _identity(feature) not in mine:
                raise TemplateError(
                    f"cannot take away {feature_text(feature)!r}: the template has no such feature"
                )
        return replace(self, features=tuple(f for f in self.features if _identity(f) not in gone))


def _parsed(text: str, **options: Any) -> Template:
    from seqlab.features.parse import parse  # not needed for templates of model files

    return parse(text, **options)


def _identity(feature: Feature) -> Feature:
    return feature._replace(min_count=1)


def _without_repeats(features: Iterable[Feature]) -> tuple[Feature, ...]:
    """Merge equal features, keeping the last cut-off; features with their own names (CRF++) may be repeated."""
    kept: dict[object, Feature] = {}
    for i, feature in enumerate(features):
        kept[_identity(feature) if is_canonical(feature) else i] = feature
    return tuple(kept.values())


def _lexicons_of(features: Iterable[Feature]) -> Iterator[str]:
    for feature in features:
        for atom in feature.atoms:
            gazetteer = gazetteer_of(atom.column)
            if gazetteer is not None:
                yield gazetteer.lexicon
            yield from (str(call.args[0]) for call in atom.calls if call.name == "in")


def _lexicons(given: Lexicons | None) -> dict[str, Lexicon]:
    return {
        name: entries if isinstance(entries, Lexicon) else Lexicon.of(name, entries)
        for name, entries in (given or {}).items()
    }


def _text_of(source: str | PathLike[str]) -> tuple[str, str | None]:
    """Return the text, and the file that it comes from."""
    if isinstance(source, str) and (not source or "\n" in source or "%" in source):
        return source, None
    return _read(source), str(source)


def _read(path: str | PathLike[str]) -> str:
    try:
        return Path(checked_name(path)).read_bytes().removeprefix(b"\xef\xbb\xbf").decode()
    except OSError as error:
        raise TemplateError(f"cannot read the template {str(path)!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TemplateError(
            f"not UTF-8: {error.reason} at byte {error.start}", place=Place(path=str(path))
        ) from error
    except ValueError as error:  # the name has a NUL or a lone surrogate
        raise TemplateError(f"cannot read the template {str(path)!r}: {error}") from error


def _is_column(name: str) -> bool:
    if name.startswith("#"):
        return name[1:].isascii() and name[1:].isdigit() and len(name) < 11
    if not name.startswith("@"):
        return True
    gazetteer = gazetteer_of(name)
    if gazetteer is None:
        return name[1:] in PLAIN
    return gazetteer.name == name and not gazetteer.column.startswith("@") and _is_column(gazetteer.column)


def _check_call(call: Call) -> None:
    name, arguments = call
    if name not in FUNCTIONS and name != "in":
        raise StoreError(f"a feature calls the unknown function {name!r:.80}")
    function = FUNCTIONS.get(name, Function(str, (str,)))
    if [type(argument) for argument in arguments] != list(function.arguments):
        raise StoreError(f"the function {name!r} got the arguments {list(arguments)!r:.80}")
    for argument in arguments if name != "in" else ():
        if isinstance(argument, str):
            try:
                compiled(argument)
            except TemplateError as error:
                raise StoreError(f"the function {name!r} has an unsound pattern: {error}") from error
        elif function.least is not None and argument < function.least:
            raise StoreError(
                f"the function {name!r} needs a number from {function.least} up, found {argument}"
            )
