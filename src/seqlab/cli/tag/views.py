"""More than the best label: n best labellings, probabilities, spans; as text and as JSON lines."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from seqlab import inference
from seqlab.cli.corpora import words_of
from seqlab.cli.printing import json_line
from seqlab.cli.tag import Work, new_column, written
from seqlab.tagging.decoding import blocks, located

if TYPE_CHECKING:
    from seqlab.corpus import Corpus
    from seqlab.inference import Posterior
    from seqlab.tagging.tagger import Tagger
    from seqlab.tags import Span

DIGITS = 6


class Answer(NamedTuple):
    """What is known of one sentence.

    part, place   the corpus that it stands in, and where
    number        its number in the whole input
    labels        the best ones
    posterior     None when it was not asked for, or the model has no probabilities
    nbest         None when it was not asked for
    """

    part: Corpus
    place: int
    number: int
    labels: list[str]
    posterior: Posterior | None
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

    def spans(self) -> Iterator[tuple[Span, float | None, str]]:
        """Find the spans that the labels describe, their probability and their words."""
        from seqlab.tags import spans

        words, sums = self.words, self.posterior
        found: list[Span] = spans(self.labels) if self.labels else []
        for span in found:
            probability = None if sums is None else sums.span(span.start, span.end, span.type)
            yield span, probability, " ".join(words[span.start : span.end])


def view(tagger: Any, arguments: argparse.Namespace, way: dict[str, Any]) -> Work:
    """Make what turns a block into bytes."""
    count, posterior = arguments.nbest or 0, bool(arguments.marginals or arguments.all_marginals)
    if posterior:
        tagger._check_meaning("--marginals")
    posterior = posterior or (arguments.spans and hasattr(tagger, "trellis") and tagger._probabilistic)

    def answers(block: Corpus, first: int, threads: int) -> Iterator[Answer]:
        """Answer sentence by sentence; trellises are made for some of them at a time."""
        for begin, part in blocks(block, tagger._block):
            labels = tagger.predict(part, **way, threads=threads)
            sums: Any = [None] * len(labels)
            best: Any = [None] * len(labels)
            with located(begin):
                if count and not hasattr(tagger, "trellis"):  # a re-ranker, which has lists of its own
                    best = [tagger.nbest(sentence, count) for sentence in tagger._sentences(part)]
                elif posterior or count:
                    trellises = tagger._trellises(part, threads)
                    sums = inference.posterior(trellises, threads=threads) if posterior else sums
                    best = inference.nbest(trellises, count, threads=threads) if count else best
            for i, found in enumerate(labels):
                yield Answer(part, i, first + begin + i, found, sums[i], best[i])

    def work(block: Corpus, first: int, threads: int) -> bytes:
        found = answers(block, first, threads)
        if arguments.json:
            return b"".join(json_line(_object(tagger, one, arguments)) for one in found)
        if arguments.marginals:
            pairs = (zip(one.labels, one.chances(tagger.labels_), strict=True) for one in found)
            column = [[f"{y}:{chances[y]:.{DIGITS}f}" for y, chances in sentence] for sentence in pairs]
            name = new_column(block)
            return written(block.with_column(name, column), name, tagger, arguments)
        lines = _span_lines if arguments.spans else _nbest_lines if arguments.nbest else _every_label
        return "".join(
            f"{line}\n" for line in chain.from_iterable(lines(tagger, one) for one in found)
        ).encode()

    return work


def _every_label(tagger: Tagger, answer: Answer) -> Iterator[str]:
    """Write columns with the best label behind them, then every label by falling probability."""
    separator, chances = answer.part.layout.separator, answer.chances(tagger.labels_)
    for *cells, label, row in zip(*answer.cells(), answer.labels, chances, strict=True):
        ranked = sorted(row.items(), key=lambda pair: -pair[1])
        yield separator.join([*cells, label, *(f"{name}:{chance:.{DIGITS}f}" for name, chance in ranked)])
    yield ""


def _nbest_lines(tagger: Tagger, answer: Answer) -> Iterator[str]:
    """Write a line with rank and probability (or score) before each labelling, as CRF++ and Wapiti have it."""
    separator = answer.part.layout.separator if answer.part.layout.format == "conll" else "\t"
    columns = answer.cells()
    for rank, path in enumerate(answer.nbest):
        value = math.exp(path.log_prob) if tagger._probabilistic and path.log_prob is not None else path.score
        yield f"# {rank} {value:.{DIGITS}f}"
        yield from map(separator.join, zip(*columns, map(str, path.labels), strict=True))
        yield ""


def _span_lines(_: Tagger, answer: Answer) -> Iterator[str]:
    for span, probability, text in answer.spans():
        shown = "-" if probability is None else f"{probability:.{DIGITS}f}"
        yield "\t".join(map(str, (answer.number, span.start, span.end, span.type or "-", shown, text)))


def _object(tagger: Tagger, answer: Answer, arguments: argparse.Namespace) -> dict[str, Any]:
    """Collect everything that was asked for."""
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
