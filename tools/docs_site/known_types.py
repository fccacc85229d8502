"""Types as a reader knows them: short names that only the source explains are written out."""

from __future__ import annotations

import collections.abc
import inspect
import re
import typing
from collections.abc import Mapping
from types import GenericAlias, MappingProxyType, UnionType
from typing import Any

import seqlab

ARRAY = "numpy.ndarray"
KNOWN_AS = {
    "Arms": "tuple[int, int, int, int]",
    "Asked": "Trellis | TrellisBatch | Iterable[Trellis]",
    "AttributeIds": ARRAY,
    "Bag": "Iterable[str] | Mapping[str, float]",
    "Bools": ARRAY,
    "BOUNDARIES": "'seqlab', 'crfpp', 'wapiti'",
    "Callbacks": "Callable[[Epoch], Any] | Iterable[Callable[[Epoch], Any]] | None",
    "Chance": "numpy.random.Generator",
    "Choice": "'pairs', 'none'",
    "Codes": ARRAY,
    "Columns": "Sequence[str] | Mapping[str, int] | None",
    "Counts": ARRAY,
    "Dev": "Corpus | (X, y) | None",
    "Dictionary": "Mapping[str, Iterable[str]]",
    "Doubles": ARRAY,
    "Emission": "Categorical | FeatureBag | Gaussian | GaussianMixture | Poisson | Streams",
    "Features": "str | Template | Callable | None",
    "Floats": ARRAY,
    "Functions": "Mapping[str, Callable]",
    "Given": "str | Scheme | Constraints | Iterable[tuple[str, str]] | None",
    "Ids": ARRAY,
    "Known": "Mapping[int, str]",
    "Label": "str | int",
    "LabelIds": ARRAY,
    "Labels": "Sequence[str] | Sequence[Sequence[str]]",
    "Learner": "a learner, such as LBFGS()",
    "Lexicons": "Mapping[str, Mapping[str, str] | Iterable[str]]",
    "Metric": "str | Callable | None",
    "Moves": "Iterable[tuple[str, str]]",
    "Named": "str | int",
    "Numbers": ARRAY,
    "Observed": "sequences of observations",
    "Offsets": ARRAY,
    "OnRow": "Callable[[Row], None]",
    "OnTrial": "Callable[[Trial], None]",
    "Options": "Mapping[str, Any]",
    "Paired": "bool",
    "PathLike": "os.PathLike",
    "PerPosition": "Mapping[int, Iterable[str]] | Sequence[Iterable[str] | None]",
    "Point": "tuple[float, float]",
    "Probabilities": ARRAY,
    "Readable": "str | os.PathLike | TextIO | BinaryIO",
    "Repair": "'conlleval', 'strict' or None",
    "Results": "one result, or a list of them for many trellises",
    "Sentences": "Corpus | sequence of sentences",
    "Sequences": "Corpus | sequence of sequences",
    "Shape": "tuple[int, int]",
    "Smoothing": "MLE | AddLambda | WittenBell | KneserNey | Interpolated",
    "Some": "Iterable[str]",
    "Spread": "'full', 'diag', 'tied' or 'spherical'",
    "State": "dict[str, Any]",
    "StoredLexicons": "Mapping[str, Lexicon]",
    "Symbols": "Sequence[str]",
    "Targets": "column name | sequence of label sequences",
    "Tokens": "Sentence | sequence of tokens",
    "Weights": ARRAY,
}

ARGUMENTS = {  # what an argument of type Any takes, by its name
    "X": "Corpus | sequence of sentences",
    "y": "column name | sequence of label sequences",
    "tokens": "Sentence | sequence of tokens",
    "dev": "Corpus | (X, y) | None",
    "metric": "str | Callable | None",
    "sample_weight": "sequence of numbers | None",
    "callbacks": "sequence of functions | None",
    "learner": "a learner, such as LBFGS()",
    "labels": "sequence of labels",
    "test": "Corpus | sequence of sentences",
}
MODULES = "questions|inference|evaluation|tagging|families|draw|why|corpora|encode|_core|typing"


def argument_type(name: str, annotation: Any, owner: str, names: Mapping[str, Any]) -> str:
    """Write the type of an argument."""
    known = known_type(annotation, owner, names)
    return ARGUMENTS.get(name, known) if known == "Any" else known


def known_type(annotation: Any, owner: str = "", names: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Write an annotation without names that only the source explains; `names` are those of the module it stands in."""
    text = _written(annotation)
    text = re.sub(r"(?<![\w.'])[A-Za-z]\w*(?![\w'.])", lambda word: _written_out(word[0], names), text)
    return re.sub(r"\bSelf\b", owner or "Self", text)


def _written_out(word: str, names: Mapping[str, Any]) -> str:
    """Give what a reader knows a name as; an alias that is not listed becomes what it stands for."""
    if word in KNOWN_AS:
        return KNOWN_AS[word]
    meant = names.get(word)
    alias = isinstance(meant, str | UnionType | GenericAlias) or typing.get_origin(meant) is not None
    if not alias or word in vars(typing) or word in vars(collections.abc) or word in seqlab.__all__:
        return word
    return re.sub(
        r"(?<![\w.'])[A-Za-z]\w*(?![\w'.])", lambda inner: KNOWN_AS.get(inner[0], inner[0]), _written(meant)
    )


def _written(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(
        r"^(?:typing\.)?Annotated\[([^,\[\]]*(?:\[[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*\])?),.*", r"\1", text
    )
    text = re.sub(r"(?:numpy\.)?ndarray\[.*?dtype\[[^\]]*\]\]", ARRAY, text)
    text = re.sub(r"(?:npt|np\.typing|numpy\.typing)\.NDArray\[[^\]]*\]", ARRAY, text)
    text = re.sub(r"\bnpt\.ArrayLike", "array-like", text)
    text = re.sub(r"\bnp\.", "numpy.", text)
    text = re.sub(r"os\.PathLike\[str\]", "os.PathLike", text)
    text = re.sub(r"ForwardRef\('([^']*)'\)", r"\1", text)
    return re.sub(rf"(?<!\.)\b(?:{MODULES}|collections\.abc|seqlab(?:\.\w+)*)\.(\w+)", r"\1", text)
