"""Feature functions in Python, for features that the template language cannot express; sums of features."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqlab.corpus.lists import Bag, bag
from seqlab.corpus.sentence import Token
from seqlab.errors import TemplateError
from seqlab.features.template import Template
from seqlab.shown import cut

Given = Mapping[str, Any] | Iterable[str | tuple[str, float]]


class _Addable:
    """Features that can be added to others: `presets.ner + my_function`."""

    def __add__(self, other: Any) -> FeatureSum:
        return NotImplemented if other is None else FeatureSum((self, other))

    def __radd__(self, other: Any) -> FeatureSum:
        return NotImplemented if other is None else FeatureSum((other, self))


@dataclass(frozen=True)
class FeatureFunction(_Addable):
    """A function of a sentence and a position that gives strings, pairs (string, number), or a dict.

    >>> def endings(sentence, t):
    ...     yield sentence["word"][t][-2:]
    ...     yield "length", len(sentence["word"][t])
    >>> FeatureFunction(endings)({"word": ["running"]}, 0)
    [('ng', 1.0), ('length', 7.0)]
    """

    function: Callable[..., Given]

    def __post_init__(self) -> None:
        _check_function(self.function, "(sentence, t)", "a sentence and a position", (None, 0))

    @property
    def name(self) -> str:
        """The name in messages."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, sentence: Any, t: int) -> Bag:
        """Return the attributes at token t, with their weights."""
        return _read(self.function(sentence, t), f"{self.name}(sentence, {t})")


class PairFunction(FeatureFunction):
    """Function (sentence, t) whose attributes are for label pairs: each has a weight for every pair seen with it.

    It is called for every token but the first of a sentence; the pair are the labels of t - 1 and t.
    """


class LabelPairFunction(FeatureFunction):
    """Function phi(sentence, t, previous, label) of the labels of t - 1 and t; each of its strings has one weight.

    It adds to the score of a labelling the sum of weight times value, over t = 1, 2, ... and the strings of phi for
    the labels at t - 1 and t. phi is called for every label pair at every token but the first of a sentence.
    """

    def __post_init__(self) -> None:
        what = "a sentence, a position and two labels"
        _check_function(self.function, "(sentence, t, previous, label)", what, (None, 1, "", ""))

    def __call__(self, sentence: Any, t: int, previous: str = "", label: str = "") -> Bag:
        """Return the strings for the labels of t - 1 and t, with their values."""
        where = f"{self.name}(sentence, {t}, {previous!r:.40}, {label!r:.40})"
        return _read(self.function(sentence, t, previous, label), where)


Part = Template | FeatureFunction


def pairs(function: Callable[..., Given]) -> PairFunction:
    """Make edge features of a function (sentence, t) -> attributes, like `edge:` in a template."""
    return function if isinstance(function, PairFunction) else PairFunction(function)


def label_pairs(function: Callable[..., Given]) -> LabelPairFunction:
    """Make features of a function phi(sentence, t, previous, label) -> strings or (string, number) pairs.

    Each string has one weight, whatever the labels.
    """
    return function if isinstance(function, LabelPairFunction) else LabelPairFunction(function)


@dataclass(frozen=True)
class FeatureSum(_Addable):
    """Sum of features: templates, and functions of the user's own.

    parts   templates (joined into one), functions (sentence, t), pairs(...) and label_pairs(...)

    >>> def endings(sentence, t):
    ...     return [sentence["word"][t][-2:]]
    >>> both = Template.parse("word[0]") + endings
    >>> both.attributes({"word": ["running"]}, 0)
    ['word[0]=running', 'ng']
    """

    parts: tuple[Any, ...]

    def __post_init__(self) -> None:
        template: Template | None = None
        functions: list[Part] = []
        for part in _flat(self.parts):
            if isinstance(part, Template):
                template = part if template is None else template + part
            else:
                functions.append(part)
        given = () if template is None else (template,)
        object.__setattr__(self, "parts", (*given, *dict.fromkeys(functions)))

    @property
    def template(self) -> Template | None:
        """Return the template among the parts; None if there is none."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], Template) else None

    @property
    def functions(self) -> tuple[FeatureFunction, ...]:
        """Return the functions among the parts."""
        return tuple(part for part in self.parts if isinstance(part, FeatureFunction))

    @property
    def bigram(self) -> bool:
        """True if there are transition weights that do not depend on the words."""
        return self.template is None or self.template.bigram

    def attributes(self, sentence: Any, t: int) -> list[str]:
        """Return the node attributes at token t of a sentence."""
        found = [] if self.template is None else self.template.attributes(sentence, t)
        for function in self.functions:
            if not isinstance(function, (PairFunction, LabelPairFunction)):
                found += [name for name, _ in function(sentence, t)]
        return found

    def edge_attributes(self, sentence: Any, t: int) -> list[str]:
        """Return the edge attributes at token t of a sentence, without those of label_pairs(...)."""
        found = [] if self.template is None else self.template.edge_attributes(sentence, t)
        for function in self.functions if t else ():
            if isinstance(function, PairFunction):
                found += [name for name, _ in function(sentence, t)]
        return found

    def __repr__(self) -> str:
        return cut(" + ".join(map(repr, self.parts)))


def _flat(parts: Iterable[Any]) -> Iterable[Part]:
    for part in parts:
        if isinstance(part, FeatureSum):
            yield from part.parts
        elif isinstance(part, str):
            from seqlab.features.presets import preset_or_template  # importing it parses all presets

            yield preset_or_template(part)
        elif isinstance(part, (Template, FeatureFunction)):
            yield part
        else:
            yield FeatureFunction(part)


def _check_function(function: Any, call: str, given: str, example: Sequence[Any]) -> None:
    """Reject anything that cannot be called with these arguments."""
    if not callable(function):
        raise TemplateError(f"a function {call} -> strings is wanted, got {function!r}")
    try:
        wanted = inspect.signature(function)
    except (TypeError, ValueError):  # some extension functions have no signature
        return
    try:
        wanted.bind(*example)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        hint = "; label_pairs(...) makes a feature of it" if _fits(wanted, 4) and len(example) == 2 else ""
        raise TemplateError(
            f"{name}{wanted} cannot be called with {given}; features want a function {call}{hint}"
        ) from None


def _fits(wanted: inspect.Signature, count: int) -> bool:
    try:
        wanted.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _read(given: Any, where: str) -> Bag:
    """Read the attributes that a function returned; `where` begins error messages."""
    if isinstance(given, Mapping):
        for name, value in given.items():
            if isinstance(value, Token):
                first = value.sentence.columns[0]
                raise TemplateError(
                    f"{where}: attribute {name!r} has a whole token for a value; write sentence[t].{first} or "
                    f"sentence[{first!r}][t] for its string"
                )
        return bag(given, where=where)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TemplateError(f"{where} should give a list of strings, got {given!r}")
    found: Bag = []
    for one in given:
        if not (isinstance(one, tuple) and len(one) == 2):
            found += bag([one], where=where)
        elif isinstance(one[1], (str, bytes, list, set, Mapping)):
            raise TemplateError(
                f"{where} gave {one!r}; a string, or a pair of a string and a number, is wanted"
            )
        else:
            found += bag({one[0]: one[1]}, where=where)
    return found
