"""From flags to a tagger: which models and learners there are, and what may be said to them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

import seqlab
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.corpus import Corpus


class Kind(NamedTuple):
    """A word for --model: the class, and its learners, the usual one first."""

    tagger: str
    learners: tuple[str, ...]
    help: str


LIKELIHOOD = ("lbfgs", "sgd", "cg", "gradient")
_KINDS = {
    "crf": Kind("CRF", LIKELIHOOD, "conditional random field"),
    "memm": Kind("MEMM", ("lbfgs", "cg", "gradient"), "maximum-entropy Markov model"),
    "perceptron": Kind("LinearTagger", ("perceptron",), "averaged structured perceptron"),
    "pa": Kind("LinearTagger", ("pa",), "passive-aggressive"),
    "arow": Kind("LinearTagger", ("arow",), "adaptive regularisation of weights"),
    "svm": Kind("LinearTagger", ("svm",), "structured support vector machine"),
    "hmm": Kind("HMM", (), "hidden Markov model, by counting"),
    "baseline": Kind("MostFrequentTag", (), "the most frequent label of each word"),
}
KINDS = {name: kind for name, kind in _KINDS.items() if kind.tagger in seqlab.__all__}
LEARNERS = {
    "lbfgs": "LBFGS",
    "sgd": "SGD",
    "cg": "ConjugateGradient",
    "gradient": "GradientAscent",
    "perceptron": "Perceptron",
    "pa": "PassiveAggressive",
    "arow": "AROW",
    "svm": "StructuredSVM",
}
LONGEST_NAME = 255  # of a file
ITERATIONS = ("max_iterations", "epochs")  # what learners call it


def tagger_of(settings: argparse.Namespace, features: Any, constraints: Any) -> Any:
    """The tagger that the flags ask for; what was not said is left to its own defaults.

    features, constraints   as for its constructor; features is ... when the tagger shall decide
    """
    name = settings.model or "crf"
    kind = KINDS[name]
    made = getattr(seqlab, kind.tagger)
    rest = dict(settings.param or [])
    own: dict[str, Any] = {
        "constraints": constraints,
        "order": settings.order,
        "min_count": settings.min_count,
        "seed": settings.seed,
        "threads": settings.threads,
    }
    own = {option: value for option, value in own.items() if value is not None}
    if features is not ...:
        own["features"] = features
    known = made._option_names()
    if kind.learners:
        own["learner"] = _learner(name, settings, rest)
    else:
        _refuse_learner_flags(name, settings)
    own.update(rest)
    for option in own:
        if option not in known:
            flag = f"--{option.replace('_', '-')}" if option not in rest else f"-p {option}"
            raise OptionError(f"{flag} means nothing to --model {name}, whose options are {', '.join(known)}")
    return made(**own)


def takes(tagger: Any, option: str) -> bool:
    """Whether its fit has such an argument."""
    from inspect import signature  # slow to import

    return option in signature(tagger.fit).parameters


def _learner(name: str, settings: argparse.Namespace, rest: dict[str, Any]) -> Any:
    """The learner with its options, which are taken out of `rest`."""
    from dataclasses import fields as fields_of  # slow to import

    kind = KINDS[name]
    chosen = settings.learner or kind.learners[0]
    if chosen not in kind.learners:
        raise OptionError(
            f"--model {name} learns by {' or '.join(kind.learners)}, not by --learner {chosen}"
            + ("" if chosen in LIKELIHOOD else f"; write --model {chosen}")
        )
    made = getattr(seqlab, LEARNERS[chosen])
    fields = [field.name for field in fields_of(made) if field.init]
    options: dict[str, Any] = {}
    for flag in ("l1", "l2"):
        value = getattr(settings, flag)
        if value is None:
            continue
        if flag not in fields:
            raise OptionError(
                f"--{flag} means nothing to {made.__name__}, whose options are {', '.join(fields)}"
            )
        options[flag] = value
    if settings.iterations is not None:
        options[next(field for field in ITERATIONS if field in fields)] = settings.iterations
    for field in fields:
        if field in rest:
            options[field] = rest.pop(field)
    return made(**options)


def _refuse_learner_flags(name: str, settings: argparse.Namespace) -> None:
    for flag in ("learner", "l1", "l2", "iterations"):
        if getattr(settings, flag) is not None:
            raise OptionError(f"--{flag} means nothing to --model {name}, which counts and has no learner")


# ------------------------------------------------------------------------------------------------ features and rules


def features_of(given: str | None, corpus: Corpus, label: str) -> tuple[Any, str]:
    """Features for the constructor, and a word on where they come from."""
    from pathlib import Path

    from seqlab.features import Template, presets
    from seqlab.features.guess import language_of

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
            Template.read(given)  # which says what is wrong
        return given, "template text"
    language = language_of(path.read_text(encoding="utf-8", errors="replace"))
    if language == "seqlab":
        return Template.read(path), f"template {given}"
    names = [name for name in corpus.columns if name != label]
    if language == "crfpp":
        return Template.from_crfpp(path, columns=names), f"CRF++ template {given}"
    return Template.from_wapiti(path, columns=names), f"Wapiti patterns {given}"


def _usual_features(corpus: Corpus, label: str) -> tuple[Any, str]:
    """A preset that fits the labels and columns of the corpus."""
    from seqlab.corpus import BagColumn, StringColumn
    from seqlab.corpus.names import CHUNK_TYPES
    from seqlab.tags import detect

    if any(isinstance(corpus.data(name), BagColumn) for name in corpus.columns):
        return None, "the attributes of the file"
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    if strings == [label]:
        return None, "the vectors of the file"
    labels = set(corpus.strings(label).values)
    tags = detect(corpus.column(label)).scheme is not None
    types = {tag.partition("-")[2] for tag in labels if "-" in tag}
    if not tags:
        chosen = "pos"
    elif not types:
        chosen = "segment"
    elif types <= CHUNK_TYPES and {"pos", "upos"} & set(strings):
        chosen = "chunk"
    else:
        chosen = "ner"
    return chosen, f"preset {chosen}, chosen by the labels"


def constraints_of(given: str | None, corpus: Corpus, label: str) -> str | None:
    """The scheme to obey; "auto" looks at the labels."""
    from seqlab.tags import Scheme

    if given is None or given == "none":
        return None
    if given != "auto":
        return Scheme.of(given).name
    found = scheme_of(corpus, label)
    if found is None:
        raise OptionError(f"--constraints auto: the labels in column {label!r} follow no tag scheme")
    return found


def scheme_of(corpus: Corpus, label: str) -> str | None:
    """The tag scheme that the labels follow without an exception, if any."""
    from seqlab.tags import detect, violations

    found = detect(corpus.column(label)).scheme
    if found is None or any(violations(corpus.column(label), found)):
        return None
    return found.name
