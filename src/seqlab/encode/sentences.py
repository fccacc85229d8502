"""What users may give as sentences: a corpus, sentences of one, or lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus, Sentence
from seqlab.corpus.columns import offsets_of
from seqlab.corpus.lists import only_lists
from seqlab.errors import CorpusError

ATTRIBUTES = "attributes"  # the column of attributes that came ready made


def as_corpus(given: Any, *, words: bool, known: _core.StringPool | None = None) -> Corpus:
    """A corpus as it is; sentences of one; lists of words (or tuples of columns) or of ready-made attributes.

    known   the only ready-made attributes that anybody will look at; those that are not there may be left out
    """
    if isinstance(given, Corpus):
        return given
    if isinstance(given, (str, bytes, Mapping, Sentence)) or not isinstance(given, Iterable):
        raise CorpusError(f"a Corpus or a list of sentences is wanted, got {given!r:.80}")
    sentences = listed(given)
    plain = only_lists(sentences)
    if words and plain:
        return Corpus.from_lists(sentences)
    if plain and known is not None:
        from seqlab.corpus.bags import known_bags

        found = known_bags(sentences, known)
        if found is not None:
            return Corpus({ATTRIBUTES: found[0]}, offsets_of(found[1]))
    if words or (not plain and any(isinstance(sentence, Sentence) for sentence in sentences)):
        return Corpus.from_lists([_columns(s) if isinstance(s, Sentence) else s for s in sentences])
    return Corpus.from_lists({ATTRIBUTES: sentences})


def listed(sentences: Iterable[Any]) -> list[Any]:
    """Lists of what can be gone through: arrays, generators, pandas Series, the ItemSequence of python-crfsuite."""
    if isinstance(sentences, list) and only_lists(sentences):
        return sentences
    return [s if isinstance(s, (list, tuple)) else _listed(s) for s in sentences]


def _listed(sentence: Any) -> Any:
    if type(sentence).__name__ == "ItemSequence":
        return sentence.items()
    if isinstance(sentence, np.ndarray):
        return sentence.tolist() if sentence.ndim == 1 else sentence
    series = hasattr(sentence, "to_list") and hasattr(sentence, "iloc")  # of pandas, without an import
    return list(sentence) if series or isinstance(sentence, Iterator) else sentence


def _columns(sentence: Sentence) -> dict[str, Any]:
    return {name: sentence[name] for name in sentence.columns}
