"""`seqlab tag`: label sentences, file to file, block by block, several blocks in parallel on request."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import io
import math
import os
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import seqlab
from seqlab import errors
from seqlab.cli import parsing
from seqlab.cli.corpora import (
    doubts,
    file_of,
    forced,
    given_text,
    load_tagger,
    named_for,
    placed,
    refuse_swapped,
    words_of,
)
from seqlab.cli.numbers import for_model
from seqlab.cli.outputs import same_file
from seqlab.cli.parsing import Group, option, whole
from seqlab.cli.terminal import Screen, as_json, file_progress, put_pieces
from seqlab.corpus.formats import LABELLED

USAGE = "MODEL [FILE ...]"
DESCRIPTION = """\
Label sentences with a model. What comes out is what went in with one more column, so that
it can be piped into conlleval; CoNLL-U gets the labels in their own column or in MISC, JSON
lines get a key "predicted". Plain text (one sentence a line) becomes columns of words and labels.
Files of any size are read and written a block at a time.

--nbest writes a line "# rank probability" before each labelling. --spans writes a line a
span: sentence, begin, end (not included), type, probability, words; all counted from 0."""

EXAMPLES = """\
seqlab tag chunks.model new.txt > tagged.txt
seqlab tag chunks.model test.txt | conlleval -d '\\t'
seqlab tag pos.model --sentence "The old man the boats ."
cat *.txt.gz | seqlab tag pos.model - -o tagged.txt.gz --threads 2
seqlab tag ner.model tweets.txt --spans
seqlab tag ner.model tweets.txt --marginals --json"""


def _in_place(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the options whose files the output may replace: none, unless it keeps all they have and adds labels."""
    names = ("labels_only", "nbest", "all_marginals", "spans", "json")
    return () if any(getattr(arguments, name) for name in names) else ("files",)


_DECODE = "viterbi (the best path, default), posterior (each token for itself), beam"
_KNOWN = "labels that are known, by the name or number of their column; _ or nothing where none is"
OPTIONS = (
    parsing.MODEL,
    option("files FILE", "sentences (default: standard input)", nargs="*", default=[], reads=True),
    option(
        "-o --output FILE", "instead of standard output", default="-", writes="corpus", in_place=_in_place
    ),
    parsing.SENTENCE,
    Group(
        "what is written (instead of the best label of each token)",
        Group(
            None,
            option("--labels-only", "labels without the input"),
            option("--nbest -n N", "the N best labellings of a sentence", whole(1)),
            option("--marginals", "label:probability"),
            option("--all-marginals", "the same for every label, best first"),
            option("--spans", "the spans that the labels describe, and their probability"),
        ),
        option("--to FORMAT", f"another format than the input's: {', '.join(LABELLED)}", choices=LABELLED),
        option("--json", "a JSON object a line for each sentence"),
    ),
    Group(
        "how labels are found",
        option("--decode HOW", _DECODE, choices=("viterbi", "posterior", "beam")),
        option("--beam N", "how many labels a beam follows", whole(1)),
        option("--known COLUMN", _KNOWN),
        parsing.THREADS,
        option("-q --quiet", "errors only: no progress bar, no warnings"),
    ),
    parsing.READING,
)

DIGITS = 6  # decimal digits of probabilities
Work = Callable[["seqlab.Corpus", int, int], bytes]  # a block, the number of its first sentence, threads


def run(arguments: argparse.Namespace) -> None:
    """Read, label, write."""
    # NumPy would start threads for linear algebra, which tagging does not use: ten milliseconds.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sources = _sources(arguments)
    _refuse_ignored(arguments)
    refuse_swapped("tag", arguments.model, arguments.files)
    if (arguments.beam is None) == (arguments.decode == "beam"):
        raise errors.OptionError("--decode beam and --beam N belong together: pass both, or neither")
    tagger = load_tagger(arguments.model)  # before anything is written, and before the input is read
    pieces: Iterator[bytes] = tagged(tagger, sources, arguments)
    if any(same_file(arguments.output, one) for one in arguments.files):
        first = next(pieces, b"")
        if not first:
            return  # a file without sentences stays as it is
        pieces = chain([first], pieces)
    put_pieces(arguments.output, pieces)


def _refuse_ignored(arguments: argparse.Namespace) -> None:
    """Reject options that others make meaningless."""
    views = ("labels_only", "nbest", "all_marginals", "spans", "json")
    if arguments.to is not None:
        why = (
            f"has a form of its own, so that --to {arguments.to} would have no effect; leave one of them out"
        )
        parsing.refuse(arguments, views, why)
    if arguments.json:
        parsing.refuse(arguments, ["labels_only"], "has no effect beside --json, which has words and labels")
    elif arguments.nbest:
        why = "has no effect on the lists of --nbest, which are exact; leave one of them out"
        parsing.refuse(arguments, ["decode", "beam"], why)


def _sources(arguments: argparse.Namespace) -> list[Any]:
    """Find the input: files, standard input, or --sentence."""
    if arguments.sentence is None:
        if not arguments.files and sys.stdin is not None and sys.stdin.isatty():
            print("seqlab: reading from the keyboard; Ctrl-D ends it", file=sys.stderr)
        return list(arguments.files) or ["-"]
    if arguments.files:
        raise errors.OptionError("--sentence is the input already; leave the files out")
    text, reading = given_text(arguments.sentence, parsing.reading_of(arguments))
    arguments.format = reading.get("format")
    return [text]


