"""From raw text to labels and spans: a tokeniser, and taggers one after another."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Protocol, Self

import numpy as np

from seqlab import store
from seqlab.arrays import switch, thread_count
from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import OptionError, Place, SeqlabError, StoreError
from seqlab.lazy import hooks
from seqlab.shown import cut
from seqlab.store.codec import Part, Series, put_part, state_of
from seqlab.store.fields import Field, Record, Sizes
from seqlab.store.state import State
from seqlab.text.document import WORD, Document, Layer, corpus_of_words, with_layers_of
from seqlab.text.places import checked_text
from seqlab.text.rules import RuleTokeniser
from seqlab.text.spans import is_span_layer, spans_of
from seqlab.text.trained import TrainedTokeniser

TOGETHER = 200_000  # characters of texts that are labelled at once
LONG = 100_000  # tokens of a text from which it is labelled in parts
PART = 20_000  # tokens of a part
LABEL = "label"  # name of a layer whose tagger has learned from lists


class Tagger(Protocol):
    """Objects that label sentences of words: every tagger of seqlab."""

    labels_: tuple[str, ...]
    column_: str | None

    def annotate(self, X: Any, column: str = ..., *, threads: int | None = ...) -> Corpus:
        """Return the corpus X with one more column; threads as for Pipeline.many."""


class _Taggers(Field):
    """The stored taggers of a pipeline."""

    def put(self, state: State, name: str, value: Any) -> None:
        ask = getattr(value, "state", None)
        found = ask() if callable(ask) else None
        if not isinstance(found, State) or found.kind not in hooks["kinds"]():
            raise StoreError(
                f"a pipeline is stored with its taggers, and {value!r:.80} cannot be stored: it must be a model of "
                f"seqlab that has save(), such as a CRF"
            )
        put_part(state, name, found)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        part, known = state.any_part(name).replaced(where=state.where), hooks["kinds"]()
        if part.kind not in known:
            raise StoreError(f"a tagger of the pipeline is of the unknown kind {part.kind!r:.80}")
        return known[part.kind](part)


class _Tokeniser(Part):
    """The stored tokeniser: by rules, or a trained one."""

    def __init__(self) -> None:
        super().__init__(RuleTokeniser, TrainedTokeniser)

    def put(self, state: State, name: str, value: Any) -> None:
        if not hasattr(value, "stored_kind"):
            raise StoreError(
                f"a pipeline is stored with its tokeniser, and {value!r:.80} cannot be stored: a model file holds no "
                f"code; use a RuleTokeniser or a TrainedTokeniser"
            )
        super().put(state, name, value)


@dataclass(frozen=True, eq=False, repr=False)
class Pipeline:
    """Label raw text: pipeline(text) gives a Document with sentences, tokens, labels and spans.

    tokeniser       a RuleTokeniser (also for None), a TrainedTokeniser, or any function from a text to a Document or to
                    lists of (begin, end)
    taggers         a fitted tagger, a list of them, or {name: tagger}. Each gives the document a layer with the name of
                    the column that it has learned; later taggers may read the layers of earlier ones as columns
    names           of the layers, where they are not those of the columns
    probabilities   False leaves the probabilities of spans out: up to three times as fast
    about           a few words about it, kept in its file
    """

    stored_kind: ClassVar[str] = "pipeline"

    tokeniser: Annotated[Any, _Tokeniser()] = None
    taggers: Annotated[Any, Series(_Taggers(), joint="")] = ()
    names: tuple[str, ...] = ()
    probabilities: bool = True
    about: Annotated[str, Record(str)] = ""

    def __post_init__(self) -> None:
        tokeniser = RuleTokeniser() if self.tokeniser is None else self.tokeniser
        if not callable(tokeniser):
            raise OptionError(
                f"the tokeniser is a RuleTokeniser, a TrainedTokeniser or a function of a text, got {tokeniser!r:.80}",
                option="tokeniser",
            )
        switch(self.probabilities, "probabilities")
        taggers, names = _listed(self.taggers, self.names)
        for name, value in (("tokeniser", tokeniser), ("taggers", taggers), ("names", names)):
            object.__setattr__(self, name, value)
        self._check_columns()

    def _check_columns(self) -> None:
        """Check on one word that each tagger finds the columns that it reads."""
        corpus = Corpus.from_lists([["word"]], columns=[WORD])
        for name, tagger in zip(self.names, self.taggers, strict=True):
            try:
                corpus = tagger.annotate(corpus, name, threads=1)
            except SeqlabError as error:
                there = ", ".join(map(repr, corpus.columns))
                raise OptionError(
                    f"the tagger of layer {name!r} cannot be used on text: {error}; the words and the "
                    f"layers of the taggers before it are there, {there}",
                    option="taggers",
                ) from error

    # ------------------------------------------------------------------------------------------ labels

    def __call__(
        self, text: str | Document, *, tokens: Iterable[Any] | None = None, threads: int | None = None
    ) -> Document:
        """Label one text.

        text      the text; or a Document, whose tokens are kept
        tokens    the places of its tokens, where they are known: a list of (begin, end), or one for every sentence
        threads   how many to use; None for every core
        """
        count, document = thread_count(threads), self._document(text, tokens)
        return self._long(document, count) if len(document) > LONG else self._labelled([document], count)[0]

    def many(self, texts: Iterable[str | Document], *, threads: int | None = None) -> Iterator[Document]:
        """Label many texts: yield a Document for each, in their order, while the next ones are being labelled.

        texts     any iterable; only a few of its texts are held at a time
        threads   how many to use; None for every core. The answers are the same for any number
        """
        if isinstance(texts, (str, bytes, Document)) or not isinstance(texts, Iterable):
            raise OptionError(
                f"many takes a list of texts, got {texts!r:.60}; call the pipeline itself for one text",
                option="texts",
            )
        return _in_order(self._block, _blocks(texts), thread_count(threads))

    def _block(self, first: int, texts: list[Any]) -> list[Document]:
        documents = []
        for number, text in enumerate(texts, first):
            try:
                documents.append(self._document(text, None))
            except SeqlabError as error:
                raise error.at(sentence=number, unit="text") from error.__cause__
        if any(len(one) > LONG for one in documents):
            return [
                self._long(one, 1) if len(one) > LONG else self._labelled([one], 1)[0] for one in documents
            ]
        return self._labelled(documents, 1)

    def _long(self, document: Document, threads: int) -> Document:
        """Label a long text some sentences at a time, so that only these are held as words and scores."""
        plain = replace(document, layers=())
        parts = ((first, [plain.part(first, last)]) for first, last in _sentences(document.offsets))
        return with_layers_of(document, _in_order(lambda _, some: self._labelled(some, 1), parts, threads))

    def _document(self, text: Any, tokens: Iterable[Any] | None) -> Document:
        if tokens is not None:
            return Document.from_offsets(checked_text(text), tokens)
        if isinstance(text, Document):
            return text
        found = self.tokeniser(checked_text(text))
        return found if isinstance(found, Document) else Document.from_offsets(text, found)

    def _labelled(self, documents: list[Document], threads: int) -> list[Document]:
        """Add the layers to documents that are labelled together."""
        sizes = np.cumsum([0, *map(len, documents)])
        corpus = corpus_of_words(documents)
        for name, tagger in zip(self.names, self.taggers, strict=True):
            corpus = tagger.annotate(corpus, name, threads=threads)
            column = corpus.data(name)
            assert isinstance(column, StringColumn)  # noqa: S101  (annotate makes one)
            labels = column.span(0, len(column))
            spans: Any = [()] * len(documents)
            if is_span_layer(tagger):
                spans = spans_of(documents, corpus, name, tagger, threads, probabilities=self.probabilities)
            documents = [
                one._with(Layer(name, tuple(labels[a:b]), tuple(some)))
                for one, (a, b), some in zip(documents, pairwise(sizes.tolist()), spans, strict=True)
            ]
        return documents

    # ------------------------------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write tokeniser and taggers to one file at path, whole or not at all; seqlab.load(path) reads it."""
        store.write(path, state_of(self))

    def save_pretrained(
        self, folder: str | os.PathLike[str], *, report: Any = None, name: str | None = None
    ) -> None:
        """Write the pipeline as a folder for a model hub: model.safetensors, config.json, README.md (its card).

        folder   which seqlab.load(folder) reads
        report   its evaluation, for the card: seqlab.evaluate(gold, list(pipeline.many(texts)))
        name     in the card; None for that of the folder
        """
        from seqlab.store.pretrained import write_folder

        layers = zip(self.names, self.taggers, strict=True)
        labels = {layer: list(tagger.labels_) for layer, tagger in layers}
        facts = {"labels": labels, "tokeniser": type(self.tokeniser).__name__}
        write_folder(folder, state_of(self), facts, report, name)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., Any]] | None = None
    ) -> Self:
        """Read the pipeline that save() wrote at path; functions as for seqlab.load."""
        model = store.load(path, hooks["kinds"](), functions=functions)
        if not isinstance(model, cls):
            raise StoreError(
                f"a Pipeline is wanted, the file has a {type(model).__name__}; it becomes one by "
                f"seqlab.load(path).with_text()",
                place=Place(path=os.fspath(path)),
            )
        return model

    def __repr__(self) -> str:
        layers = ", ".join(
            f"{name}: {type(tagger).__name__}" for name, tagger in zip(self.names, self.taggers, strict=True)
        )
        return cut(f"Pipeline({type(self.tokeniser).__name__}, {layers or 'no tagger'})")


