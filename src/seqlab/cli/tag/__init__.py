"""`seqlab tag`: labels for sentences, file to file, a block at a time, several of them at once when asked."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import io
import os
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from seqlab.cli import parsing
from seqlab.cli.corpora import doubts, found, given_text, in_file, load_tagger, named_for
from seqlab.cli.parsing import Group, option, whole
from seqlab.cli.printing import put_pieces
from seqlab.cli.terminal import file_progress
from seqlab.corpus.formats import LABELLED
from seqlab.errors import (
    CorpusError,
    CorpusWarning,
    ImpossibleError,
    OptionError,
    QuestionError,
    TemplateError,
)

if TYPE_CHECKING:
    from seqlab.cli.terminal import Screen
    from seqlab.corpus import Corpus
    from seqlab.tagging.tagger import Tagger

USAGE = "MODEL [FILE ...]"
DESCRIPTION = """\
Label sentences with a model. What comes out is what went in with one more column, so that
it can be piped into conlleval; CoNLL-U gets the labels in their own column, JSON lines get
a key "predicted". Plain text (one sentence a line) becomes columns of words and labels.
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

_DECODE = "viterbi (the best path, default), posterior (each token for itself), beam"
OPTIONS = (
    parsing.MODEL,
    option("files FILE", "sentences (default: standard input)", nargs="*", default=[]),
    option("-o --output FILE", "instead of standard output", default="-"),
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
        parsing.THREADS,
        option("-q --quiet", "no progress bar"),
    ),
    parsing.READING,
)

Work = Callable[["Corpus", int, int], bytes]  # a block, the number of its first sentence, threads


def run(arguments: argparse.Namespace) -> None:
    """Read, label, write."""
    # NumPy would start threads for linear algebra, which tagging has no use for: ten milliseconds.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sources = _sources(arguments)
    if (arguments.beam is None) == (arguments.decode == "beam"):
        raise OptionError("--decode beam and --beam N belong together: pass both, or neither")
    tagger = load_tagger(arguments.model)  # before anything is written; the input is waited for last
    put_pieces(arguments.output, tagged(tagger, sources, arguments))


def _sources(arguments: argparse.Namespace) -> list[Any]:
    """Find out what is read: files, standard input, or what --sentence says."""
    if arguments.sentence is None:
        if not arguments.files and sys.stdin is not None and sys.stdin.isatty():
            print("seqlab: reading from the keyboard; Ctrl-D ends it", file=sys.stderr)
        return list(arguments.files) or ["-"]
    if arguments.files:
        raise OptionError("--sentence is the input already; leave the files out")
    text, reading = given_text(arguments.sentence, parsing.reading_of(arguments))
    arguments.format = reading.get("format")
    return [text]


def tagged(tagger: Tagger, sources: list[Any], arguments: argparse.Namespace) -> Iterator[bytes]:
    """Make the output, piece by piece."""
    from seqlab.threads import thread_count

    work = _work(tagger, arguments)
    recode = _recoder(arguments.encoding, plain=arguments.json)
    threads = thread_count(arguments.threads)
    with file_progress(quiet=arguments.quiet) as screen:
        blocks = _blocks(tagger, sources, arguments, screen)
        for piece in _in_order(work, blocks, threads):
            yield recode(piece)


def _blocks(
    tagger: Tagger, sources: list[Any], arguments: argparse.Namespace, screen: Screen
) -> Iterator[tuple[Corpus, int]]:
    """Read blocks of whole sentences with the columns of training, and the number of their first sentence."""
    from seqlab.corpus import stream

    reading, given = parsing.reading_of(arguments), arguments.columns
    certain = given is not None or arguments.format
    screen.step("tagging", _bytes_of(sources))
    first = 0
    for source in sources:
        path, options = found(source, reading)
        with _opened(path, screen) or contextlib.nullcontext() as file:
            done = 0
            for number, block in enumerate(stream(file or path, **options).blocks()):
                for doubt in () if number or certain else doubts(block, tagger):
                    warnings.warn(doubt, CorpusWarning, stacklevel=2)
                yield named_for(block, tagger, given), first
                first += len(block)
                if file is not None:
                    done, before = file.tell(), done
                    screen.advance(done - before)