def tagged(tagger: seqlab.Tagger, sources: list[Any], arguments: argparse.Namespace) -> Iterator[bytes]:
    """Yield the output, piece by piece."""
    from seqlab.arrays import thread_count
    from seqlab.corpus.io.reader import is_utf8
    from seqlab.corpus.io.writer import recoder

    work, encoding = _work(tagger, arguments), arguments.encoding
    plain = arguments.json or encoding is None or is_utf8(encoding)
    recode = bytes if plain else recoder(encoding, "the label ", "convert the input to UTF-8 first")
    threads = thread_count(arguments.threads)
    with file_progress(quiet=arguments.quiet) as screen:
        blocks = _blocks(tagger, sources, arguments, screen)
        for piece in _in_order(work, blocks, threads):
            yield recode(piece)


def _blocks(
    tagger: seqlab.Tagger, sources: list[Any], arguments: argparse.Namespace, screen: Screen
) -> Iterator[tuple[seqlab.Corpus, int]]:
    """Read blocks of whole sentences with the columns of training, and the number of their first sentence."""
    from seqlab.corpus import stream

    reading, given = parsing.reading_of(arguments), arguments.columns
    if arguments.sentence is not None:
        reading.pop("encoding", None)  # an argument is text already
    certain = given is not None or arguments.format
    screen.step("tagging", _bytes_of(sources))
    first = 0
    for source in sources:
        path, options = file_of(source, reading)
        plain = isinstance(path, str) and os.path.isfile(path) and os.access(path, os.R_OK)  # noqa: PTH113
        watched = plain and screen.stream is not None  # opened here, to measure the progress of its reader
        with open(path, "rb") if watched else contextlib.nullcontext() as file:  # noqa: PTH123
            done = 0
            for number, block in enumerate(_sentences(stream(file or path, **options))):
                for doubt in () if number or certain else doubts(block, tagger):
                    warnings.warn(doubt, errors.CorpusWarning, stacklevel=2)
                yield named_for(block, tagger, given), first
                first += len(block)
                if file is not None:
                    done, before = file.tell(), done
                    screen.advance(done - before)


def _sentences(source: Any) -> Iterator[seqlab.Corpus]:
    """Yield the blocks of a file; none for a file without sentences, which is no error here."""
    with contextlib.suppress(errors.EmptyError):
        yield from source.blocks()


def _in_order(work: Work, blocks: Iterator[tuple[seqlab.Corpus, int]], threads: int) -> Iterator[bytes]:
    """Apply `work` to the blocks, and yield the results in their order.

    The first block is done alone, by all threads: most input is no larger, and tables are built on
    first use. After it every thread has its own block; only a few are in progress, so memory does not grow.
    """
    with contextlib.ExitStack() as stack:
        pool: Any = None
        waiting: deque[Any] = deque()
        for number, (block, first) in enumerate(blocks):
            if number == 0 or threads == 1:
                yield _located(work, block, first, threads)
                continue
            if pool is None:
                from concurrent.futures import ThreadPoolExecutor

                pool = ThreadPoolExecutor(threads)
                stack.callback(pool.shutdown, cancel_futures=True)
            waiting.append(pool.submit(_located, work, block, first, 1))
            if len(waiting) > threads + 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _located(work: Work, block: seqlab.Corpus, first: int, threads: int) -> bytes:
    with placed(block, whole=False):  # the library counts sentences of the block only
        return work(block, first, threads)


def _work(tagger: seqlab.Tagger, arguments: argparse.Namespace) -> Work:
    chosen = {"decode": arguments.decode, "beam": arguments.beam}
    way = {name: value for name, value in chosen.items() if value is not None}
    if way and not hasattr(tagger, "trellis"):
        raise errors.QuestionError(
            f"--decode has no meaning here: a {type(tagger).__name__} picks one of its generator's labellings"
        )
    if arguments.known is not None and not hasattr(tagger, "trellis"):
        raise errors.QuestionError(
            f"--known has no meaning here: a {type(tagger).__name__} picks one of its generator's labellings"
        )
    if arguments.json or arguments.nbest or arguments.marginals or arguments.all_marginals or arguments.spans:
        return _view(tagger, arguments, way)

    def labels(block: seqlab.Corpus, first: int, threads: int) -> bytes:
        name = _new_column(block)
        ready = for_model(block, tagger)
        if arguments.known is not None:
            done = block.with_column(name, forced(tagger, ready, arguments.known, way, threads)[1])
        else:
            done = tagger.annotate(ready, name, **way, threads=threads)
        if ready is not block and arguments.known is None:
            done = block.with_column(name, done.data(name))
        return _written(done, name, tagger, arguments, first=first)

    return labels


def _new_column(block: seqlab.Corpus) -> str:
    """Find an unused column name."""
    name = "predicted"
    while name in block.columns:
        name += "_"
    return name


def _written(
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


def _view(tagger: Any, arguments: argparse.Namespace, way: dict[str, Any]) -> Work:
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
            name = _new_column(block)
            return _written(block.with_column(name, column), name, tagger, arguments, first=first)
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


def _bytes_of(sources: list[Any]) -> float | None:
    """Return the size of the input in bytes; None if unknown."""
    try:
        return float(sum(os.stat(source).st_size for source in sources if isinstance(source, str))) or None  # noqa: PTH116
    except OSError:
        return None
