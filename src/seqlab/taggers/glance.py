"""The labels of a few tokens, straight from the arrays of a file, before anything is built of it.

Whoever tags one sentence with a large model would wait for tables of which a few rows are needed. Here each string and
each attribute is looked for in the arrays as they lie there, from one end to the other: slower for many tokens, but
nothing has to be made first (a chunker of 22 MB says its first labels after 15 ms, not 180). Whatever looks odd is left
to the usual way, which checks every number and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import inference
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.encode.plan import Plan
from seqlab.encode.stored import KIND as ENCODER
from seqlab.encode.stored import TEMPLATE_ROWS
from seqlab.errors import SeqlabError
from seqlab.features import Template
from seqlab.features.values import View, value
from seqlab.models.rules import Rules
from seqlab.models.state import KIND as MODEL
from seqlab.state import Array, State
from seqlab.trellis import Trellis

TOKENS, ALL_TOKENS = 64, 256  # of one question, and of all of them: then tables pay
CLOSE = 1e-4  # paths that score so nearly alike are left to the usual way, whose sums are rounded otherwise


class Glance:
    """Looks up what a template makes of single sentences, in a state that is not checked yet."""

    def __init__(self, state: State, template: Template) -> None:
        rows, model = state.part("encoder", ENCODER).part("node0", TEMPLATE_ROWS), state.part("model", MODEL)
        self._template = template
        self._features = [feature for feature in template.features if feature.on_node]
        plan = Plan.of(template, 1, on_moves=False)
        self._group = plan.groups()
        self._places = plan.places()
        self._strings = {pool: _Strings(*rows.text_unchecked(f"values.{pool}")) for pool in set(plan.pools())}
        self._groups = [
            _Rows(
                rows.array(f"group.{g}.ids", np.int32, (None,)),
                rows.array(f"group.{g}.values", np.int32, (None, len(places))),
            )
            for g, places in enumerate(self._places)
        ]
        self._labels = model.names("labels")
        L = len(self._labels)
        self._begin = model.array("begin", np.int64, (None,))
        self._label = model.array("label", np.int32, (None,))
        self._weights = model.arrays["weights"]
        self._moves = model.arrays["moves"].astype(np.float64).reshape(L, L)
        self._rules = Rules(*(model.arrays[f"rules.{name}"] for name in ("forbidden", "no_start", "no_end")))

    @staticmethod
    def of(state: State, features: Any) -> Glance | None:
        """For a model that can be looked at so: order 1, a template that makes all attributes, weights as they are."""
        model, encoder = state.part("model", MODEL), state.part("encoder", ENCODER)
        plain = model.setting("dtype", str) in {"float64", "float32"} and model.setting("order", int) == 1
        if not plain or model.setting("edge", bool) or encoder.has_part("node1") or encoder.has_part("edge0"):
            return None
        return (
            Glance(state, features) if encoder.has_part("node0") and isinstance(features, Template) else None
        )

    def label_ids(self, corpus: Corpus) -> LabelIds | None:
        """(tokens,) the labels of the best paths; None when the usual way should say them."""
        found = [np.zeros(0, dtype=np.int32)]
        for sentence in corpus:
            if len(sentence):
                best = self._best(View.of(sentence, self._template.boundary, self._template.lexicons))
                if best is None:
                    return None
                found.append(best)
        return np.concatenate(found)

    def _best(self, view: View) -> LabelIds | None:
        node = np.zeros((view.length, len(self._labels)))
        for t in range(view.length):
            for number, feature in enumerate(self._features):
                read = [value(atom, view, t) for atom in feature.atoms]
                texts = [text for text in read if text is not None]
                if len(texts) == len(read):
                    self._add(self._group[number], texts, node[t])
        if not np.isfinite(node).all():
            return None
        trellis = Trellis(node, self._moves, labels=self._labels, constraints=self._rules.as_constraints())
        paths = inference.nbest(trellis, 2)
        if len(paths) > 1 and paths[0].score - paths[1].score < CLOSE * max(1.0, abs(paths[0].score)):
            return None
        return paths[0].ids

    def _add(self, group: int, texts: Sequence[str], scores: npt.NDArray[np.float64]) -> None:
        """The weights of an attribute, if it is known."""
        codes = [
            self._strings[pool].find(text) for pool, text in zip(self._places[group], texts, strict=True)
        ]
        attribute = -1 if -1 in codes else self._groups[group].find(tuple(codes))
        if attribute < 0:
            return
        begin, end = self._begin[attribute : attribute + 2].tolist()
        label = self._label[begin:end]
        if not (0 <= begin <= end and len(label) == end - begin and (label >= 0).all()):
            raise IndexError("weights outside of the arrays")
        scores[label] += self._weights[begin:end]


class _Strings:
    """Finds strings among many that lie end to end: by their length, their first and their last byte."""

    def __init__(self, content: Array, begins: Array) -> None:
        self._content, self._begins = content, begins
        self._lengths = np.diff(begins)
        self._met: dict[str, int] = {}

    def find(self, text: str) -> int:
        """Its number, or -1."""
        if text not in self._met:
            self._met[text] = self._found(text.encode("utf-8", "surrogatepass"))
        return self._met[text]

    def _found(self, text: bytes) -> int:
        places = np.flatnonzero(self._lengths == len(text))
        if text:
            begins = self._begins[places]
            ends_alike = self._content[begins + (len(text) - 1)] == text[-1]
            places = places[ends_alike & (self._content[begins] == text[0])]
        for place in places.tolist():
            begin = int(self._begins[place])
            if self._content[begin : begin + len(text)].tobytes() == text:
                return int(place)
        return -1


class _Rows:
    """Finds the number of the attribute that has these values."""

    def __init__(self, ids: Array, values: Array) -> None:
        self._ids, self._values = ids, values
        self._met: dict[tuple[int, ...], int] = {}

    def find(self, codes: tuple[int, ...]) -> int:
        """Its number, or -1."""
        if codes not in self._met:
            same = np.ones(len(self._values), dtype=bool)
            for place, code in enumerate(codes):
                same &= self._values[:, place] == code
            hits = np.flatnonzero(same)
            self._met[codes] = int(self._ids[hits[0]]) if len(hits) else -1
        return self._met[codes]


def glanced(
    state: State, features: Any, made: Glance | None, corpus: Corpus
) -> tuple[Glance | None, LabelIds | None]:
    """(what looked, the labels); no labels when anything is odd, which the usual way then says."""
    try:
        made = made or Glance.of(state, features)
        return made, None if made is None else made.label_ids(corpus)
    except (SeqlabError, LookupError, ValueError, TypeError, ArithmeticError):
        return None, None
