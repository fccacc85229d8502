"""More than the best label: n best labellings, probabilities, spans; as text and as JSON lines."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from seqlab import inference
from seqlab.cli.printing import json_line
from seqlab.cli.tag_blocks import Work, new_column, written
from seqlab.tagging.decoding import blocks, located

if TYPE_CHECKING:
    from seqlab.corpus import Corpus
    from seqlab.inference import Posterior
    from seqlab.tagging.tagger import Tagger
    from seqlab.tags import Span

DIGITS = 6


class Answer(NamedTuple):
    """What is known of one sentence.

    labels      the best ones
    posterior   None when it was not asked for, or the model has no probabilities
    nbest       None when it was not asked for
    """

    part: Corpus
    place: int
    number: int
    labels: list[str]
    posterior: Posterior | None
    nbest: Any

    def text(self, begin: int, end: int) -> str:
        """The words from begin up to end."""
        return " ".join(self._words()[begin:end])

    def _words(self) -> list[str]:
        from seqlab.tagging.door.sentences import word_column

        name = word_column(self.part)
        sentence = self.part[self.place]
        return list(map(str, sentence[name])) if name else [""] * len(sentence)


def view(tagger: Tagger, arguments: argparse.Namespace, way: dict[str, Any]) -> Work:
    """What makes bytes of a block."""
    chain = hasattr(tagger, "trellis")
    probable = bool(arguments.marginals or arguments.all_marginals)
    if probable:
        tagger._check_meaning("--marginals")
    posterior = probable or (arguments.spans and chain and tagger._probabilistic)
    count = arguments.nbest or 0
    render = _renderer(tagger, arguments)

    def work(block: Corpus, first: int, threads: int) -> bytes:
        answers = _answers(tagger, block, way, threads, first, posterior=posterior, count=count)
        return render(block, answers)

    return work


def _answers(
    tagger: Tagger,
    block: Corpus,
    way: dict[str, Any],
    threads: int,
    first: int,
    *,
    posterior: bool,
    count: int,
) -> Iterator[Answer]:
    """One answer a sentence; trellises are made for some of them at a time."""
    for begin, part in blocks(block, tagger._block):
        labels = tagger.predict(part, **way, threads=threads)
        with located(begin):
            chain = hasattr(tagger, "trellis") and (posterior or count)
            trellises = tagger._trellises(part, threads) if chain else None
            sums: Any = (
                inference.posterior(trellises, threads=threads)
                if posterior and trellises is not None
                else None
            )
            best = _best(tagger, part, trellises, count, threads) if count else None
        for i, found in enumerate(labels):
            yield Answer(
                part,
                i,
                first + begin + i,
                found,
                None if sums is None else sums[i],
                None if best is None else best[i],
            )


def _best(tagger: Any, part: Corpus, trellises: Any, count: int, threads: int) -> Any:
    """The n best labellings of every sentence; a re-ranker has no trellises, but lists of its own."""
    if trellises is None:
        return [tagger.nbest(sentence, count) for sentence in tagger._sentences(part)]
    return inference.nbest(trellises, count, threads=threads)


# ------------------------------------------------------------------------------------------------ rendering

Renderer = Callable[["Corpus", Iterator[Answer]], bytes]


def _renderer(tagger: Tagger, arguments: argparse.Namespace) -> Renderer:
    if arguments.json:
        return lambda _, answers: b"".join(_json(tagger, one, arguments) for one in answers)
    if arguments.spans:
        return lambda _, answers: b"".join(_span_lines(one) for one in answers)
    if arguments.nbest:
        return lambda _, answers: b"".join(_nbest_lines(tagger, one) for one in answers)

    def columns(block: Corpus, answers: Iterator[Answer]) -> bytes:
        cells = [
            (_every_label if arguments.all_marginals else _best_label)(one, tagger.labels_) for one in answers
        ]
        name = new_column(block)
        if arguments.all_marginals:
            cells = [[cell.replace(" ", block.layout.separator) for cell in sentence] for sentence in cells]
            return _wide(block, cells)
        return written(block.with_column(name, cells), name, tagger.column_, arguments.to)

    return columns


def _best_label(answer: Answer, names: tuple[str, ...]) -> list[str]:
    rows = answer.posterior.node if answer.posterior is not None else ()
    place = {name: i for i, name in enumerate(names)}
    return [
        f"{label}:{float(row[place[label]]):.{DIGITS}f}"
        for label, row in zip(answer.labels, rows, strict=True)
    ]


def _every_label(answer: Answer, names: tuple[str, ...]) -> list[str]:
    """The best label, then every label by falling probability, with blanks between."""
    rows = answer.posterior.node if answer.posterior is not None else ()
    cells = []
    for label, row in zip(answer.labels, rows, strict=True):
        order = sorted(range(len(names)), key=lambda i: (-row[i], i))
        cells.append(" ".join([label, *(f"{names[i]}:{float(row[i]):.{DIGITS}f}" for i in order)]))
    return cells


def _wide(block: Corpus, cells: list[list[str]]) -> bytes:
    """Columns with further cells behind them; these hold separators, so they are written by hand."""
    columns = [block.column(name) for name in block.columns if hasattr(block.data(name), "pool")]
    lines = []
    for i, sentence in enumerate(cells):
        for t, cell in enumerate(sentence):
            lines.append(block.layout.separator.join([*(str(column[i][t]) for column in columns), cell]))
        lines.append("")
    return "".join(line + "\n" for line in lines).encode()


def _nbest_lines(tagger: Tagger, answer: Answer) -> bytes:
    """A line with rank and probability (or score) before each labelling, as CRF++ and Wapiti have it."""
    sentence = answer.part[answer.place]
    names = [name for name in answer.part.columns if hasattr(answer.part.data(name), "pool")]
    columns = [list(map(str, sentence[name])) for name in names if not isinstance(sentence[name], dict)]
    separator = answer.part.layout.separator if answer.part.layout.format == "conll" else "\t"
    lines = []
    for rank, path in enumerate(answer.nbest):
        value = math.exp(path.log_prob) if tagger._probabilistic and path.log_prob is not None else path.score
        lines.append(f"# {rank} {value:.{DIGITS}f}")
        lines += [
            separator.join([*cells, str(label)]) for *cells, label in zip(*columns, path.labels, strict=True)
        ]
        lines.append("")
    return "".join(line + "\n" for line in lines).encode()


def _spans(answer: Answer) -> list[tuple[Span, float | None]]:
    from seqlab.tags import spans

    found: list[Span] = spans(answer.labels) if answer.labels else []
    sums = answer.posterior
    return [(span, None if sums is None else sums.span(span.start, span.end, span.type)) for span in found]


def _span_lines(answer: Answer) -> bytes:
    lines = []
    for span, probability in _spans(answer):
        shown = "-" if probability is None else f"{probability:.{DIGITS}f}"
        cells = (
            answer.number,
            span.start,
            span.end,
            span.type or "-",
            shown,
            answer.text(span.start, span.end),
        )
        lines.append("\t".join(map(str, cells)) + "\n")
    return "".join(lines).encode()


def _json(tagger: Tagger, answer: Answer, arguments: argparse.Namespace) -> bytes:
    """Everything that was asked for, as one object."""
    found: dict[str, Any] = {"tokens": answer._words(), "labels": answer.labels}
    if answer.posterior is not None and (arguments.marginals or arguments.all_marginals):
        place = {name: i for i, name in enumerate(tagger.labels_)}
        rows = answer.posterior.node.tolist()
        found["probabilities"] = [row[place[y]] for row, y in zip(rows, answer.labels, strict=True)]
        if arguments.all_marginals:
            found["marginals"] = [dict(zip(tagger.labels_, row, strict=True)) for row in rows]
    if answer.nbest is not None:
        found["nbest"] = [_path(path, probabilistic=tagger._probabilistic) for path in answer.nbest]
    if arguments.spans:
        found["spans"] = [
            {
                "begin": span.start,
                "end": span.end,
                "type": span.type,
                "probability": probability,
                "text": answer.text(span.start, span.end),
            }
            for span, probability in _spans(answer)
        ]
    return json_line(found)


def _path(path: Any, *, probabilistic: bool) -> dict[str, Any]:
    found = {"labels": list(path.labels), "score": path.score}
    return {**found, "log_prob": path.log_prob} if probabilistic else found
