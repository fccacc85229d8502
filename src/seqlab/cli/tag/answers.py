"""Output of `seqlab tag`: labels as columns, the best labellings, probabilities and spans; text or JSON lines."""

from __future__ import annotations

import argparse
import codecs
import io
import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import seqlab
from seqlab.cli.reading.corpora import forced, words_of
from seqlab.cli.reading.numbers import for_model
from seqlab.cli.terminal import as_json

DIGITS = 6  # decimal digits of probabilities
Work = Callable[["seqlab.Corpus", int, int], bytes]  # a block, the number of its first sentence, threads


def new_column(block: seqlab.Corpus) -> str:
    """Find an unused column name."""
    name = "predicted"
    while name in block.columns:
        name += "_"
    return name


def written(
    corpus: seqlab.Corpus,
    name: str,
    tagger: seqlab.Tagger,
    arguments: argparse.Namespace,
    *,
    first: int = 0,
) -> bytes:
    """Convert the block to bytes in the output format.

    name    the column with the predicted labels, the last one
    first   the number of its first sentence
    """
    from seqlab.corpus import Corpus, formats, write

    read_as, label = corpus.layout.format, tagger.column_
    if arguments.labels_only:  # comments are dropped; blank lines between sentences stay
        goal = "conll"
        corpus = Corpus({name: corpus.data(name)}, corpus.offsets, layout=corpus.layout)
    else:
        has_place = read_as is not None and formats.named(read_as).has_place(label)
        goal = arguments.to or (str(read_as) if has_place else "conll")
        plain = () if arguments.marginals else tagger.labels_
        corpus = formats.named(goal).labelled(corpus, name, label, plain)
    kind, out, head = formats.named(goal), io.BytesIO(), io.BytesIO()
    corpus = kind.continued(corpus, first)
    write(corpus, out, goal)
    if not first:
        return out.getvalue()
    if not kind.has_header:
        return out.getvalue().removeprefix(codecs.BOM_UTF8)
    write(corpus[:0], head, goal)
    between = (
        corpus.layout.newline if corpus.layout.shape == "blank" else ""
    )  # blank lines separate sentences
    return between.encode() + out.getvalue().removeprefix(head.getvalue())


# ------------------------------------------------------------------------------------------------ more than labels


class Answer(NamedTuple):
    """The labels of one sentence, as a command writes them.

    part, place   its corpus, and its index there
    number        its number in the whole input
    labels        the best ones
    posterior     None when not requested, or the model has no probabilities
    nbest         None when not requested
    """

    part: seqlab.Corpus
    place: int
    number: int
    labels: list[str]
    posterior: seqlab.inference.Posterior | None
    nbest: Any

    @property
    def words(self) -> list[str]:
        """Return the words of the sentence."""
        return words_of(self.part, self.place, [""] * len(self.part[self.place]))

    def cells(self) -> list[list[str]]:
        """Return the columns of the sentence that hold strings."""
        part, sentence = self.part, self.part[self.place]
        return [list(map(str, sentence[name])) for name in part.columns if hasattr(part.data(name), "pool")]

    def chances(self, names: tuple[str, ...]) -> list[dict[str, float]]:
        """Return the probability of every label at each position."""
        rows = [] if self.posterior is None else self.posterior.node.tolist()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def spans(self) -> Iterator[tuple[seqlab.tags.Span, float | None, str]]:
        """Find the spans that the labels describe, their probability and their words."""
        from seqlab.tags import spans

        words, sums = self.words, self.posterior
        found: list[seqlab.tags.Span] = spans(self.labels) if self.labels else []
        for span in found:
            probability = None if sums is None else sums.span(span.start, span.end, span.type)
            yield span, probability, " ".join(words[span.start : span.end])


