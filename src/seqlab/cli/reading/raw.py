"""Raw text for commands: models with a tokeniser, and what is written of labelled text."""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import seqlab
from seqlab.cli import parsing
from seqlab.cli.parsing import option
from seqlab.cli.reading import documents
from seqlab.cli.reading.corpora import is_builtin, load_model
from seqlab.cli.terminal import as_json
from seqlab.errors import OptionError

DIGITS = 6  # decimal digits of probabilities
RAW = option("--raw", "the input is raw text: it is cut into tokens and sentences first")
LAYER = option("--layer NAME", "of a pipeline with several taggers: whose labels (default: the last)")
UNITS = {"code-points": "code points", "utf-16": "utf-16"}
OFFSETS = option(
    "--offsets UNIT", "of raw text: code-points (default), or utf-16 as in JavaScript", choices=tuple(UNITS)
)
TOKENS_ONLY = ("format", "columns", "separator", "comments", "missing", "sequence")  # options of reading
GLUED = re.compile(r"[^\W\d_][.,;:!?]\Z")
MARKS = frozenset(".,;:!?")


def pipeline_in(model: Any, *, raw: bool) -> seqlab.Pipeline | None:
    """Return the pipeline for raw text: the model, if it has a tokeniser; one with rules for --raw; None for tokens."""
    if hasattr(model, "tokeniser"):
        return model  # type: ignore[no-any-return]
    if is_tokeniser(model):
        return seqlab.Pipeline(model)
    return seqlab.Pipeline(None, model) if raw else None


def is_tokeniser(model: Any) -> bool:
    """Return True for a tokeniser without a tagger."""
    return callable(model) and not hasattr(model, "annotate") and not hasattr(model, "tokeniser")


def loaded(
    path: str, arguments: argparse.Namespace, *, chain: bool = False
) -> tuple[Any, seqlab.Pipeline | None]:
    """Load a tagger, and the pipeline for raw text that it is the tagger of, if there is one.

    chain   as for corpora.load_tagger
    """
    from seqlab.cli.reading.corpora import check_tagger

    model = load_model(path)
    if is_builtin(path) and not getattr(arguments, "quiet", False):
        print(f"seqlab: {path} is {model.about}", file=sys.stderr)
    if is_tokeniser(model) and not chain:
        return None, seqlab.Pipeline(model)
    if not hasattr(model, "tokeniser"):
        check_tagger(path, model, chain=chain)
        return model, pipeline_in(model, raw=arguments.raw)
    pipe = up_to_layer(model, arguments.layer, path)
    check_tagger(path, pipe.taggers[-1], chain=chain)
    return pipe.taggers[-1], pipe


def up_to_layer(pipe: seqlab.Pipeline, layer: str | None, path: str) -> seqlab.Pipeline:
    """Return the pipeline without the taggers behind the one of a layer."""
    if not pipe.taggers:
        raise OptionError(f"{path} holds a tokeniser and no tagger, so there are no labels")
    if layer is None:
        return pipe
    if layer not in pipe.names:
        raise OptionError(f"--layer {parsing.none_of(layer, pipe.names)}")
    last = pipe.names.index(layer) + 1
    return seqlab.Pipeline(pipe.tokeniser, pipe.taggers[:last], pipe.names[:last], pipe.probabilities)


def refuse_tokens(arguments: argparse.Namespace) -> None:
    """Reject options that describe how tokens are written in a file."""
    why = "describes files of tokens, and this is raw text; leave it out"
    parsing.refuse(arguments, TOKENS_ONLY, why)


def text_of(arguments: argparse.Namespace, source: Any) -> tuple[Any, str]:
    """Return the source of --sentence or a file, and its encoding."""
    given = getattr(arguments, "sentence", None)
    if given is None:
        return source, arguments.encoding or "utf-8"
    file = io.BytesIO(given.encode("utf-8", "surrogateescape"))
    file.name = "--sentence"
    return file, "utf-8"


def one_raw_sentence(arguments: argparse.Namespace, pipe: seqlab.Pipeline) -> tuple[Any, list[str]]:
    """Return sentence --number of raw text with the columns that the last tagger reads, and its words."""
    from seqlab.text import corpus_of, read_text

    if (arguments.sentence is None) == (arguments.file is None):
        raise OptionError("one text is wanted: pass --sentence 'The old man.', or a file (and --number)")
    before = seqlab.Pipeline(pipe.tokeniser, pipe.taggers[:-1], pipe.names[:-1])
    if arguments.file is not None and documents.are_documents([arguments.file], arguments.format):
        corpus = corpus_of(list(documents.labelled(before, [arguments.file], arguments)))
    else:
        refuse_tokens(arguments)
        source, encoding = text_of(arguments, arguments.file)
        whole = seqlab.Pipeline(pipe.tokeniser)(read_text(source, encoding=encoding))
        _check_number(arguments, len(whole.sentences))
        chosen = whole.part(arguments.number or 0, (arguments.number or 0) + 1)
        corpus = before(chosen).corpus()
        return corpus[0], corpus.column("word")[0]
    _check_number(arguments, len(corpus))
    number = arguments.number or 0
    return corpus[number], corpus.column("word")[number]


def _check_number(arguments: argparse.Namespace, count: int) -> None:
    """Reject the number of a sentence that is not there."""
    number = arguments.number or 0
    if number >= count:
        told = f"the sentences 0 to {count - 1}" if count else "no sentence"
        raise OptionError(f"--number {number}: the text has {told}")


