"""From flags to a tagger: the models and learners, and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import seqlab
from seqlab.cli.parsing import refuse
from seqlab.errors import OptionError
from seqlab.families.linear.learners import LEARNERS


class Kind(NamedTuple):
    """A value of --model: the class, and its learners, the default one first."""

    tagger: str
    learners: tuple[str, ...]
    help: str

    @property
    def options(self) -> list[str]:
        """List the options of its constructor."""
        return list(getattr(seqlab, self.tagger)._option_names())


_CRF, _MEMM = (tuple(n for n, one in LEARNERS.items() if model in one.models) for model in ("crf", "memm"))
KINDS = {
    "crf": Kind("CRF", _CRF, "conditional random field"),
    "memm": Kind("MEMM", _MEMM, "maximum-entropy Markov model"),
    **{name: Kind("LinearTagger", (name,), one.help) for name, one in LEARNERS.items() if not one.models},
    "hmm": Kind("HMM", (), "hidden Markov model, by counting"),
    "baseline": Kind("MostFrequentTag", (), "the most frequent label of each word"),
}
LONGEST_NAME = 255  # characters of a file name
ITERATIONS = ("max_iterations", "epochs")  # names of this option in learners


def tagger_of(
    settings: argparse.Namespace, train: seqlab.Corpus, label: str, on_features: Callable[[str], object] = str
) -> tuple[Any, str | None]:
    """Make the tagger of the flags, and report the tag scheme of its constraints.

    on_features   called with the source of the features, if the tagger has any

    Other options keep the tagger's defaults.
    """
    name = settings.model or "crf"
    kind, rest = KINDS[name], dict(getattr(settings, "param", None) or [])
    constraints = constraints_of(settings.constraints, train, label)
    own: dict[str, Any] = {}
    if "features" in kind.options:
        own["features"], origin = features_of(settings.features, train, label)
        on_features(origin)
    else:
        refuse(settings, ["features"], f"means nothing to --model {name}, which looks at words alone")
    own |= _said(settings, "order", "min_count", "seed", "threads")
    own |= {"constraints": constraints} if constraints else {}
    if kind.learners:
        own["learner"] = _learner(name, settings, rest)
    else:
        why = f"means nothing to --model {name}, which counts and has no learner"
        refuse(settings, ("learner", "l1", "l2", "iterations"), why)
    for option in own | rest:
        if option not in kind.options:
            flag = f"--{option.replace('_', '-')}" if option not in rest else f"-p {option}"
            known = ", ".join(kind.options)
            raise OptionError(f"{flag} means nothing to --model {name}, whose options are {known}")
    return getattr(seqlab, kind.tagger)(**own | rest), constraints


def takes(tagger: Any, option: str) -> bool:
    """Return True if its fit has such an argument."""
    from inspect import signature  # slow to import

    return option in signature(tagger.fit).parameters


def learner_class(name: str) -> Any:
    """Return the class of a learner."""
    return getattr(seqlab, LEARNERS[name].learner)


def _learner(name: str, settings: argparse.Namespace, rest: dict[str, Any]) -> Any:
    """Make the learner with its options, which are removed from `rest`."""
    from dataclasses import fields as fields_of  # slow to import

    known = KINDS[name].learners
    chosen = getattr(settings, "learner", None) or known[0]
    if chosen not in known:
        raise OptionError(
            f"--model {name} learns by {' or '.join(known)}, not by --learner {chosen}"
            + ("" if LEARNERS[chosen].models else f"; write --model {chosen}")
        )
    cls = learner_class(chosen)
    fields = [field.name for field in fields_of(cls) if field.init]
    options = _said(settings, "l1", "l2")
    for flag in options:
        if flag not in fields:
            raise OptionError(
                f"--{flag} means nothing to {cls.__name__}, whose options are {', '.join(fields)}"
            )
    if settings.iterations is not None:
        options[next(field for field in ITERATIONS if field in fields)] = settings.iterations
    return cls(**options | {field: rest.pop(field) for field in fields if field in rest})


def _said(settings: argparse.Namespace, *flags: str) -> dict[str, Any]:
    found = {flag: getattr(settings, flag, None) for flag in flags}
    return {flag: value for flag, value in found.items() if value is not None}


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