def _in_order(work: Work, blocks: Iterator[tuple[Corpus, int]], threads: int) -> Iterator[bytes]:
    """Do `work` on the blocks, and give what it makes of them in their order.

    The first block is done alone, by all threads: most input is no larger, and what a tagger makes when it is first
    used is then there. After it every thread has a block of its own; a few are on their way, so memory stays flat.
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


def _located(work: Work, block: Corpus, first: int, threads: int) -> bytes:
    """Do `work` with errors that name file and line; the library counts sentences, and only those of the block."""
    try:
        return work(block, first, threads)
    except (ImpossibleError, CorpusError, TemplateError) as error:
        if error.path is not None or not block.name:
            raise
        sentence = error.place.sentence
        if sentence is None and isinstance(error, ImpossibleError):
            raise
        raise in_file(error, block, sentence or 0) from error


# ------------------------------------------------------------------------------------------------ a block's labels


def _work(tagger: Tagger, arguments: argparse.Namespace) -> Work:
    chosen = {"decode": arguments.decode, "beam": arguments.beam}
    way = {name: value for name, value in chosen.items() if value is not None}
    if way and not hasattr(tagger, "trellis"):
        raise QuestionError(
            f"--decode has no meaning here: a {type(tagger).__name__} picks one of its generator's labellings"
        )
    if arguments.json or arguments.nbest or arguments.marginals or arguments.all_marginals or arguments.spans:
        from seqlab.cli.tag.views import view

        return view(tagger, arguments, way)

    def labels(block: Corpus, first: int, threads: int) -> bytes:
        name = new_column(block)
        done = tagger.annotate(block, name, **way, threads=threads)
        return written(done, name, tagger, arguments, first=first == 0)

    return labels


def new_column(block: Corpus) -> str:
    """Find a name that no column has yet."""
    name = "predicted"
    while name in block.columns:
        name += "_"
    return name


def written(
    corpus: Corpus, name: str, tagger: Tagger, arguments: argparse.Namespace, *, first: bool = True
) -> bytes:
    """Write the block as bytes in the wanted format.

    name    the column with the predicted labels, the last one
    first   whether the file begins here
    """
    from seqlab.corpus import Corpus, formats, write

    if (
        arguments.labels_only
    ):  # comments and the like have no place among them; blank lines between sentences do
        goal = "conll"
        corpus = Corpus({name: corpus.data(name)}, corpus.offsets, layout=corpus.layout)
    else:
        goal = arguments.to or _usual_format(corpus.layout.format, tagger.column_)
        corpus = formats.named(goal).labelled(corpus, name, tagger.column_)
    out = io.BytesIO()
    write(corpus, out, goal)
    return out.getvalue() if first else out.getvalue().removeprefix(codecs.BOM_UTF8)


def _usual_format(read_as: str | None, label: str | None) -> str:
    """Choose the format of the input, where it has a place for a label: in CoNLL-U that of training."""
    from seqlab.corpus.columns import CONLLU

    good = read_as in {"conll", "jsonl"} or (read_as == "conllu" and label in CONLLU)
    return str(read_as) if good else "conll"


# ------------------------------------------------------------------------------------------------ bytes


def _recoder(encoding: str | None, *, plain: bool) -> Callable[[bytes], bytes]:
    """Give output the encoding of the input; JSON is UTF-8 whatever comes."""
    from seqlab.corpus.io.reader import is_utf8

    if plain or encoding is None or is_utf8(encoding):
        return bytes
    encoder = codecs.getincrementalencoder(encoding)()

    def recode(piece: bytes) -> bytes:
        try:
            return encoder.encode(piece.decode("utf-8"))
        except UnicodeEncodeError as error:
            raise CorpusError(
                f"{encoding} cannot write the label {error.object[error.start]!r}; convert the input to UTF-8 first"
            ) from None

    return recode


def _opened(source: Any, screen: Screen) -> Any:
    """Open a plain file when there is a bar, to see how far its reader is; leave all else to the reader."""
    plain = isinstance(source, str) and os.path.isfile(source) and os.access(source, os.R_OK)  # noqa: PTH113
    return open(source, "rb") if plain and screen.stream else None  # noqa: PTH123


def _bytes_of(sources: list[Any]) -> float | None:
    """Count what there is to read; None when nobody knows."""
    try:
        return float(sum(os.stat(source).st_size for source in sources if isinstance(source, str))) or None  # noqa: PTH116
    except OSError:
        return None
