"""Parts of models that flags describe: emissions and EM of an HMM, classifiers, generators of re-rankers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import seqlab
from seqlab.cli import kinds
from seqlab.cli.kinds import start
from seqlab.cli.parsing import did_you_mean, refuse
from seqlab.cli.reading import numbers
from seqlab.errors import OptionError, SeqlabError

Made = tuple[Any, dict[str, Any]]  # a class, and arguments for its constructor
EM_FLAGS = ("em", "restarts", "tol", "unlabelled_weight", "iterations")


def is_hidden(settings: argparse.Namespace, train: seqlab.Corpus, label: str | None) -> bool:
    """Return True if an HMM is trained by EM: labels are missing, or a flag asks for EM."""
    asked = (settings.em, settings.init, settings.unlabelled)
    return label is None or any(one is not None for one in asked) or numbers.has_gaps(train, label)


def _hidden(
    settings: argparse.Namespace,
    train: seqlab.Corpus,
    label: str | None,
    rest: dict[str, Any],
    cls: Any,
) -> Made:
    """Make the emissions, learner and initial parameters of an HMM."""
    own: dict[str, Any] = {}
    refuse(settings, ("learner", "l1", "l2"), "means nothing to --model hmm, which has no weights to learn")
    if not is_hidden(settings, train, label):
        why = "belongs to EM, but every token has a label, so that counting is enough; pass --em to run it"
        refuse(settings, EM_FLAGS, why)
    observed = numbers.observed_column(settings, train, label)
    if label is None and settings.states is None and settings.init in (None, *start.WAYS):
        raise OptionError(
            "how many hidden states are there? pass --states N, or name the column of labels with --label"
        )
    emission = numbers.emission_of(settings, train, observed)
    if emission != numbers.WORDS or rest.keys() & {"symbols"}:
        own["emissions"] = kinds.with_options(
            getattr(seqlab, numbers.EMISSIONS[emission]), argparse.Namespace(iterations=None), rest
        )
    if observed is not None:
        if settings.observed is not None and len(settings.observed) > 1 and emission not in numbers.VECTORS:
            raise OptionError(
                f"--observed {observed}: several columns make a vector, but emissions are {emission}; pass --emissions "
                f"gaussian, or name one column"
            )
        own["column"] = observed
    if label is None and emission in (numbers.WORDS, "bag"):
        own["unknown"] = rest.pop("unknown", "missing")  # sentences to label will have new words
    if settings.states is not None:
        own["n_states"] = settings.states
    learner = seqlab.HardEM if settings.em == "hard" else seqlab.BaumWelch
    fields = set(learner.__dataclass_fields__) & rest.keys()
    if fields or any(getattr(settings, flag, None) is not None for flag in EM_FLAGS):
        own["learner"] = _learner(learner, settings, rest)
    if settings.init is not None:
        init, more = start.read(settings, own.get("emissions"), observed)
        own |= {"init": init, **more}
    return cls, own


def _learner(learner: Any, settings: argparse.Namespace, rest: dict[str, Any]) -> Any:
    """Make the EM learner; --tol sets its tolerance, and frozen and tied are parsed as lists."""
    if isinstance(rest.get("frozen"), str):
        rest["frozen"] = tuple(rest["frozen"].split(","))
    if isinstance(rest.get("tied"), str):
        rest["tied"] = tuple(tuple(group.split(",")) for group in rest["tied"].split(";"))
    renamed = argparse.Namespace(**vars(settings), tolerance=settings.tol)
    return kinds.with_options(learner, renamed, rest, "tolerance", "restarts", "unlabelled_weight")


def _mixture(
    settings: argparse.Namespace,
    train: seqlab.Corpus,
    label: str | None,
    rest: dict[str, Any],  # noqa: ARG001
    cls: Any,
) -> Made:
    """Choose the class of mixture, for words or for vectors, and its options."""
    refuse(settings, ("learner", "l1", "l2"), "means nothing to --model mixture, which has no weights")
    emission = numbers.emission_of(settings, train, numbers.observed_column(settings, train, label))
    if emission not in (numbers.WORDS, "bag", "gaussian"):
        raise OptionError(f"--model mixture has components that are bag or gaussian, not {emission}")
    given = {"n_components": settings.states, "restarts": settings.restarts, "tolerance": settings.tol}
    given["epochs"] = settings.iterations
    own = {name: value for name, value in given.items() if value is not None}
    return seqlab.GaussianMeans if emission == "gaussian" else cls, own


# ------------------------------------------------------------------------------------------------ classifiers


def _local(
    settings: argparse.Namespace,
    train: seqlab.Corpus,  # noqa: ARG001
    label: str | None,  # noqa: ARG001
    rest: dict[str, Any],
    cls: Any,
) -> Made:
    """Make the classifier of a LocalTagger; options of -p that are not the tagger's go to the classifier."""
    classifier = classifier_of(settings.classifier or kinds.CLASSIFIER)
    known, ours = classifier.get_params(deep=True), cls._option_names()
    names = {name: name.removeprefix("classifier__") for name in rest if name not in ours}
    wrong = [name for name in names.values() if name not in known]
    if wrong:
        raise OptionError(
            f"-p {wrong[0]} is no option of LocalTagger ({', '.join(ours)}), nor of {type(classifier).__name__}: "
            f"{', '.join(known)}{did_you_mean(wrong[0], [*ours, *known])}"
        )
    if getattr(settings, "seed", None) is not None:
        if "random_state" not in known:
            raise OptionError(f"--seed means nothing to {type(classifier).__name__}: it has no random_state")
        classifier.set_params(random_state=settings.seed)
        settings.seed = None  # done here: the tagger itself has no seed
    try:
        classifier.set_params(**{theirs: rest.pop(name) for name, theirs in names.items()})
    except ValueError as error:
        raise OptionError(f"-p {', '.join(names.values())}: {error}") from error
    return cls, {"classifier": classifier}


