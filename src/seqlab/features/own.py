"""Feature functions in Python, for features that the template language cannot express."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from seqlab.corpus.lists import Bag, bag
from seqlab.corpus.sentence import Token
from seqlab.errors import TemplateError

Given = Mapping[str, Any] | Iterable[str | tuple[str, float]]


@dataclass(frozen=True)
class FeatureFunction:
    """A function of a sentence and a position that gives strings, pairs (string, number), or a dict.

    >>> def endings(sentence, t):
    ...     yield sentence["word"][t][-2:]
    ...     yield "length", len(sentence["word"][t])
    >>> FeatureFunction(endings)({"word": ["running"]}, 0)
    [('ng', 1.0), ('length', 7.0)]
    """

    function: Callable[[Any, int], Given]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TemplateError(f"a function (sentence, t) -> strings is wanted, got {self.function!r}")
        try:
            wanted = inspect.signature(self.function)
        except (TypeError, ValueError):  # some extension functions have no signature
            return
        try:
            wanted.bind(None, 0)
        except TypeError:
            raise TemplateError(
                f"{self.name}{wanted} cannot be called with a sentence and a position; features want a function "
                f"(sentence, t)"
            ) from None

    @property
    def name(self) -> str:
        """The name in messages."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, sentence: Any, t: int) -> Bag:
        """Return the attributes at token t, with their weights."""
        where = f"{self.name}(sentence, {t})"
        given = self.function(sentence, t)
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
