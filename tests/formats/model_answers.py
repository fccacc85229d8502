"""Everything that a stored model can be asked, with its answers as JSON can hold them; floats by their bits."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import re
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import seqlab
from formats.recipes.data import ASKED, FUNCTIONS

DIGEST = 16  # characters of a hash
KERNEL = "baseline"  # every machine has it
NEAR = 1e-9  # how far apart numbers may be that another machine computes
LEARNED = 1e-3  # and those of further training, which stops early
FLOAT = re.compile(r"-?(0x[01]\.[0-9a-f]+p[+-]\d+|inf|nan)")
# Options that are newer than the stored answers, with their defaults.
LATER = {"LocalTagger": {"order": 1}, "Reranker": {"scorer": None, "weights": None}}
HIDDEN = (
    "means",
    "covariances",
    "weights",
    "rates",
)  # numbers of an HMM that transition_matrix does not tell

Question = Callable[[], Any]


def answers(model: Any, asked: str, kernel: str = KERNEL) -> dict[str, Any]:
    """{question: answer} without the questions that have no meaning for the model."""
    X, further = ASKED[asked]
    found = {"class": type(model).__name__}
    with warnings.catch_warnings(), seqlab.inference.use_kernel(kernel):
        warnings.simplefilter("ignore")  # of learning on from a sentence or two
        for name, question in _questions(model, X, further):
            with contextlib.suppress(seqlab.errors.SeqlabError, AttributeError):
                found[name] = plain(question())
    return json.loads(json.dumps(found))  # tuples are lists there


def _questions(model: Any, X: Any, further: Any) -> Iterator[tuple[str, Question]]:
    yield from _options(model)
    if hasattr(model, "perplexity"):
        yield from _of_chain(model, X)
    elif hasattr(model, "score_samples"):
        yield from _of_mixture(model, X)
    else:
        yield from _of_tagger(model, X)
        yield from _of_weights(model, X)
        yield from _of_hidden(model, X)
        yield from _of_others(model)
    if further is not None:
        yield "learned on", lambda: _learned_on(model, X, *further)


# ------------------------------------------------------------------------------------------------ questions


def _options(model: Any) -> Iterator[tuple[str, Question]]:
    yield "params", lambda: {name: shown(value) for name, value in _params(model).items()}
    for name in ("labels_", "columns_", "column_", "sentences_", "symbols_", "features_", "n_features_in_"):
        yield name, lambda name=name: getattr(model, name)
    yield "vocabulary_", lambda: None if model.vocabulary_ is None else digest(sorted(model.vocabulary_))
    yield "history_", lambda: digest(_history(model.history_))
    yield "pruned_", lambda: None if model.pruned_ is None else model.pruned_.to_dict()


def _of_tagger(model: Any, X: Any) -> Iterator[tuple[str, Question]]:
    first, last = X[0], X[len(X) - 1]
    yield "predict", lambda: model.predict(X)
    yield "nbest", lambda: [[(one.labels, one.score) for one in model.nbest(x, 3)] for x in X]
    if not hasattr(model, "trellis"):
        return
    yield "tag, known", lambda: model.tag(last, known={0: model.labels_[0]})
    yield "predict, posterior", lambda: model.predict(X, decode="posterior")
    yield "predict_proba", lambda: model.predict_proba(X)
    yield "posterior", lambda: [model.posterior(first).log_z, model.posterior(first).entropy]
    yield "log_partition", lambda: [model.log_partition(x) for x in X]
    yield "log_prob", lambda: [model.log_prob(x, model.nbest(x, 3)[-1].labels) for x in X]
    yield "sample", lambda: model.sample(first, n=4, seed=3).labels


def _of_weights(model: Any, X: Any) -> Iterator[tuple[str, Question]]:
    yield "state_features_", lambda: digest(sorted(model.state_features_.items()))
    yield "transition_features_", lambda: sorted(model.transition_features_.items())
    yield "top_features", lambda: [_told(one) for one in model.top_features(6)]
    yield "top_transitions", lambda: [_told(one) for one in model.top_transitions(6)]
    yield "explain", lambda: [model.explain(X[0], 3).label, model.explain(X[0], 3).total]


def _of_hidden(model: Any, X: Any) -> Iterator[tuple[str, Question]]:
    if not hasattr(model, "log_likelihoods"):
        return
    yield "log_likelihoods", lambda: model.log_likelihoods(X)
    yield "log_joint", lambda: model.log_joint(X[0], model.tag(X[0]))
    yield "bic", lambda: [model.bic(X), model.n_parameters_]
    yield "stationary", model.stationary
    yield "transition_matrix", lambda: model.transition_matrix.matrix
    yield "top_symbols", lambda: sorted(model.top_symbols(model.labels_[0], None))
    yield "filter", lambda: model.filter(X[0]).node
    yield "generated", lambda: model.sample(n=2, length=3, seed=5).states
    yield "observed_column_", lambda: [model.observed_column_, model.unknown_]
    for name in HIDDEN:
        yield name, lambda name=name: getattr(model.model_.emissions, name)


def _of_others(model: Any) -> Iterator[tuple[str, Question]]:
    """Local taggers, re-rankers, the most frequent tag."""
    for name in ("coef_", "intercept_"):
        yield f"classifier_.{name}", lambda name=name: digest(np.atleast_1d(getattr(model.classifier_, name)))
    yield "words_", lambda: digest(list(model.words_.items()))
    for name in ("feature_names_", "coef_"):
        yield name, lambda name=name: digest(getattr(model, name))
    yield "oracle_", lambda: _fields(model.oracle_)
    yield "learned_", lambda: {**_fields(model.learned_), "theta": digest(model.learned_.theta)}
    yield "generator_", lambda: [type(model.generator_).__name__, shown(model.generator_)]


def _of_chain(chain: Any, X: Any) -> Iterator[tuple[str, Question]]:
    yield "log_prob", lambda: [chain.log_prob(x) for x in X]
    yield "perplexity", lambda: _fields(chain.perplexity(X))
    yield "next", lambda: [chain.next(x[:k]).probabilities for x, k in zip(X, range(3), strict=True)]
    yield "next, anywhere", lambda: chain.next(X[0][:1], start=False).probabilities
    yield "discounts_", lambda: chain.discounts_
    yield "transition_matrix", lambda: chain.transition_matrix.matrix[:2]
    yield "stationary", lambda: chain.stationary().probabilities
    yield "sample", lambda: chain.sample(3, seed=7, length=6)


def _of_mixture(mixture: Any, X: Any) -> Iterator[tuple[str, Question]]:
    for name in ("weights_", "means_", "probabilities_"):
        yield name, lambda name=name: getattr(mixture, name)
    for name in ("predict", "predict_proba", "score_samples"):
        yield name, lambda name=name: getattr(mixture, name)(X)


def _learned_on(model: Any, X: Any, more: Any, labels: Any) -> Any:
    """What it says after further sentences, which it is given in a copy."""
    copy = type(model).from_bytes(model.as_bytes(), functions=FUNCTIONS)
    copy.partial_fit(more, *([] if labels is None else [labels]))
    if hasattr(copy, "perplexity"):
        return copy.perplexity(X).log_prob
    return [copy.labels_, copy.predict(X), [path.score for path in copy.nbest(X[0], 2)]]


def _history(history: Any) -> Any:
    return history.to_dict() if hasattr(history, "to_dict") else _fields(history)


# ------------------------------------------------------------------------------------------------ comparing


def machine() -> str:
    """A hash of what NumPy, BLAS and libm make of some numbers: where it is another one, the last bits may differ."""
    x = np.random.default_rng(11).random((40, 40)) + np.eye(40) * 8
    found = [np.exp(x), np.log(x), np.log1p(x), x.sum(axis=0), np.linalg.inv(x), np.linalg.cholesky(x @ x.T)]
    found += [x[:n, :m] @ x[:m, :n] for n in (1, 2, 3, 5) for m in (2, 3, 14, 19)]
    found += [np.linalg.solve(x[:n, :n], x[:n, 0]) for n in (2, 4, 5)]
    found += [np.array([f(one) for one in x.flat]) for f in (math.exp, math.log, math.lgamma)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in found)).hexdigest()[:DIGEST]


def difference(found: Any, wanted: Any, *, exact: bool, near: float = NEAR) -> str | None:
    """Where two answers differ, or None. Unless it should be `exact`, numbers may be a little apart."""
    if found == wanted:
        return None
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        pairs = [(key, found[key], wanted[key]) for key in wanted]
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        pairs = [(str(i), *both) for i, both in enumerate(zip(found, wanted, strict=True))]
    elif not exact and _are_floats(found, wanted):
        one, other = map(float.fromhex, (found, wanted))
        return None if math.isclose(one, other, rel_tol=near, abs_tol=near) else f": {one!r}, not {other!r}"
    else:
        return f": {found!r:.200}, not {wanted!r:.200}"
    for name, one, other in pairs:
        # An account is a sum over paths, which is made by inference now and was made in Python then; entropy is a sum
        # of terms that are never negative (eq:entropy) and was a difference. log Z is exact under "log_partition".
        # Training on adds its counts in another order now.
        strict = exact and name not in {"explain", "posterior", "learned on"}
        told = difference(one, other, exact=strict, near=LEARNED if name == "learned on" else near)
        if told is not None:
            return f" / {name}{told}"
    return None


def _are_floats(*texts: Any) -> bool:
    return all(isinstance(text, str) and FLOAT.fullmatch(text) for text in texts)


# ------------------------------------------------------------------------------------------------ as plain data


def plain(value: Any) -> Any:
    """Numbers, strings, lists and dicts; a float is the text of its bits."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise TypeError(f"how should {value!r:.80} be stored?")