def view(tagger: Any, arguments: argparse.Namespace, way: dict[str, Any]) -> Work:
    """Make the function that turns a block into bytes: n best labellings, probabilities, spans; text or JSON lines."""
    from seqlab import inference
    from seqlab.tagging.decoding import blocks, located

    count, posterior = arguments.nbest or 0, bool(arguments.marginals or arguments.all_marginals)
    if posterior:
        tagger._check_meaning("--marginals")
    posterior = posterior or (arguments.spans and hasattr(tagger, "trellis") and tagger._probabilistic)

    def answers(block: seqlab.Corpus, first: int, threads: int) -> Iterator[Answer]:
        """Yield the answer for every sentence; trellises are made for several at a time."""
        for begin, part in blocks(for_model(block, tagger), tagger._block):
            with located(begin):
                trellises, labels = forced(tagger, part, arguments.known, way, threads)
            sums: Any = [None] * len(labels)
            best: Any = [None] * len(labels)
            with located(begin):
                if count and not hasattr(tagger, "trellis"):  # a re-ranker, which has its own lists
                    best = [tagger.nbest(sentence, count) for sentence in tagger._sentences(part)]
                elif posterior or count:
                    trellises = tagger._trellises(part, threads) if trellises is None else trellises
                    sums = inference.posterior(trellises, threads=threads) if posterior else sums
                    best = inference.nbest(trellises, count, threads=threads) if count else best
            for i, found in enumerate(labels):
                yield Answer(part, i, first + begin + i, found, sums[i], best[i])

    def work(block: seqlab.Corpus, first: int, threads: int) -> bytes:
        found = answers(block, first, threads)
        if arguments.json:
            return "".join(f"{as_json(_object(tagger, one, arguments))}\n" for one in found).encode()
        if arguments.marginals:
            pairs = (zip(one.labels, one.chances(tagger.labels_), strict=True) for one in found)
            column = [[f"{y}:{chances[y]:.{DIGITS}f}" for y, chances in sentence] for sentence in pairs]
            name = new_column(block)
            return written(block.with_column(name, column), name, tagger, arguments, first=first)
        lines = _span_lines if arguments.spans else _nbest_lines if arguments.nbest else _every_label
        return "".join(
            f"{line}\n" for line in chain.from_iterable(lines(tagger, one) for one in found)
        ).encode()

    return work


def _every_label(tagger: seqlab.Tagger, answer: Answer) -> Iterator[str]:
    """Write columns, the best label, then every label by falling probability."""
    separator, chances = answer.part.layout.separator, answer.chances(tagger.labels_)
    for *cells, label, row in zip(*answer.cells(), answer.labels, chances, strict=True):
        ranked = sorted(row.items(), key=lambda pair: -pair[1])
        yield separator.join([*cells, label, *(f"{name}:{chance:.{DIGITS}f}" for name, chance in ranked)])
    yield ""


def _nbest_lines(tagger: seqlab.Tagger, answer: Answer) -> Iterator[str]:
    """Write a line with rank and probability (or score) before each labelling, as CRF++ and Wapiti do."""
    separator = answer.part.layout.separator if answer.part.layout.format == "conll" else "\t"
    columns = answer.cells()
    for rank, path in enumerate(answer.nbest):
        value = math.exp(path.log_prob) if tagger._probabilistic and path.log_prob is not None else path.score
        yield f"# {rank} {value:.{DIGITS}f}"
        yield from map(separator.join, zip(*columns, map(str, path.labels), strict=True))
        yield ""


def _span_lines(_: seqlab.Tagger, answer: Answer) -> Iterator[str]:
    for span, probability, text in answer.spans():
        shown = "-" if probability is None else f"{probability:.{DIGITS}f}"
        yield "\t".join(map(str, (answer.number, span.start, span.end, span.type or "-", shown, text)))


def _object(tagger: seqlab.Tagger, answer: Answer, arguments: argparse.Namespace) -> dict[str, Any]:
    """Collect the requested results."""
    found: dict[str, Any] = {"tokens": answer.words, "labels": answer.labels}
    if arguments.marginals or arguments.all_marginals:
        chances = answer.chances(tagger.labels_)
        found["probabilities"] = [row[y] for row, y in zip(chances, answer.labels, strict=True)]
        if arguments.all_marginals:
            found["marginals"] = chances
    if answer.nbest is not None:
        keys = ("labels", "score", "log_prob") if tagger._probabilistic else ("labels", "score")
        found["nbest"] = [{key: getattr(path, key) for key in keys} for path in answer.nbest]
    if arguments.spans:
        found["spans"] = [
            {"begin": span.start, "end": span.end, "type": span.type, "probability": chance, "text": text}
            for span, chance, text in answer.spans()
        ]
    return found