# ------------------------------------------------------------------------------------------------ tag


def tagged(pipe: seqlab.Pipeline, sources: list[Any], arguments: argparse.Namespace) -> Iterator[bytes]:
    """Yield the labels of raw text, piece by piece."""
    from seqlab.text import stream_text

    lines = _json if arguments.json else _spans if arguments.spans else _columns
    sentence = 0
    for source in sources:
        file, encoding = text_of(arguments, source)
        base = 0
        parts = stream_text(file, encoding=encoding)
        for document in pipe.many(parts, threads=arguments.threads):
            units = UNITS[arguments.offsets or "code-points"]
            yield "".join(f"{line}\n" for line in lines(document, base, sentence, units, arguments)).encode(
                "utf-8", "replace"
            )
            base += _length(document.text, units)
            sentence += len(document.sentences)


def written(labelled: Iterator[seqlab.Document], arguments: argparse.Namespace) -> Iterator[bytes]:
    """Yield the labels of texts, each with its own places."""
    lines = _json if arguments.json else _spans if arguments.spans else _columns
    units, first = UNITS[arguments.offsets or "code-points"], 0
    for document in labelled:
        rows = lines(document, 0, first, units, arguments)
        yield "".join(f"{line}\n" for line in rows).encode("utf-8", "replace")
        first += len(document.sentences)


def whole_texts(
    pipe: seqlab.Pipeline, sources: list[Any], arguments: argparse.Namespace
) -> Iterator[seqlab.Document]:
    """Label files of raw text, a document for each."""
    from dataclasses import replace

    from seqlab.text import read_text

    for source in sources:
        file, encoding = text_of(arguments, source)
        name = source if isinstance(source, str) and source != "-" else ""
        yield replace(pipe(read_text(file, encoding=encoding), threads=arguments.threads), name=name)


def _length(text: str, units: str) -> int:
    return len(text) if units == "code points" else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _placed(document: seqlab.Document, base: int, units: str) -> Callable[[int], int]:
    """Return a function from places in a part of the text to those in the whole."""
    if units == "code points":
        return lambda at: base + at
    from seqlab.text.places import utf16_places

    places = utf16_places(document.text)
    return lambda at: base + int(places[at])


def _columns(
    document: seqlab.Document, _base: int, _first: int, _units: str, arguments: argparse.Namespace
) -> Iterator[str]:
    words = [] if arguments.labels_only else [document.words]
    columns = [*words, *(layer.labels for layer in document.layers if layer.labels is not None)]
    for one in document.sentences:
        for row in zip(*(column[one.first : one.last] for column in columns), strict=True):
            yield "\t".join(map(_on_one_line, row))
        yield ""


def _spans(
    document: seqlab.Document, base: int, first: int, units: str, _: argparse.Namespace
) -> Iterator[str]:
    at, ends = _placed(document, base, units), document.ends[document.offsets[1:] - 1]
    numbers = ends.searchsorted([span.begin for span in document.spans], side="right").tolist()
    for span, number in zip(document.spans, numbers, strict=True):
        chance = "-" if span.probability is None else f"{span.probability:.{DIGITS}f}"
        cells = (first + number, at(span.begin), at(span.end), span.label, chance, _on_one_line(span.text))
        yield "\t".join(map(str, cells))


def _json(
    document: seqlab.Document, base: int, first: int, units: str, _: argparse.Namespace
) -> Iterator[str]:
    """Write an object for each sentence; its places are those in the whole text."""
    at = _placed(document, base, units)

    def placed(part: Any) -> dict[str, Any]:
        return {"begin": at(part.begin), "end": at(part.end)}

    taken = dict.fromkeys((layer.name for layer in document.layers), 0)
    for number, one in enumerate(document.sentences, first):
        layers: dict[str, Any] = {}
        for layer in document.layers:
            begin = end = taken[layer.name]
            while end < len(layer.spans) and layer.spans[end].begin < one.end:
                end += 1
            taken[layer.name] = end
            found = [
                {**placed(s), "label": s.label, "text": s.text, "probability": s.probability}
                for s in layer.spans[begin:end]
            ]
            labels = () if layer.labels is None else layer.labels[one.first : one.last]
            layers[layer.name] = {"labels": list(labels), "spans": found}
        tokens = [{**placed(token), "text": token.text} for token in one.tokens]
        yield as_json(
            {"sentence": number, **placed(one), "text": one.text, "tokens": tokens, "layers": layers}
        )


def _on_one_line(text: str) -> str:
    return " ".join(text.split()) if any(c.isspace() for c in text) else text


# ------------------------------------------------------------------------------------------------ tokens with marks


def glued(corpus: seqlab.Corpus) -> str | None:
    """Remark on text that was read as tokens between blanks, if words end in punctuation."""
    if corpus.layout.format != "text":
        return None
    words = corpus.strings(corpus.columns[0])
    counts = dict(zip(words.values, _counts(words), strict=True))
    found = [word for word in counts if GLUED.search(word) and counts[word]]
    alone = sum(count for word, count in counts.items() if word in MARKS)
    if not found or sum(counts[word] for word in found) <= alone:
        return None
    return (
        f"{corpus.located(0)}: the token {found[0]!r:.40} ends in punctuation: words are what stands between blanks; "
        f"--raw cuts text into tokens first"
    )


def _counts(words: Any) -> list[int]:
    import numpy as np

    return np.bincount(words.codes, minlength=len(words.values)).tolist()  # type: ignore[no-any-return]