def digest(value: Any) -> str:
    """For what is long: how many there are, and a hash of all bits."""
    text = json.dumps(plain(value), ensure_ascii=False)
    return f"{len(value)} {hashlib.sha256(text.encode()).hexdigest()[:DIGEST]}"


def _params(model: Any) -> dict[str, Any]:
    """The options, without newer ones than the stored answers that have their default."""
    later = LATER.get(type(model).__name__, {})
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in later or value != later[name]
    }


def shown(value: Any) -> str:
    """An option as text that is the same on every machine."""
    if isinstance(value, types.FunctionType):
        return f"function {value.__name__}"
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{type(value).__name__} {value.dtype} {plain(value)}"
    if hasattr(value, "get_params"):
        options = _params(value)
        return f"{type(value).__name__}({', '.join(f'{name}={shown(options[name])}' for name in options)})"
    if isinstance(value, seqlab.Template):
        return f"Template {str(value)!r} {sorted(value.lexicons)}"
    if isinstance(value, Iterator):
        return "iterator"
    if dataclasses.is_dataclass(value):
        return f"{type(value).__name__}({', '.join(f'{k}={shown(one)}' for k, one in _raw(value).items())})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {shown(one)}' for key, one in value.items())}}}"
    if isinstance(value, (list, tuple, set, frozenset)):
        listed = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return f"{type(value).__name__}[{', '.join(map(shown, listed))}]"
    text = repr(value)
    if " at 0x" in text:
        raise TypeError(f"how should {text:.80} be shown?")
    return text


def _raw(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}


def _told(weight: Any) -> Any:
    return _fields(weight) if dataclasses.is_dataclass(weight) else weight


def _fields(value: Any) -> dict[str, Any]:
    return {name: one for name, one in _raw(value).items() if not isinstance(one, types.FunctionType)}
