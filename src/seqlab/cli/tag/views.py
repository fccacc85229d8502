"""More than the best label: n best labellings, probabilities, spans; as text and as JSON lines."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from seqlab import inference
from seqlab.cli.corpora import words_of
from seqlab.cli.tag.blocks import Work, new_column, written
from seqlab.cli.terminal.printing import json_line
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
        """The words of the sentence."""
        return words_of(self.part, self.place, [""] * len(self.part[self.place]))

    def chances(self, names: tuple[str, ...]) -> list[dict[str, float]]:
        """The probability of every label at each position."""
        rows = [] if self.posterior is None else self.posterior.node.tolist()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def spans(self) -> Iterator[tuple[Span, float | None, str]]:
        """The spans that the labels describe, their probability and their words."""
        from seqlab.tags import spans

        words, sums = self.words, self.posterior
        found: list[Span] = spans(self.labels) if self.labels else []
        for span in found:
            probability = None if sums is None else sums.span(span.start, span.end, span.type)
            yield span, probability, " ".join(words[span.start : span.end])


def view(tagger: Tagger, arguments: argparse.Namespace, way: dict[str, Any]) -> Work:
    """Make what turns a block into bytes."""
    probable = bool(arguments.marginals or arguments.all_marginals)
    if probable:
        tagger._check_meaning("--marginals")
    posterior = probable or (arguments.spans and hasattr(tagger, "trellis") and tagger._probabilistic)
    render = _renderer(tagger, arguments)

    def work(block: Corpus, first: int, threads: int) -> bytes:
        return render(block, _answers(tagger, block, way, threads, first, posterior, arguments.nbest or 0))

    return work


def _answers(
    tagger: Any,
    block: Corpus,
    way: dict[str, Any],
    threads: int,
    first: int,
    posterior: bool,  # noqa: FBT001
    count: int,
) -> Iterator[Answer]:
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


# ------------------------------------------------------------------------------------------------ rendering

Renderer = Callable[["Corpus", Iterator[Answer]], bytes]


def _renderer(tagger: Tagger, arguments: argparse.Namespace) -> Renderer:
    if arguments.json:
        return lambda _, answers: b"".join(_json(tagger, one, arguments) for one in answers)
    if arguments.spans:
        return lambda _, answers: b"".join(_span_lines(one) for one in answers)
    if arguments.nbest:
        return lambda _, answers: b"".join(_nbest_lines(tagger, one) for one in answers)
    if arguments.all_marginals:
        return lambda block, answers: _every_label(block, answers, tagger.labels_)

    def columns(block: Corpus, answers: Iterator[Answer]) -> bytes:
        name = new_column(block)
        done = block.with_column(name, [_best_label(one, tagger.labels_) for one in answers])
        return written(done, name, tagger.column_, arguments.to)

    return columns


def _best_label(answer: Answer, names: tuple[str, ...]) -> list[str]:
    pairs = zip(answer.labels, answer.chances(names), strict=True)
    return [f"{label}:{chances[label]:.{DIGITS}f}" for label, chances in pairs]


def _every_label(block: Corpus, answers: Iterator[Answer], names: tuple[str, ...]) -> bytes:
    """Write columns with the best label behind them, then every label by falling probability."""
    columns = [block.column(name) for name in block.columns if hasattr(block.data(name), "pool")]
    separator, lines = block.layout.separator, []
    for i, answer in enumerate(answers):
        for t, (label, chances) in enumerate(zip(answer.labels, answer.chances(names), strict=True)):
            ranked = sorted(chances.items(), key=lambda pair: -pair[1])
            shown = (f"{name}:{chance:.{DIGITS}f}" for name, chance in ranked)
            lines.append(separator.join([*(str(column[i][t]) for column in columns), label, *shown]))
        lines.append("")
    return _encoded(lines)


def _nbest_lines(tagger: Tagger, answer: Answer) -> bytes:
    """Write a line with rank and probability (or score) before each labelling, as CRF++ and Wapiti have it."""
    sentence = answer.part[answer.place]
    names = [name for name in answer.part.columns if hasattr(answer.part.data(name), "pool")]
    columns = [list(map(str, sentence[name])) for name in names if not isinstance(sentence[name], dict)]
    separator = answer.part.layout.separator if answer.part.layout.format == "conll" else "\t"
    lines = []
    for rank, path in enumerate(answer.nbest):
        value = math.exp(path.log_prob) if tagger._probabilistic and path.log_prob is not None else path.score
        rows = zip(*columns, map(str, path.labels), strict=True)
        lines += [f"# {rank} {value:.{DIGITS}f}", *map(separator.join, rows), ""]
    return _encoded(lines)


def _span_lines(answer: Answer) -> bytes:
    lines = []
    for span, probability, text in answer.spans():
        shown = "-" if probability is None else f"{probability:.{DIGITS}f}"
        cells = (answer.number, span.start, span.end, span.type or "-", shown, text)
        lines.append("\t".join(map(str, cells)))
    return _encoded(lines)


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def _json(tagger: Tagger, answer: Answer, arguments: argparse.Namespace) -> bytes:
    """Write everything that was asked for, as one object."""
    found: dict[str, Any] = {"tokens": answer.words, "labels": answer.labels}
    if arguments.marginals or arguments.all_marginals:
        chances = answer.chances(tagger.labels_)
        found["probabilities"] = [row[y] for row, y in zip(chances, answer.labels, strict=True)]
        if arguments.all_marginals:
            found["marginals"] = chances
    if answer.nbest is not None:
        found["nbest"] = [_path(path, probabilistic=tagger._probabilistic) for path in answer.nbest]
    if arguments.spans:
        found["spans"] = [
            {
                "begin": span.start,
                "end": span.end,
                "type": span.type,
                "probability": probability,
                "text": text,
            }
            for span, probability, text in answer.spans()
        ]
    return json_line(found)


def _path(path: Any, *, probabilistic: bool) -> dict[str, Any]:
    found = {"labels": list(path.labels), "score": path.score}
    return {**found, "log_prob": path.log_prob} if probabilistic else found
