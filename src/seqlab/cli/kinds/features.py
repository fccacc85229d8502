"""Features and constraints that flags choose: presets, template files, tag schemes."""

from __future__ import annotations

from typing import Any

import seqlab
from seqlab.errors import OptionError

OUTSIDE = "O"
LONGEST_NAME = 255  # characters of a file name


def features_of(given: str | None, corpus: seqlab.Corpus, label: str) -> tuple[Any, str]:
    """Find features for the constructor, and a description of their source."""
    from pathlib import Path

    from seqlab.features import Template, presets
    from seqlab.features.foreign import language_of

    if given is None:
        return _usual_features(corpus, label)
    if given == "none":
        return None, "ready-made attributes"
    if given in presets.__all__:
        return given, f"preset {given}"
    if "\n" in given or len(given) > LONGEST_NAME:
        return given, "template text"
    path = Path(given)
    if not path.is_file():
        if path.exists() or "/" in given or path.suffix in {".txt", ".template", ".tpl", ".pat"}:
            Template.read(given)  # raises the error
        return given, "template text"
    language = language_of(path.read_text(encoding="utf-8", errors="replace"))
    if language == "seqlab":
        return Template.read(path), f"template {given}"
    names = [name for name in corpus.columns if name != label]
    if language == "crfpp":
        return Template.from_crfpp(path, columns=names), f"CRF++ template {given}"
    return Template.from_wapiti(path, columns=names), f"Wapiti patterns {given}"


def _usual_features(corpus: seqlab.Corpus, label: str) -> tuple[Any, str]:
    """Choose a preset that fits the labels and columns of the corpus."""
    from seqlab.corpus import BagColumn
    from seqlab.features.presets import usual_features

    rows = corpus.column(label)
    if any(None in labels for labels in rows):  # counted as O, to choose a preset
        rows = [[OUTSIDE if one is None else one for one in labels] for labels in rows]
        corpus = corpus.with_column(label, rows)
    chosen = usual_features(corpus, label)
    if chosen is not None:
        return chosen, f"preset {chosen}, chosen by the labels"
    bags = any(isinstance(corpus.data(name), BagColumn) for name in corpus.columns)
    return None, "the attributes of the file" if bags else "the vectors of the file"


def constraints_of(given: str | None, corpus: seqlab.Corpus, label: str) -> str | None:
    """Find the tag scheme for the constraints; "auto" detects it from the labels."""
    from seqlab.tags import Scheme

    if given is None or given == "none":
        return None
    if given != "auto":
        return Scheme.of(given).name
    found = scheme_of(corpus, label)
    if found is None:
        raise OptionError(f"--constraints auto: the labels in column {label!r} follow no tag scheme")
    return found


def scheme_of(corpus: seqlab.Corpus, label: str) -> str | None:
    """Find the tag scheme that all labels follow, if any."""
    from seqlab.tagging.door.constraints import tag_scheme
    from seqlab.tags.detection import known_runs

    found = tag_scheme(known_runs(corpus.column(label)))
    return None if found is None else found.name
