"""Features for who names none: a preset that fits the labels and columns of a corpus."""

from __future__ import annotations

from seqlab.corpus import BagColumn, Corpus, StringColumn
from seqlab.corpus.names import CHUNK_TYPES
from seqlab.tags import detect


def usual_features(corpus: Corpus, label: str) -> str | None:
    """A preset that fits the labels and columns of the corpus; None for ready-made attributes."""
    if any(isinstance(corpus.data(name), BagColumn) for name in corpus.columns):
        return None
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    if strings == [label]:
        return None
    labels = set(corpus.strings(label).values)
    if detect(corpus.column(label)).scheme is None:
        return "pos"
    types = {tag.partition("-")[2] for tag in labels if "-" in tag}
    if not types:
        return "segment"
    return "chunk" if types <= CHUNK_TYPES and {"pos", "upos"} & set(strings) else "ner"
