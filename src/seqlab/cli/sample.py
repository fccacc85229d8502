"""`seqlab sample`: sentences drawn from a generative model, or labellings of given sentences."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from typing import Any

import seqlab
from seqlab.cli import parsing
from seqlab.cli.parsing import option, whole
from seqlab.cli.reading import numbers
from seqlab.cli.reading.corpora import given_text, load_model, named_for, placed, read_corpora, words_of
from seqlab.cli.terminal import as_json, put_pieces
from seqlab.corpus.formats import NAMES
from seqlab.errors import OptionError, QuestionError

USAGE = "MODEL [FILE ...]"
DESCRIPTION = """\
Draw from a model: the same seed draws the same.

Without a file: sentences of a generative model. A markov (or ARPA file) gives a sentence a
line; an hmm gives columns of observations and states; a mixture a sentence a line. Models
without an end of sentences need --length.

With a file or --sentence: N labellings of each sentence, from P(labels | sentence), each
below a line "# number"."""

EXAMPLES = """\
seqlab sample 3gram.model -n 5
seqlab sample hmm.model -n 100 --length 10 --seed 1 -o drawn.txt
seqlab sample hmm.model -n 3 --length 8 --to slash
seqlab sample crf.model --sentence "The old man the boats ." -n 4"""

OPTIONS = (
    option("model MODEL", f"{parsing.MODEL_FILE}, or an ARPA file", reads=True),
    option("files FILE", "sentences to label; - is standard input", nargs="*", default=[], reads=True),
    option("-s --sentence TEXT", "one sentence to label, its words between blanks"),
    option("-n N", "how many (default: 1)", whole(1), default=1),
    option("--length N", "tokens of a sentence (of markov: at most)", whole(0)),
    parsing.SEED,
    option("-o --output FILE", "instead of standard output", default="-", writes="corpus"),
    option("--to FORMAT", f"of drawn sentences: {', '.join(NAMES)}", choices=NAMES),
    option("--json", "a JSON object a line"),
    parsing.READING,
)


def run(arguments: argparse.Namespace) -> None:
    """Draw sentences or labellings, and write them."""
    model = load_model(arguments.model)
    if arguments.files or arguments.sentence is not None:
        pieces = _labellings(model, arguments)
    else:
        pieces = _sentences(model, arguments)
    put_pieces(arguments.output, list(pieces))


def _sentences(model: Any, arguments: argparse.Namespace) -> Iterator[bytes]:
    """Draw sentences from a generative model."""
    given = {"n": arguments.n, "seed": arguments.seed, "length": arguments.length}
    if hasattr(model, "generate"):
        drawn = model.generate(given["n"], given["length"], seed=given["seed"])
        columns = _columns(model, drawn.observations) | {model.column_ or "state": drawn.states}
        return _written(columns, arguments, "conll")
    if hasattr(model, "trellis") or not hasattr(model, "sample"):
        raise QuestionError(
            f"a {type(model).__name__} knows P(labels | words) and not P(words), so there is no sentence to draw; "
            f"labellings are drawn for those of a file, or of --sentence"
        )
    drawn = model.sample(**given)
    if isinstance(drawn, list):
        return _written({"word": drawn}, arguments, "text")
    return _written(_columns(model, [drawn]), arguments, "conll")


def _columns(model: Any, observations: list[Any]) -> dict[str, Any]:
    """Return drawn observations as columns by name: words, or a column per number of vectors."""
    import numpy as np

    first = next((token for sentence in observations for token in sentence), "")
    observed = getattr(model, "observed_column_", None)
    if isinstance(first, (str, int, np.integer)):
        return {observed or "word": [[str(token) for token in sentence] for sentence in observations]}
    if isinstance(first, (list, tuple, dict, set)):  # bags of features, and streams
        return {observed or "word": [[as_json(token) for token in sentence] for sentence in observations]}
    width = int(np.size(first))
    names = (observed or "").split(numbers.BETWEEN)
    names = names if len(names) == width and all(names) else [f"x{i}" for i in range(width)]
    rows = [np.asarray(sentence, dtype=np.float64).reshape(-1, width) for sentence in observations]
    return {name: [[repr(float(x)) for x in one[:, i]] for one in rows] for i, name in enumerate(names)}


def _written(columns: dict[str, Any], arguments: argparse.Namespace, usual: str) -> Iterator[bytes]:
    """Write drawn sentences in the chosen format."""
    sentences = list(zip(*columns.values(), strict=True))
    if arguments.json:
        for sentence in sentences:
            yield f"{as_json(dict(zip(columns, sentence, strict=True)))}\n".encode()
        return
    if (arguments.to or usual) == "text" and arguments.to is None:  # write() rejects empty sentences
        yield "".join(f"{' '.join(words)}\n" for (words,) in sentences).encode()
        return
    from seqlab.corpus import Corpus, write

    out = io.BytesIO()
    write(Corpus.from_lists(columns), out, arguments.to or usual)
    yield out.getvalue()


def _labellings(model: Any, arguments: argparse.Namespace) -> Iterator[bytes]:
    """Draw labellings of sentences."""
    if not hasattr(model, "trellis"):
        raise QuestionError(
            f"a {type(model).__name__} has no distribution over the labels of a sentence; leave the sentences out"
        )
    if arguments.length is not None or arguments.to is not None:
        raise OptionError("--length and --to are for sentences that are drawn, but these are given")
    if arguments.files and arguments.sentence is not None:
        raise OptionError("--sentence is the input already; leave the files out")
    sources, reading = arguments.files, parsing.reading_of(arguments)
    if arguments.sentence is not None:
        text, reading = given_text(arguments.sentence, reading)
        sources = [text]
    model._check_meaning("sample")
    corpus = named_for(read_corpora(sources, reading), model, arguments.columns)
    ready = numbers.for_model(corpus, model)
    with placed(corpus):
        for i in range(len(corpus)):
            drawn = [list(map(str, path)) for path in _paths(model, ready[i], arguments)]
            words = words_of(corpus, i, map(str, range(len(corpus[i]))))
            if arguments.json:
                yield f"{as_json({'tokens': words, 'samples': drawn})}\n".encode()
                continue
            for number, labels in enumerate(drawn):
                lines = [f"# {number}", *map("\t".join, zip(words, labels, strict=True)), "", ""]
                yield "\n".join(lines).encode()


def _paths(model: Any, sentence: seqlab.corpus.Sentence, arguments: argparse.Namespace) -> Any:
    return model.sample(sentence, arguments.n, arguments.seed).labels
