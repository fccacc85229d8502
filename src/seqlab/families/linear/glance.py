"""The labels of a few tokens, straight from the arrays of a file, before anything is built of it.

Whoever tags one sentence with a large model would wait for tables of which a few rows are needed. Here each string and
each attribute is looked for in the arrays as they lie there, from one end to the other: slower for many tokens, but
nothing has to be made first. Whatever looks odd is left to the usual way, which checks every number and says what is
wrong. Nothing here needs NumPy: `seqlab tag` of one sentence is done before that would be imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seqlab import _core
from seqlab.encode.plan import Plan
from seqlab.encode.stored import KIND as ENCODER
from seqlab.encode.stored import TEMPLATE_ROWS
from seqlab.errors import SeqlabError
from seqlab.features.model import TemplateLike
from seqlab.features.values import Sentence, View, value
from seqlab.store.state import State

TOKENS, ALL_TOKENS = 64, 256  # of one question, and of all of them: then tables pay
SMALL = 1 << 20  # bytes of arrays that a tagger unfolds at once when it is loaded
MODEL = "linear model"  # as models.state calls it
RULES = ("rules.forbidden", "rules.no_start", "rules.no_end")

# What a state that nobody has checked may do to who looks at it.
ODD = (
    *(SeqlabError, LookupError, ValueError, TypeError, ArithmeticError, AttributeError),
    *(RecursionError, MemoryError),
)


class Glance:
    """Looks up what a template makes of single sentences, in a state that is not checked yet.

    The arrays of the state may be any buffers.
    """

    def __init__(self, state: State, template: TemplateLike) -> None:
        rows, model = state.part("encoder", ENCODER).part("node0", TEMPLATE_ROWS), state.part("model", MODEL)
        self._template = template
        self._features = [feature for feature in template.features if feature.on_node]
        plan = Plan.of(template, 1, on_moves=False)
        self._group = plan.groups()
        pools = sorted(set(plan.pools()))
        texts = [
            (rows.arrays[f"values.{pool}.bytes"], rows.arrays[f"values.{pool}.begins"]) for pool in pools
        ]
        groups = [
            (
                rows.arrays[f"group.{g}.ids"],
                rows.arrays[f"group.{g}.values"],
                [pools.index(pool) for pool in places],
            )
            for g, places in enumerate(plan.places())
        ]
        begin, label, weights, moves = (model.arrays[name] for name in ("begin", "label", "weights", "moves"))
        forbidden, no_start, no_end = (model.arrays[name] for name in RULES)
        L, rules = len(model.names("labels")), (forbidden, no_start, no_end)
        self._core = _core.Glance(texts, groups, L, begin, label, weights, moves, rules)

    @staticmethod
    def of(state: State, features: Any) -> Glance | None:
        """For a model that can be looked at so: order 1, a template that makes all attributes, weights as they are.

        features   what features_of() makes of the encoder's part, or parts_of() of its template
        """
        model, encoder = state.part("model", MODEL), state.part("encoder", ENCODER)
        plain = model.setting("dtype", str) in {"float64", "float32"} and model.setting("order", int) == 1
        templated = encoder.setting("features", str) == "template" and encoder.has_part("node0")
        others = model.setting("edge", bool) or encoder.has_part("node1") or encoder.has_part("edge0")
        return Glance(state, features) if plain and templated and not others else None

    def label_ids(self, sentences: Iterable[Sentence]) -> list[int] | None:
        """The labels of the best paths, one sentence after the other; None when the usual way should say them."""
        readings: list[tuple[int, int, list[str]]] = []
        lengths: list[int] = []
        first = 0
        for sentence in sentences:
            view = View.of(sentence, self._template.boundary, self._template.lexicons)
            for t in range(view.length):
                self._read(view, t, first + t, readings)
            lengths.append(view.length)
            first += view.length
        return self._core.labels(readings, lengths)

    def _read(self, view: View, t: int, token: int, readings: list[tuple[int, int, list[str]]]) -> None:
        """The values of each feature at token t of a sentence, which has the number `token` among all."""
        for feature, group in zip(self._features, self._group, strict=True):
            read = [value(atom, view, t) for atom in feature.atoms]
            texts = [text for text in read if text is not None]
            if len(texts) == len(read):
                readings.append((token, group, texts))


def glanced(
    state: State, features: Any, made: Glance | None, sentences: Iterable[Sentence]
) -> tuple[Glance | None, list[int] | None]:
    """(what looked, the labels); no labels when anything is odd, which the usual way then says."""
    try:
        made = made or Glance.of(state, features)
        return made, None if made is None else made.label_ids(sentences)
    except ODD:
        return None, None
