"""spaCy: a component that labels its documents with a model of seqlab, and its documents as texts to learn from.

nlp.add_pipe("seqlab", config={"model": "names.model"}) finds it by an entry point; importing this module does as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from seqlab import store
from seqlab.errors import OptionError
from seqlab.families import kinds
from seqlab.store.codec import state_of
from seqlab.text import Document, Pipeline, RuleTokeniser
from seqlab.text.spans import with_spans

Doc = Any  # of spaCy
Span = Any
ENTITY = ("entity", "ner", "entities")  # layers whose spans become doc.ents
UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())  # noqa: SIM905
SCORES = "scores"  # where groups of spans have their probabilities, as spaCy's span categoriser does


class Component:
    """A component of a spaCy pipeline: tags, entities, and groups of spans with probabilities.

    name       of the component
    model      path of a model file or folder, or a name that seqlab.load knows
    layers     of the model's layers, those to write; None for all

    Labels of tokens become token.tag_ (and token.pos_, where they are the tags of Universal Dependencies). Spans become
    doc.spans[layer], with probabilities in doc.spans[layer].attrs["scores"]; those of the layer "entity", or else of
    the last layer with spans, are doc.ents, too. Tokens are spaCy's; sentences, too, where the document has them.
    """

    def __init__(self, name: str, model: str | None, layers: Sequence[str] | None = None) -> None:
        self.name, self.model = name, model
        self.layers = None if layers is None else tuple(layers)
        self._pipeline: Pipeline | None = None
        if model is not None and (os.path.exists(model) or model == "en-demo"):  # noqa: PTH110
            self._pipeline = _pipeline_of(seqlab.load(model))

    @property
    def pipeline(self) -> Pipeline:
        """The taggers."""
        if self._pipeline is None:
            if self.model is None:
                raise OptionError(
                    'a model is wanted: nlp.add_pipe("seqlab", config={"model": path})', option="model"
                )
            self._pipeline = _pipeline_of(seqlab.load(self.model))
        return self._pipeline

    def __call__(self, doc: Doc) -> Doc:
        """Label a document."""
        return self._written(doc, self.pipeline(_cut(doc), threads=1))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 1000, **_: Any) -> Iterator[Doc]:
        """Label a stream of documents, batch_size at a time."""
        source = iter(stream)
        while batch := list(islice(source, batch_size)):
            found = self.pipeline.many([_cut(doc) for doc in batch])
            yield from (self._written(doc, one) for doc, one in zip(batch, found, strict=True))

    def _written(self, doc: Doc, found: Document) -> Doc:
        """Write the layers of our document into that of spaCy."""
        tokens = [token for token in doc if not token.is_space]
        if not doc.has_annotation("SENT_START"):
            starts = set(found.offsets.tolist())
            for number, token in enumerate(tokens):
                token.is_sent_start = number in starts
        layers = [one for one in found.layers if one.name in self.pipeline.names]
        layers = [one for one in layers if self.layers is None or one.name in self.layers]
        spans = [one for one in layers if one.spans or one.labels is None or _is_tags(one.labels)]
        entities = next((one for one in spans if one.name in ENTITY), spans[-1] if spans else None)
        for layer in layers:
            if layer in spans:
                made = [doc.char_span(s.begin, s.end, label=s.label) for s in layer.spans]
                doc.spans[layer.name] = made
                if all(s.probability is not None for s in layer.spans):
                    doc.spans[layer.name].attrs[SCORES] = np.array(
                        [s.probability for s in layer.spans], dtype="f4"
                    )
                if layer is entities:
                    doc.set_ents(made)
            elif layer.labels is not None:
                universal = UPOS.issuperset(layer.labels)
                for token, label in zip(tokens, layer.labels, strict=True):
                    token.tag_ = label
                    if universal:
                        token.pos_ = label
        return doc

    # ------------------------------------------------------------------------------------------ files

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:  # noqa: ARG002
        """Return the model as bytes; exclude as spaCy passes it."""
        return store.as_bytes(state_of(self.pipeline))

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> Component:  # noqa: ARG002
        """Take the model from content, the result of to_bytes(); exclude as spaCy passes it."""
        self._pipeline = store.from_bytes(content, kinds())
        return self

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:  # noqa: ARG002
        """Write the model to a file at path; exclude as spaCy passes it."""
        self.pipeline.save(path)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> Component:  # noqa: ARG002
        """Read the model from the file at path; exclude as spaCy passes it."""
        self._pipeline = Pipeline.load(path)
        return self


def make(nlp: Any, name: str, model: str | None, layers: list[str] | None) -> Component:  # noqa: ARG001
    """Make the component of nlp; name, model and layers as of Component."""
    return Component(name, model, layers)


if find_spec("spacy") is not None:  # or nobody asks for the component
    from spacy.language import Language

    Language.factory("seqlab", default_config={"model": None, "layers": None}, func=make)


def _pipeline_of(model: Any) -> Pipeline:
    if isinstance(model, Pipeline):
        return model
    if not hasattr(model, "annotate"):
        raise OptionError(f"a tagger is wanted, the file has a {type(model).__name__}", option="model")
    return Pipeline(None, model)


def _is_tags(labels: Sequence[str]) -> bool:
    from seqlab.text.spans import are_tags

    return are_tags(set(labels)) or set(labels) == {"O"}


def _cut(doc: Doc) -> Document:
    """Return the text with the tokens of spaCy, and its sentences, or those of our rules."""
    places = [(token.idx, token.idx + len(token)) for token in doc if not token.is_space]
    if not places:
        return Document.from_offsets(doc.text, [])
    if doc.has_annotation("SENT_START"):
        sentences = [[(t.idx, t.idx + len(t)) for t in one if not t.is_space] for one in doc.sents]
        return Document.from_offsets(doc.text, [one for one in sentences if one])
    rules = RuleTokeniser()(doc.text)
    starts = rules.begins[rules.offsets[:-1]]
    at = np.unique(np.searchsorted([begin for begin, _ in places], starts)).tolist()
    bounds = [*sorted({0, *at} - {len(places)}), len(places)]
    return Document.from_offsets(doc.text, [places[a:b] for a, b in pairwise(bounds)])


# ------------------------------------------------------------------------------------------------ to learn from


def documents_of(docs: Any, vocab: Any = None) -> list[Document]:
    """Make texts of spaCy's documents: tokens, sentences, tags ("pos", "tag"), entities and groups of spans.

    docs    a DocBin, the path of one, or an iterable of Doc
    vocab   of a DocBin; None for an empty one
    """
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    if isinstance(docs, (str, os.PathLike)):
        docs = DocBin().from_disk(Path(docs))
    if isinstance(docs, DocBin):
        docs = docs.get_docs(Vocab() if vocab is None else vocab)
    return [_document(doc) for doc in docs]


def _document(doc: Doc) -> Document:
    tokens = [token for token in doc if not token.is_space]
    made = _cut(doc)
    for layer, mark in (("pos", "pos_"), ("tag", "tag_")):
        labels = [getattr(token, mark) for token in tokens]
        if tokens and all(labels):
            made = made.with_layer(layer, labels)
    for name, group in doc.spans.items():
        scores = group.attrs.get(SCORES, [None] * len(group))
        made = made.with_layer(
            name, None, [_place(span, score) for span, score in zip(group, scores, strict=True)]
        )
    if doc.has_annotation("ENT_IOB"):
        labels = [f"{t.ent_iob_}-{t.ent_type_}" if t.ent_iob_ in ("B", "I") else "O" for t in tokens]
        made = with_spans(_whole(made, labels), "entity", labels)
    return made


def _whole(document: Document, labels: Sequence[str]) -> Document:
    """Return the document without ends of sentences inside entities."""
    kept = [at for at in document.offsets.tolist() if at >= len(labels) or not labels[at].startswith("I-")]
    return replace(document, offsets=np.array(kept, dtype=np.int64))


def _place(span: Span, score: Any) -> tuple[int, int, str, str, float | None]:
    return span.start_char, span.end_char, span.label_, "", None if score is None else float(score)