def _listed(given: Any, names: Any) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return taggers and the names of their layers, checked."""
    if isinstance(given, Mapping):
        given, names = tuple(given.values()), tuple(given)
    taggers = tuple(given) if isinstance(given, Sequence) else (given,)
    for one in taggers:
        if not hasattr(one, "annotate"):
            raise OptionError(f"a tagger labels sentences, got {one!r:.80}", option="taggers")
    told = tuple(names) or tuple(getattr(one, "column_", None) or LABEL for one in taggers)
    if len(told) != len(taggers) or not all(isinstance(name, str) and name for name in told):
        raise OptionError(
            f"{len(taggers)} taggers need as many names of layers, got {told!r:.80}", option="names"
        )
    twice = next((name for i, name in enumerate(told) if name in told[:i] or name == WORD), None)
    if twice is not None:
        raise OptionError(
            f"two columns would have the name {twice!r}; name the layers: {{'pos': tagger, 'entity': other}}",
            option="names",
        )
    return taggers, told


def _in_order(
    work: Callable[[int, list[Any]], list[Document]], blocks: Iterator[tuple[int, list[Any]]], threads: int
) -> Iterator[Document]:
    """Yield the documents of blocks in their order, while threads do the next ones."""
    if threads == 1:
        for first, block in blocks:
            yield from work(first, block)
        return
    waiting: deque[Any] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for first, block in blocks:
            waiting.append(pool.submit(work, first, block))
            if len(waiting) > threads + 1:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _sentences(offsets: Any) -> Iterator[tuple[int, int]]:
    """Cut the sentences of a long text into parts of about PART tokens."""
    first, count = 0, len(offsets) - 1
    while first < count:
        last = max(int(np.searchsorted(offsets, offsets[first] + PART, side="right")) - 1, first + 1)
        yield first, min(last, count)
        first = min(last, count)


def _blocks(texts: Iterable[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Gather texts until there are enough to label at once, with the number of the first."""
    block: list[Any] = []
    first = size = 0
    for text in texts:
        block.append(text)
        size += (
            64 + len(text.text if isinstance(text, Document) else text) if hasattr(text, "__len__") else 64
        )
        if size >= TOGETHER:
            yield first, block
            first, block, size = first + len(block), [], 0
    if block:
        yield first, block
