"""From flags to a tagger: the models and learners, and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import seqlab
from seqlab.cli.kinds.features import constraints_of, features_of, scheme_of
from seqlab.cli.parsing import refuse
from seqlab.errors import OptionError
from seqlab.families.linear.learners import LEARNERS

__all__ = ["KINDS", "Kind", "constraints_of", "features_of", "learner_class", "scheme_of", "tagger_of"]


class Kind(NamedTuple):
    """A value of --model.

    tagger     name of the class
    learners   values of --learner, the default one first
    help       description for the help
    own        flags of this model that not every model has
    labels     True if training needs labels
    tags       True if the model can label sentences
    """

    tagger: str
    learners: tuple[str, ...]
    help: str
    own: tuple[str, ...] = ()
    labels: bool = True
    tags: bool = True

    @property
    def options(self) -> list[str]:
        """List the options of its constructor."""
        return list(getattr(seqlab, self.tagger)._option_names())


_CRF, _MEMM = (tuple(n for n, one in LEARNERS.items() if model in one.models) for model in ("crf", "memm"))
RANKING = {"log-linear": "LogLinear", "list-perceptron": "ListPerceptron"}  # learners of a re-ranker
_EM = ("smoothing", "states", "emissions", "observed", "restarts", "tol")
_HIDDEN = (*_EM, "em", "init", "unlabelled", "unlabelled_weight")
KINDS = {
    "crf": Kind("CRF", _CRF, "conditional random field"),
    "memm": Kind("MEMM", _MEMM, "maximum-entropy Markov model"),
    **{name: Kind("LinearTagger", (name,), one.help) for name, one in LEARNERS.items() if not one.models},
    "hmm": Kind("HMM", (), "hidden Markov model, by counting or EM", _HIDDEN),
    "local": Kind("LocalTagger", (), "a classifier of scikit-learn", ("classifier",)),
    "rerank": Kind(
        "Reranker", tuple(RANKING), "the n best labellings of a model in a better order", ("generator",)
    ),
    "baseline": Kind("MostFrequentTag", (), "the most frequent label of each word"),
    "markov": Kind(
        "MarkovChain", (), "Markov chain, n-grams of words", ("smoothing",), labels=False, tags=False
    ),
    "mixture": Kind("MultinomialMixture", (), "clusters of sentences", _EM, labels=False, tags=False),
}
TAGGERS = [name for name, kind in KINDS.items() if kind.tags]
LEARNER_NAMES = [*LEARNERS, *RANKING]
CLASSIFIER, GENERATOR = "LinearSVC", "hmm"  # defaults of --classifier and --generator
OWNED = list(dict.fromkeys(flag for kind in KINDS.values() for flag in kind.own))
ITERATIONS = ("max_iterations", "epochs")  # names of this option in learners
# Flags that tagger_of reads besides --model; None for those that a command does not have.
_ASKED = ("features", "constraints", "allowed", "order", "min_count", "learner", "l1", "l2", "iterations")
_ASKED_TOO = ("seed", "threads", "param", "start", *OWNED)


def tagger_of(
    settings: argparse.Namespace,
    train: seqlab.Corpus,
    label: str | None,
    on_features: Callable[[str], object] = str,
) -> tuple[Any, str | None]:
    """Make the tagger that the flags describe; return it with the tag scheme of its constraints.

    label         the column to learn; None without labels
    on_features   called with a description of where the features come from, if the tagger has features

    Options that no flag sets keep the tagger's defaults.
    """
    settings = argparse.Namespace(**dict.fromkeys((*_ASKED, *_ASKED_TOO)) | vars(settings))
    name = settings.model or "crf"
    kind, rest = KINDS[name], dict(settings.param or [])
    refuse(settings, [flag for flag in OWNED if flag not in kind.own], f"means nothing to --model {name}")
    if label is None:
        refuse(settings, ["constraints"], "is about labels, and there are none")
    constraints = constraints_of(settings.constraints, train, str(label))
    own = _plain(settings, name) | ({"constraints": constraints} if constraints else {})
    if "features" in kind.options and name != "rerank":
        own["features"], origin = _features(settings, train, str(label))
        on_features(origin)
    else:
        refuse(settings, ["features"], f"means nothing to --model {name}, which looks at words alone")
    if kind.learners:
        own["learner"] = _learner(name, settings, rest)
    elif name not in ("hmm", "mixture"):
        why = f"means nothing to --model {name}, which counts and has no learner"
        refuse(settings, ("learner", "l1", "l2", "iterations"), why)
    cls = getattr(seqlab, kind.tagger)
    if kind.own and name != "markov":
        from seqlab.cli.kinds import parts

        cls, more = parts.PARTS[name](settings, train, label, rest, cls)
        own |= more
    known = list(cls._option_names())
    for option in own | rest:
        if option not in known:
            flag = f"--{option.replace('_', '-')}" if option not in rest else f"-p {option}"
            raise OptionError(f"{flag} means nothing to --model {name}, whose options are {', '.join(known)}")
    return cls(**own | rest), constraints


def _plain(settings: argparse.Namespace, name: str) -> dict[str, Any]:
    """Collect the options that come from one flag each."""
    own = _said(settings, "order", "min_count", "smoothing")
    if "threads" in KINDS[name].options:  # not an option of every model
        own |= _said(settings, "threads")
    if name != "local":  # its seed is the classifier's random_state
        own |= _said(settings, "seed")
    if settings.allowed is not None:
        from seqlab.cli.kinds.start import dictionary

        own["allowed"] = dictionary(settings.allowed)
    return own


def _features(settings: argparse.Namespace, train: seqlab.Corpus, label: str) -> tuple[Any, str]:
    """Choose the features: those of --features, otherwise those of the model given by --start."""
    if settings.features is None and settings.start is not None:
        from seqlab.cli.reading.corpora import load_tagger

        before = load_tagger(settings.start)
        if hasattr(before, "features"):
            return before.features, f"those of {settings.start}"
    return features_of(settings.features, train, label)


def target_of(settings: argparse.Namespace, train: seqlab.Corpus) -> str | None:
    """Find the column to learn: the labels, or the symbols of a Markov chain; None for unsupervised training."""
    from seqlab.cli.reading.corpora import label_column
    from seqlab.tagging.door.sentences import word_column

    name, given = settings.model or "crf", settings.label
    if name == "mixture":
        refuse(settings, ["label"], "means nothing to --model mixture, which finds clusters without labels")
        return None
    if name == "markov" and given is None:
        return word_column(train) or label_column(train, given)
    hidden = any(getattr(settings, flag, None) is not None for flag in ("states", "init", "emissions"))
    if name == "hmm" and given is None and (hidden or len(train.columns) == 1):
        return None if getattr(settings, "missing", None) is None else label_column(train, given)
    return label_column(train, given)


def takes(tagger: Any, option: str) -> bool:
    """Return True if its fit has such an argument."""
    from inspect import signature  # slow to import

    return option in signature(tagger.fit).parameters


def learner_class(name: str) -> Any:
    """Return the class of a learner."""
    if name in RANKING:
        from seqlab.families.rerank import learners

        return getattr(learners, RANKING[name])
    return getattr(seqlab, LEARNERS[name].learner)


def _learner(name: str, settings: argparse.Namespace, rest: dict[str, Any]) -> Any:
    """Make the learner with its options, which are removed from `rest`."""
    known = KINDS[name].learners
    chosen = settings.learner or known[0]
    if chosen not in known:
        alone = chosen in LEARNERS and not LEARNERS[chosen].models
        raise OptionError(
            f"--model {name} learns by {' or '.join(known)}, not by --learner {chosen}"
            + (f"; write --model {chosen}" if alone else "")
        )
    return with_options(learner_class(chosen), settings, rest, "l1", "l2")


def with_options(cls: Any, settings: argparse.Namespace, rest: dict[str, Any], *flags: str) -> Any:
    """Make an options object from these flags, --iterations and -p (`rest`, from which its options are removed)."""
    from dataclasses import fields as fields_of  # slow to import

    fields = [field.name for field in fields_of(cls) if field.init]
    options = _said(settings, *flags)
    for flag in options:
        if flag not in fields:
            raise OptionError(
                f"--{flag} means nothing to {cls.__name__}, whose options are {', '.join(fields)}"
            )
    limit = next((field for field in ITERATIONS if field in fields), None)
    if limit is not None and settings.iterations is not None:
        options[limit] = settings.iterations
    return cls(**options | {field: rest.pop(field) for field in fields if field in rest})


def _said(settings: argparse.Namespace, *flags: str) -> dict[str, Any]:
    found = {flag: getattr(settings, flag, None) for flag in flags}
    return {flag: value for flag, value in found.items() if value is not None}
