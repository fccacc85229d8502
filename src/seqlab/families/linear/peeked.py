"""A model file looked into, not loaded: what labels a few tokens, if the model is of the usual kind.

Nothing here needs NumPy, and nothing is complained about: None means that seqlab.load should have a look, which says
what is wrong, or knows what is unusual.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from seqlab.encode.stored import KIND as ENCODER
from seqlab.families.linear.glance import MODEL, ODD, RULES, SMALL, Glance
from seqlab.features.stored import KIND as TEMPLATE
from seqlab.features.stored import parts_of
from seqlab.store.reading import Buffer, peek
from seqlab.store.state import State

KINDS = ("crf", "linear tagger")  # whose best path is that of the summed scores, and nothing else
TRAINING = "training"  # as taggers.memory calls it
# A small file is checked in every number when it is loaded; here its checksum says that there is no need to.
VERIFIED = 2 * SMALL  # bytes of the file, which has a header, too


class Peeked(NamedTuple):
    """What is known of a tagger without loading it, by the names that taggers have for it."""

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    column: str | None
    glance: Glance
    content: Buffer  # the file as it is mapped


def peeked(path: str) -> Peeked | None:
    """The tagger in a file, if a glance is all that a few tokens need."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  (pathlib is slow to import)
            return None
        return _peeked(*peek(path, verified=VERIFIED))
    except (OSError, *ODD):
        return None


def _peeked(state: State, content: Buffer) -> Peeked | None:
    training, model, encoder = (
        state.part("training", TRAINING),
        state.part("model", MODEL),
        state.part("encoder", ENCODER),
    )
    labels, column = training.names("labels"), training.names("column")
    sound = (
        labels == model.names("labels")
        and 0 < len(labels) == len(set(labels))
        and len(column) <= 1
        and all(bytes(training.arrays[name]) == bytes(model.arrays[name]) for name in RULES)
    )
    if not (sound and _usual(state, training, model) and encoder.setting("features", str) == "template"):
        return None
    template = encoder.part("template", TEMPLATE)
    if template.setting("lexicons", dict):  # which are arrays
        return None
    glance = Glance.of(state, parts_of(template))
    if glance is None:
        return None
    return Peeked(labels, training.names("columns"), column[0] if column else None, glance, content)


def _usual(state: State, training: State, model: State) -> bool:
    """No word has labels of its own, and the weights are as training or prune() left them."""
    features = State("features", state.setting("features", dict))
    given = features.setting("given", str)
    if given == "text":
        features.setting("text", str)
    pruned = state.record.get("pruned")
    return (
        state.kind in KINDS
        and given in {"text", "encoder"}
        and not training.names("dictionary")
        and "allowed.begin" not in state.arrays
        and (pruned is None or pruned["storage"] == model.setting("dtype", str))
    )
