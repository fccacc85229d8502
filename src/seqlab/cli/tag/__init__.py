"""`seqlab tag`: label sentences, file to file, block by block, several blocks in parallel on request."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any

import seqlab
from seqlab import errors
from seqlab.cli import cluster, parsing
from seqlab.cli.outputs import same_file
from seqlab.cli.parsing import Group, option, whole
from seqlab.cli.reading import documents, raw
from seqlab.cli.reading.corpora import (
    doubts,
    file_of,
    forced,
    given_text,
    named_for,
    placed,
    refuse_swapped,
)
from seqlab.cli.reading.numbers import for_model
from seqlab.cli.tag.answers import Work, new_column, view, written
from seqlab.cli.terminal import Screen, file_progress, put_pieces
from seqlab.corpus.formats import LABELLED
from seqlab.text.formats import NAMES as TEXTS

USAGE = "MODEL [FILE ...]"
DESCRIPTION = """\
Label sentences with a model. What comes out is what went in with one more column, so that
it can be piped into conlleval; CoNLL-U gets the labels in their own column or in MISC, JSON
lines get a key "predicted". Plain text (one sentence a line) becomes columns of words and labels.
Files of any size are read and written a block at a time.

--nbest writes a line "# rank probability" before each labelling. --spans writes a line a
span: sentence, begin, end (not included), type, probability, words; all counted from 0.

With --raw the input is text as people write it. Tokens and sentences are found first, by the
tokeniser in the model's file or by rules, and begin and end are places in the text. A file
that has a tokeniser (a pipeline) needs no --raw. en-demo is a model that comes with seqlab.

Files of annotation tools (doccano, prodigy, labelstudio, brat, webanno) are texts, too: what comes
out is such a file with the spans that were found."""

EXAMPLES = """\
seqlab tag chunks.model new.txt > tagged.txt
seqlab tag chunks.model test.txt | conlleval -d '\\t'
seqlab tag pos.model --sentence "The old man the boats ."
cat *.txt.gz | seqlab tag pos.model - -o tagged.txt.gz --threads 2
seqlab tag ner.model tweets.txt --spans
seqlab tag ner.model tweets.txt --marginals --json
echo "Anna Weber lives in New York." | seqlab tag en-demo
seqlab tag ner.model letter.txt --raw --spans
seqlab tag en-demo letters.jsonl --format doccano -o tagged.jsonl
seqlab tag en-demo letter.txt --to prodigy
seqlab tag pos.model part-*.txt --output-dir tagged --workers 2"""


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
    option("--output-dir DIR", "on a cluster: a file for each input, whole or not at all"),
    parsing.SENTENCE,
    raw.RAW,
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
        option(
            "--to FORMAT",
            f"another format than the input's: {', '.join((*LABELLED, *TEXTS))}",
            choices=(*LABELLED, *TEXTS),
        ),
        option("--json", "a JSON object a line for each sentence"),
        raw.OFFSETS,
        raw.LAYER,
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
    cluster.OPTIONS,
)


def run(arguments: argparse.Namespace) -> None:
    """Read, label, write."""
    # NumPy would start threads for linear algebra, which tagging does not use: ten milliseconds.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _refuse_ignored(arguments)
    if arguments.sentence is not None and arguments.files:
        raise errors.OptionError("--sentence is the input already; leave the files out")
    refuse_swapped("tag", arguments.model, arguments.files)
    if (arguments.beam is None) == (arguments.decode == "beam"):
        raise errors.OptionError("--decode beam and --beam N belong together: pass both, or neither")
    if cluster.asked(arguments):
        cluster.tag_files(arguments)
        return
    parsing.refuse(arguments, ["output_dir"], "is for a cluster; pass --workers N or --scheduler ADDRESS")
    tagger, pipe = raw.loaded(arguments.model, arguments)  # before anything is written or read
    placed = arguments.sentence is None and documents.are_documents(
        arguments.files or ["-"], arguments.format
    )
    if placed or (pipe is not None and arguments.to is not None):
        _tag_texts(tagger, pipe, arguments, placed=placed)
        return
    if pipe is not None:
        _refuse_on_text(arguments)
        put_pieces(arguments.output, raw.tagged(pipe, _texts(arguments), arguments))
        return
    parsing.refuse(arguments, ["layer", "offsets"], "is for raw text; pass --raw, or a pipeline's file")
    pieces: Iterator[bytes] = tagged(tagger, _sources(arguments), arguments)
    if any(same_file(arguments.output, one) for one in arguments.files):
        first = next(pieces, b"")
        if not first:
            return  # a file without sentences stays as it is
        pieces = chain([first], pieces)
    put_pieces(arguments.output, pieces)


def _tag_texts(
    tagger: Any, pipe: seqlab.Pipeline | None, arguments: argparse.Namespace, *, placed: bool
) -> None:
    """Label texts with places, or write raw text as such."""
    others = ("nbest", "marginals", "all_marginals", "decode", "beam", "known")
    parsing.refuse(arguments, others, "is for sentences of tokens, and this is text; leave it out")
    pipe = seqlab.Pipeline(None, tagger) if pipe is None else pipe
    sources = _texts(arguments)
    if placed:
        found = documents.labelled(pipe, sources, arguments)
        form: str = arguments.to or documents.form_of(sources[0], arguments.format) or ""
    else:
        raw.refuse_tokens(arguments)
        found, form = raw.whole_texts(pipe, sources, arguments), arguments.to
    if arguments.json or arguments.spans or arguments.labels_only:
        put_pieces(arguments.output, raw.written(found, arguments))
        return
    documents.put(found, arguments, form, pipe.names[-1] if pipe.names else "")


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


def _refuse_on_text(arguments: argparse.Namespace) -> None:
    """Reject options that raw text has no use for."""
    raw.refuse_tokens(arguments)
    if any(same_file(arguments.output, one) for one in arguments.files):
        raise errors.OptionError(f"{arguments.output} is the text itself; write the labels to another file")
    others = ("nbest", "marginals", "all_marginals", "decode", "beam", "known")
    parsing.refuse(arguments, others, "is for sentences of tokens, and this is raw text; leave it out")


def _texts(arguments: argparse.Namespace) -> list[Any]:
    """Find the files of the input; one without a name for --sentence."""
    if arguments.sentence is not None:
        return [None]
    if not arguments.files and sys.stdin is not None and sys.stdin.isatty():
        print("seqlab: reading from the keyboard; Ctrl-D ends it", file=sys.stderr)
    return list(arguments.files) or ["-"]


def _sources(arguments: argparse.Namespace) -> list[Any]:
    """Find the input: files, standard input, or --sentence."""
    if arguments.sentence is None:
        return _texts(arguments)
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
                remark = None if number else raw.glued(block)
                if remark is not None:
                    warnings.warn(remark, errors.CorpusWarning, stacklevel=2)
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
        return view(tagger, arguments, way)

    def labels(block: seqlab.Corpus, first: int, threads: int) -> bytes:
        name = new_column(block)
        ready = for_model(block, tagger)
        if arguments.known is not None:
            done = block.with_column(name, forced(tagger, ready, arguments.known, way, threads)[1])
        else:
            done = tagger.annotate(ready, name, **way, threads=threads)
        if ready is not block and arguments.known is None:
            done = block.with_column(name, done.data(name))
        return written(done, name, tagger, arguments, first=first)

    return labels


def _bytes_of(sources: list[Any]) -> float | None:
    """Return the size of the input in bytes; None if unknown."""
    try:
        return float(sum(os.stat(source).st_size for source in sources if isinstance(source, str))) or None  # noqa: PTH116
    except OSError:
        return None
