"""What users may give as features: templates, names of presets, functions, or none; and bags where there are any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import BagColumn, Corpus
from seqlab.corpus.bags import Bag
from seqlab.errors import CorpusError, OptionError, Place, TemplateError
from seqlab.features import Template
from seqlab.features.own import FeatureFunction

Features = Template | str | Callable[[Any, int], Any] | None


def as_features(given: Features) -> Template | FeatureFunction | None:
    """A template as it is, a preset by name, template text parsed, a function wrapped."""
    if given is None or isinstance(given, (Template, FeatureFunction)):
        return given
    if isinstance(given, str):
        return preset_or_template(given)
    if callable(given):
        return FeatureFunction(given)
    raise OptionError(
        f"features must be a preset's name, a Template, a function (sentence, t) or None, got {given!r}"
    )


def preset_or_template(text: str) -> Template:
    """The preset of this name, or template text."""
    from seqlab.features import presets  # they are parsed when imported, so only when one is asked for

    if text in presets.__all__:
        template: Template = getattr(presets, text)
        return template
    try:
        return Template.parse(text)
    except TemplateError as error:
        if not text.isidentifier():
            raise
        known = ", ".join(map(repr, presets.__all__))
        raise OptionError(
            f"there is no preset {text!r}, only {known}; template text has brackets, like 'word[0]'"
        ) from error


@dataclass(frozen=True, slots=True)
class BagsOfColumn:
    """Finds the bags in the column of this name."""

    name: str

    def __call__(self, corpus: Corpus) -> BagColumn:
        """The column, which must hold bags."""
        if not corpus.token_count:  # lists without a token do not say what they hold
            return BagColumn(
                np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), None, _core.StringPool()
            )
        column = corpus.data(self.name)
        if not isinstance(column, BagColumn):
            first = int(np.flatnonzero(corpus.lengths)[0])
            raise CorpusError(
                f"column {self.name!r} has {corpus[first][self.name][0]!r:.60}, but in training every token had a "
                f"list of strings or a dict; give its attributes, as in ['word=the', 'bias']",
                place=Place(first, 0, item="token"),
            )
        return column


@dataclass(frozen=True, slots=True)
class BagsOfFunction:
    """Calls the user's function at every token."""

    function: FeatureFunction

    def __call__(self, corpus: Corpus) -> BagColumn:
        """What it gave."""
        pool = _core.StringPool()
        indptr, codes, weights = [0], [], []
        for number, sentence in enumerate(corpus):
            for t in range(len(sentence)):
                for attribute, weight in self._asked(number, sentence, t):
                    codes.append(pool.intern(attribute))
                    weights.append(weight)
                indptr.append(len(codes))
        return BagColumn(
            np.array(indptr, dtype=np.int64),
            np.array(codes, dtype=np.int32),
            None if all(weight == 1 for weight in weights) else np.array(weights, dtype=np.float64),
            pool,
        )

    def _asked(self, number: int, sentence: Any, t: int) -> Bag:
        try:
            return self.function(sentence, t)
        except (CorpusError, TemplateError) as error:
            raise error.at(sentence=number) from error.__cause__
