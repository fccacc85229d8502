"""`seqlab score`: log-probabilities of sentences, and of their labels."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import seqlab
from seqlab.cli import parsing
from seqlab.cli.kinds.data import bags
from seqlab.cli.parsing import option
from seqlab.cli.reading import numbers
from seqlab.cli.reading.corpora import load_model, named_for, placed, read_corpora
from seqlab.cli.terminal import print_json, section, table
from seqlab.errors import CorpusError, LabelError, OptionError, QuestionError

USAGE = "MODEL FILE ..."
DESCRIPTION = """\
How probable sentences are under a model: a line per sentence, then the total, perplexity and
the number of words that training has not seen. Logarithms are natural.

Generative models (markov, hmm, mixture, and ARPA files) give log P(x). Where the file has
the labels of the model, or --label names them, taggers give log P(y | x), and an hmm also
log P(x, y); a label that is missing may be any. A CRF knows P(y | x) alone."""

EXAMPLES = """\
seqlab score 3gram.model test.txt
seqlab score 3gram.arpa test.txt --total
seqlab score hmm.model test.txt --label pos --json
seqlab score crf.model test.txt"""

OPTIONS = (
    option("model MODEL", f"{parsing.MODEL_FILE}, or an ARPA file", reads=True),
    option("files FILE", "sentences; - is standard input", nargs="+", reads=True),
    option("--label -l COLUMN", "the labels (of markov: the symbols; default: as in training)"),
    option("--total", "the sums only, without a line per sentence"),
    *parsing.ENDING,
)

NAMES = {"log_prob": "log P(x)", "log_joint": "log P(x, y)", "log_conditional": "log P(y | x)"}


def run(arguments: argparse.Namespace) -> None:
    """Read, score, print."""
    model = load_model(arguments.model)
    corpus = read_corpora(arguments.files, parsing.reading_of(arguments))
    if hasattr(model, "annotate"):
        corpus = named_for(corpus, model, arguments.columns)
    with placed(corpus):
        found = scored(model, corpus, arguments.label, threads=arguments.threads)
    if arguments.json:
        facts = {"model": arguments.model, "kind": type(model).__name__, **found.to_dict()}
        print_json({name: one for name, one in facts.items() if name != "each" or not arguments.total})
    else:
        print(found.text(each=not arguments.total))


class Scored(NamedTuple):
    """Log-probabilities of sentences.

    logs        by name (log_prob, log_joint, log_conditional), a number for each sentence
    tokens      number of tokens of each sentence
    oov         number of words of each sentence that were not in training; None for models without words
    events      number of predictions: tokens, plus ends of sentences if the model predicts them
    density     True if P(x) is a density, which has no perplexity
    rest        perplexity without unseen words, for a Markov chain
    component   most probable component of each sentence, for a mixture
    """

    logs: dict[str, list[float]]
    tokens: list[int]
    oov: list[int] | None
    events: int
    density: bool = False
    rest: float | None = None
    component: list[int] | None = None

    @property
    def perplexity(self) -> float | None:
        """Compute exp(-log P(x) / events)."""
        if "log_prob" not in self.logs or self.density or not self.events:
            return None
        mean = -math.fsum(self.logs["log_prob"]) / self.events
        return math.exp(mean) if mean < 700 else math.inf

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; None in place of minus infinity, for impossible sentences."""
        columns = {**self.logs, "tokens": self.tokens}
        columns |= {"oov": self.oov} if self.oov is not None else {}
        columns |= {"component": self.component} if self.component is not None else {}
        rows = [
            dict(zip(columns, map(_plain, row), strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        sums = {name: _plain(math.fsum(values)) for name, values in self.logs.items()}
        return {
            **sums,
            "perplexity": _plain(self.perplexity),
            "perplexity_without_oov": _plain(self.rest),
            "tokens": sum(self.tokens),
            "events": self.events,
            "oov": None if self.oov is None else sum(self.oov),
            "impossible": {name: values.count(-math.inf) for name, values in self.logs.items()},
            "sentences": len(rows),
            "each": rows,
        }

    def text(self, *, each: bool = False) -> str:
        """Format the sums; with `each`, after a line per sentence."""
        rows = [("sentences", f"{len(self.tokens):,}"), ("tokens", f"{sum(self.tokens):,}")]
        if self.events != sum(self.tokens):
            rows[-1] = (
                "tokens",
                f"{sum(self.tokens):,}, and {self.events - sum(self.tokens):,} ends of sentences",
            )
        if self.oov is not None:
            rows.append(("oov", f"{sum(self.oov):,} words that training has not seen"))
        for name, values in self.logs.items():
            value, lost = math.fsum(values), values.count(-math.inf)
            rows.append((NAMES[name], f"{value:.4f}, {value / max(self.events, 1):.4f} a token"))
            if lost:
                rest = math.fsum(one for one in values if one > -math.inf)
                rows.append(
                    ("", f"{lost} of {len(values)} sentences are impossible; {rest:.4f} without them")
                )
                rows.append(("", "train with --smoothing kneser-ney, and what was never seen has a chance"))
        if self.perplexity is not None:
            without = "" if not sum(self.oov or ()) or self.rest is None else f", {self.rest:.4f} without oov"
            rows.append(("perplexity", f"{self.perplexity:.4f}{without}"))
        summary = section("total", rows)
        return f"{self._lines()}\n\n{summary}" if each else summary

    def _lines(self) -> str:
        head = ["sentence", *(NAMES[name] for name in self.logs), "tokens"]
        columns: list[Sequence[Any]] = [range(len(self.tokens)), *self.logs.values(), self.tokens]
        for name, values in (("oov", self.oov), ("component", self.component)):
            if values is not None:
                head, columns = [*head, name], [*columns, values]
        rows = (
            [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
            for row in zip(*columns, strict=True)
        )
        return table(head, rows, left=0, indent=0)


def _plain(value: Any) -> Any:
    """Replace an infinite number, which JSON does not have, by None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def scored(
    model: Any, corpus: seqlab.Corpus, label: str | None = None, *, threads: int | None = None
) -> Scored:
    """Score the sentences of a corpus.

    label   the label column (for a Markov chain the symbols); None for the one of training, if the corpus has it
    """
    if hasattr(model, "perplexity"):
        return _of_chain(model, corpus, label, threads)
    if hasattr(model, "score_samples"):
        return _of_mixture(model, corpus, label)
    if not hasattr(model, "trellis"):
        raise QuestionError(
            f"score has no meaning here: a {type(model).__name__} knows the n labellings of its generator alone; "
            f"seqlab tag --nbest N gives their probabilities"
        )
    return _of_tagger(model, corpus, label, threads)


def _of_chain(chain: Any, corpus: seqlab.Corpus, label: str | None, threads: int | None) -> Scored:
    found = chain.perplexity(corpus, label, threads=threads)
    logs = chain.log_likelihoods(corpus, label, threads=threads).tolist()
    name = label or (chain.column_ if chain.column_ in corpus.columns else None)
    rest = None if math.isnan(found.without_oov) else found.without_oov
    oov = _unseen(corpus, name, set(chain.symbols_) - {chain.unknown})
    return Scored({"log_prob": logs}, corpus.lengths.tolist(), oov, found.tokens, rest=rest)


def _of_mixture(mixture: Any, corpus: seqlab.Corpus, label: str | None) -> Scored:
    if label is not None:
        raise OptionError(f"--label means nothing to a {type(mixture).__name__}, which has no labels")
    points = not hasattr(mixture, "features_")
    observed = numbers.BETWEEN.join(corpus.columns) if points else None
    X = bags(corpus, points=points, observed=observed)
    logs, component = mixture.score_samples(X).tolist(), mixture.predict(X).tolist()
    if points:
        return Scored({"log_prob": logs}, [1] * len(logs), None, len(logs), density=True, component=component)
    oov = _unseen(corpus, None, set(mixture.features_ or ()))
    return Scored({"log_prob": logs}, corpus.lengths.tolist(), oov, corpus.token_count, component=component)


def _of_tagger(tagger: Any, corpus: seqlab.Corpus, label: str | None, threads: int | None) -> Scored:
    generative = hasattr(tagger, "log_likelihoods")
    column = _labels(tagger, corpus, label)
    if not generative:
        tagger._check_meaning("score")
        if column is None:
            raise CorpusError(
                f"{corpus.name}:1: log P(x) has no meaning for a {type(tagger).__name__}, which knows P(labels | "
                f"words) alone, and the file has no column {tagger.column_ or 'label'!r} of labels; name them with "
                f"--label"
            )
    corpus = numbers.for_model(corpus, tagger)
    logs: dict[str, list[float]] = {}
    if generative:
        logs["log_prob"] = tagger.log_likelihoods(corpus, threads=threads).tolist()
    if column is not None:
        joint, sums = _labelled(tagger, corpus, column, threads)
        logs |= {"log_joint": joint} if generative else {}
        logs["log_conditional"] = [
            -math.inf if one == -math.inf else one - whole for one, whole in zip(joint, sums, strict=True)
        ]
    words = getattr(tagger, "observed_column_", None)
    ends = len(corpus) if generative and bool(getattr(tagger, "end", False)) else 0
    oov = None if tagger.vocabulary_ is None else _unseen(corpus, words, tagger.vocabulary_)
    density = generative and tagger._check_options().holds == "vectors"
    return Scored(logs, corpus.lengths.tolist(), oov, corpus.token_count + ends, density)


def _labels(tagger: Any, corpus: seqlab.Corpus, given: str | None) -> str | None:
    """Find the label column and check that the model knows all its labels; None if there is no such column."""
    from seqlab.corpus.columns import resolve, token_place

    column = tagger.column_ if given is None else resolve(given, corpus.columns)
    if column not in corpus.columns:
        return None
    found: Any = corpus.data(column)
    if not hasattr(found, "pool"):
        raise CorpusError(f"{corpus.name}:1: column {column!r} has no labels, but vectors or attributes")
    found = found.compact()
    strange = [i for i, one in enumerate(found.values) if one not in tagger.labels_]
    if strange:
        import numpy as np

        token = int(np.argmax(np.isin(found.codes, strange)))
        raise LabelError(
            f"the label {found.values[int(found.codes[token])]!r:.60} is none of the model's, which are "
            f"{' '.join(tagger.labels_)!s:.80}; name the column of labels with --label",
            place=corpus.located(*token_place(corpus.offsets, token)),
        )
    return str(column)


def _labelled(
    tagger: Any, corpus: seqlab.Corpus, column: str, threads: int | None
) -> tuple[list[float], list[float]]:
    """Compute the log-sum of scores over the labellings that agree with the given labels, and over all labellings."""
    from seqlab import inference
    from seqlab.arrays import thread_count
    from seqlab.errors import ImpossibleError
    from seqlab.tagging.decoding import blocks, event_log_partition, located

    joint: list[float] = []
    sums: list[float] = []
    for begin, part in blocks(corpus, tagger._block):
        with located(begin):
            trellises = tagger._trellises(part, thread_count(threads))
        for trellis, labels in zip(trellises, part.column(column), strict=True):
            joint.append(event_log_partition(trellis, labels))
            try:
                sums.append(float(inference.log_partition(trellis)))
            except ImpossibleError:
                sums.append(-math.inf)
    return joint, sums


def _unseen(corpus: seqlab.Corpus, column: str | None, known: Any) -> list[int] | None:
    """Count the unknown words of each sentence; None if there are no words."""
    import numpy as np

    from seqlab.corpus import StringColumn
    from seqlab.tagging.door.sentences import word_column

    name = column if column in corpus.columns else word_column(corpus)
    if name is None or not isinstance(corpus.data(name), StringColumn):
        return None
    words = corpus.strings(name).compact()
    new = np.array([word not in known for word in words.values], dtype=np.int64)
    counts = np.concatenate([[0], np.cumsum(new[words.codes])])
    return [int(one) for one in np.diff(counts[corpus.offsets])]