def classifier_of(text: str) -> Any:
    """Make a classifier of scikit-learn from its name; "OneVsRestClassifier(LinearSVC)" wraps one in another."""
    from seqlab.families.local.classifier import STORED

    name, inside, inner = text.strip().partition("(")
    if inside and not inner.endswith(")"):
        raise OptionError(f"--classifier {text}: a bracket is not closed; write A, or A(B)")
    try:
        from sklearn import linear_model, multiclass, naive_bayes, svm
    except ImportError as error:
        raise OptionError(
            f"--model local needs scikit-learn: pip install 'seqlab[sklearn]' ({error})"
        ) from error
    homes: tuple[Any, ...] = (linear_model, multiclass, naive_bayes, svm)
    if name not in STORED:
        from sklearn.utils import all_estimators

        if name not in dict(all_estimators("classifier")):
            hint = did_you_mean(name, STORED)
            raise OptionError(f"--classifier {name}: scikit-learn has no such classifier{hint}")
        raise OptionError(
            f"--classifier {name}: a model file holds numbers and no code, so it can hold {', '.join(STORED)}; "
            f"with others use seqlab.LocalTagger in Python"
        )
    cls = next(getattr(home, name) for home in homes if hasattr(home, name))
    try:
        return cls(classifier_of(inner[:-1])) if inside else cls()
    except TypeError as error:
        raise OptionError(f"--classifier {text}: {error}; write A(B) for an A of B") from error


# ------------------------------------------------------------------------------------------------ generators


def _rerank(
    settings: argparse.Namespace,
    train: seqlab.Corpus,
    label: str | None,
    rest: dict[str, Any],
    cls: Any,
) -> Made:
    """Load or make the generator of a re-ranker; -p scheme=NAME sets the tag scheme of its features."""
    given = settings.generator or kinds.GENERATOR
    own: dict[str, Any] = {}
    if "scheme" in rest:
        from seqlab.families.rerank.features import GlobalFeatures

        own["features"] = GlobalFeatures(rest.pop("scheme"))
    if Path(given).is_file():
        from seqlab.cli.reading.corpora import load_tagger

        own["generator"] = load_tagger(given, chain=True)
        return cls, own
    if given not in kinds.TAGGERS or given == "rerank":
        known = ", ".join(name for name in kinds.TAGGERS if name != "rerank")
        raise OptionError(f"--generator {given}: there is no such file; name a model file, or one of {known}")
    nothing = dict.fromkeys((*kinds.OWNED, "features", "constraints", "iterations"))
    try:
        own["generator"] = kinds.tagger_of(argparse.Namespace(**nothing | {"model": given}), train, label)[0]
    except SeqlabError as error:
        raise OptionError(f"--generator {given}: {error}; train it first, and name its file") from error
    return cls, own


PARTS: dict[str, Callable[..., Made]] = {
    "hmm": _hidden,
    "mixture": _mixture,
    "local": _local,
    "rerank": _rerank,
}
