"""Markov chains of order n: n-gram models of symbols."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import thread_count, whole_number
from seqlab.corpus.columns import token_place
from seqlab.errors import CorpusError, LabelError, OptionError, Place, QuestionError, ShapeError
from seqlab.families.chain.fit import ChainFit, Estimated, checked_options
from seqlab.families.chain.ngrams import (
    Codes,
    Counted,
    Discounts,
    NgramModel,
    Symbols,
    Tokens,
    check_no_edges,
    read_arpa,
    read_symbols,
    write_arpa,
)
from seqlab.learning import smoothing as smoothings
from seqlab.learning.checkpoint import checked_checkpoint
from seqlab.learning.smoothing import Smoothing
from seqlab.store.codec import put_part, write_fields
from seqlab.store.state import State
from seqlab.store.values import kinds_of
from seqlab.tagging.door.limits import Folder, Size
from seqlab.tagging.model import Model, from_fit
from seqlab.tagging.tagger import Sequences
from seqlab.tagging.training import Checkpoints
from seqlab.tagging.transitions import END, Distribution, Perplexity, Transitions, history_names, long_run

MOST_MOVES = 100_000_000  # numbers in a matrix of transitions: 800 MB
LONGEST_SAMPLE = 10_000


class MarkovChain(Model):
    """A Markov chain, or n-gram language model: P(symbol | the last symbols), from counts (eq:ngram).

    order        number of symbols in a history, 1 to 5; the n-grams have one more
    smoothing    "mle", "add-lambda", "witten-bell", "kneser-ney", "interpolated", a number to add to every count, or an
                 object of seqlab.learning.smoothing, as KneserNey(0.75)
    unknown      the name of the unknown word, which stands for all words outside the vocabulary; None for a closed
                 vocabulary: other words are errors
    min_count    words that were seen less often are counted as the unknown word
    vocabulary   the known words; None for those of training
    end          True to predict the end of a sentence like a symbol

    Every sentence begins after the start symbol "<s>" and ends with "</s>"; give sentences without them. Probabilities
    sum to 1 over vocabulary, unknown word and end, after any history. After a history that was not seen in training,
    the longest suffix of it that was seen is used.

    symbols_     all symbols that can be predicted: the vocabulary by name, the unknown word, the end
    discounts_   the discounts of Kneser-Ney for counts of 1, 2, and 3 or more, for n-grams of 1, 2, ... symbols
    """

    _no_meaning = dict.fromkeys(
        ("predict", "tag", "posterior", "trellis"),
        "a chain has no labels; see next(history) and log_prob(tokens)",
    )

    _kind = "markov chain"
    _fit_class = ChainFit
    fit_: ChainFit

    def __init__(
        self,
        order: int = 1,
        smoothing: Smoothing | str | float = "mle",
        *,
        unknown: str | None = "<unk>",
        min_count: int = 1,
        vocabulary: Iterable[str] | None = None,
        end: bool = True,
    ) -> None:
        self.order = order
        self.smoothing = smoothing
        self.unknown = unknown
        self.min_count = min_count
        self.vocabulary = vocabulary
        self.end = end

    # ------------------------------------------------------------------------------------------ learning

    def fit(
        self,
        X: Sequences,
        y: str | None = None,
        *,
        checkpoint: Checkpoints = None,
        max_memory: Size = None,
        cache: Folder = None,
        progress: bool = False,
    ) -> Self:
        """Count.

        X            a Corpus, or lists of strings
        y            the column of the Corpus that holds the symbols; None for its words
        checkpoint   as for other models; counting is one pass, and stores nothing
        max_memory   bytes, or "2G": X may be larger than memory, as stream_corpus(...) is, and lies on disk
        cache        folder of the data on disk, used again by the same training; None for a temporary one
        progress     True to show how far data on disk have come, and the time left
        """
        checked_checkpoint(checkpoint)
        if max_memory is None and cache is None:
            return self._count(X, y, None)
        from seqlab.families.chain.far import count_from_disk

        estimation = checked_options(self)
        counted, column = count_from_disk(
            X,
            y,
            self.order,
            max_memory,
            cache,
            end=bool(self.end),
            check=self._check_known,
            progress=progress,
        )
        learned = Estimated(counted, estimation)
        learned.check()
        self.fit_ = ChainFit(column, learned)
        return self

    def _check_known(self, tokens: Tokens) -> None:
        """Check symbols by the vocabulary that was given, if there is no name for unknown ones."""
        estimation = checked_options(self)
        if estimation.vocabulary is not None and self.unknown is None:
            self._numbered(tokens, Symbols.of(estimation.vocabulary, None, end=bool(self.end)))

    def partial_fit(self, X: Sequences, y: str | None = None) -> Self:
        """Add the counts of further sentences X, y as for fit; the result is that of one fit on all sentences."""
        if not self._fitted():
            return self.fit(X, y)
        before = self.counts_
        if before is None:
            raise QuestionError(
                "partial_fit has no meaning here: an ARPA file has probabilities, and no counts"
            )
        if (self.order, self.end) != (before.order, before.end):
            raise OptionError(
                f"counting began with order={before.order} and end={before.end}, and cannot go on with "
                f"order={self.order!r} and end={self.end!r}; call fit"
            )
        return self._count(X, y, before)

    def _count(self, X: Any, y: str | None, before: Counted | None) -> Self:
        estimation = checked_options(self)
        tokens, column = read_symbols(X, y, usual=None if before is None else self.column_)
        check_no_edges(tokens)
        if not len(tokens.codes):
            raise ShapeError(
                f"X has {len(tokens.offsets) - 1} sentences and no symbol at all, so there is nothing to learn from"
            )
        self._check_known(tokens)
        found = Counted.of(tokens, self.order, end=bool(self.end))
        learned = Estimated(found if before is None else before.plus(found), estimation)
        learned.check()
        self.fit_ = ChainFit(column, learned)
        return self

    # ------------------------------------------------------------------------------------------ what it learned

    counts_: Counted | None = from_fit("counted", "The counts; None for a chain read from an ARPA file.")
    column_: str | None = from_fit(
        "column", "The column that training took its symbols from; None for lists."
    )
    symbols_: tuple[str, ...] = from_fit(
        "model.symbols.names",
        "All symbols that can follow: the vocabulary by name, the unknown word, the end.",
    )
    discounts_: Discounts = from_fit(
        "model.discounts",
        "The discounts of Kneser-Ney for counts of 1, 2, and 3 or more, for n-grams of 1, 2, ... symbols.",
    )

    @property
    def model_(self) -> NgramModel:
        """The probabilities; assigning others changes every answer, and drops the counts that partial_fit needs."""
        self._check_fitted("model_")
        return self.fit_.model

    @model_.setter
    def model_(self, model: NgramModel) -> None:
        self._check_fitted("model_")
        self.fit_ = ChainFit(self.fit_.column, model)

    @property
    def transition_matrix(self) -> Transitions:
        """P(next symbol | the last symbols), with names of rows and columns.

        In order n, rows are tuples of n symbols; those at the beginning of a sentence, as ("<s>", "a"), come first.
        """
        self._check_fitted("transition_matrix")
        symbols, order = self.model_.symbols, self.model_.order
        words, size = len(symbols.all_words), len(symbols.names)
        rows = sum(words**j for j in range(order + 1))
        if rows * size > MOST_MOVES:
            raise QuestionError(
                f"transition_matrix would need a matrix of {rows} by {size} numbers, more than {MOST_MOVES:,}; "
                f"ask next(history)"
            )
        matrix = np.empty((rows, size))
        histories = (h for j in range(order + 1) for h in itertools.product(range(words), repeat=j))
        for row, history in zip(matrix, histories, strict=True):
            self.model_.table.next(np.array(history, dtype=np.int32), len(history) < order, row)
        return Transitions(history_names(symbols.all_words, order), symbols.names, matrix)

    def stationary(self) -> Distribution:
        """Compute the share of each symbol in the long run, for order 1 (eq:stationary); after an end comes a start."""
        self._check_first_order("stationary")
        moves = self.transition_matrix.matrix
        # Rows in the order of the columns: words, then the end, which is followed by a start.
        rows = np.concatenate([moves[1:], moves[:1]]) if self.model_.symbols.end else moves[1:]
        return long_run(rows, self.symbols_)

    def _check_first_order(self, question: str) -> None:
        self._check_fitted(question)
        order = self.model_.order
        if order != 1:
            raise QuestionError(
                f"{question} has no meaning here: in a chain of order {order}, what follows depends on {order} "
                f"symbols; ask next(history)"
            )

    # ------------------------------------------------------------------------------------------ questions

    def log_prob(self, tokens: Iterable[str]) -> float:
        """Compute log P of the tokens of one sentence, its end included; -inf for an impossible one."""
        self._check_fitted("log_prob")
        given = _one_sentence(tokens)
        codes = self._numbered(given, self.model_.symbols)
        return float(self.model_.log_probs(codes, given.offsets, 1).sum())

    def log_likelihoods(
        self, X: Sequences, y: str | None = None, *, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Compute log P of every sentence of X with its end, (N,); y as for fit; threads None for every core."""
        self._check_fitted("log_likelihoods")
        tokens, _ = read_symbols(X, y, usual=self.column_)
        codes = self._numbered(tokens, self.model_.symbols)
        logs = self.model_.log_probs(codes, tokens.offsets, thread_count(threads))
        ends = tokens.offsets + (np.arange(len(tokens.offsets)) if self.model_.symbols.end else 0)
        sums = [logs[begin:end].sum() for begin, end in itertools.pairwise(ends.tolist())]
        return np.array(sums, dtype=np.float64)

    def next(self, history: Iterable[str] = (), *, start: bool = True) -> Distribution:
        """Compute the distribution of the next symbol, with names.

        start   True if a history shorter than the order begins a sentence; False if it may be anywhere
        """
        self._check_fitted("next")
        symbols = self.model_.symbols
        codes = self._numbered(_one_sentence(history), symbols)[-self.model_.order :]
        long_enough = len(codes) == self.model_.order
        found = self.model_.following(np.ascontiguousarray(codes), start=bool(start) and not long_enough)
        return Distribution(symbols.names, found)

    def perplexity(self, X: Sequences, y: str | None = None, *, threads: int | None = None) -> Perplexity:
        """Compute the perplexity of X (eq:perplexity) and count new words; y as for fit; threads, None for all."""
        self._check_fitted("perplexity")
        tokens, _ = read_symbols(X, y, usual=self.column_)
        symbols = self.model_.symbols
        codes = self._numbered(tokens, symbols)
        logs = self.model_.log_probs(codes, tokens.offsets, thread_count(threads))
        if not len(logs):
            raise ShapeError("there is no sentence in X, so perplexity has no meaning")
        sentences = len(tokens.offsets) - 1
        places = np.arange(len(codes))
        if symbols.end:  # there is an end after every sentence
            places = places + np.repeat(np.arange(sentences), np.diff(tokens.offsets))
        oov = places[codes == symbols.unknown_code]
        total, rest = float(logs.sum()), len(logs) - len(oov)
        known = float(np.delete(logs, oov).sum())
        return Perplexity(
            value=_perplexity(total, len(logs)),
            log_prob=total,
            tokens=len(logs),
            sentences=sentences,
            oov=len(oov),
            without_oov=_perplexity(known, rest) if rest else float("nan"),
        )

    def score(self, X: Sequences, y: str | None = None) -> float:
        """Compute the mean log-probability of a symbol of X, y as for fit, for scikit-learn's searches."""
        found = self.perplexity(X, y)
        return found.log_prob / found.tokens

    def sample(self, n: int = 1, seed: int = 0, *, length: int | None = None) -> list[list[str]]:
        """Draw n sentences from the chain; the same seed draws the same ones, and more of them begins with the same.

        length   largest number of symbols; needed if sentences have no end, else 10,000
        """
        self._check_fitted("sample")
        symbols = self.model_.symbols
        n, seed = whole_number(n, "n", 0), whole_number(seed, "seed", 0)
        if length is None and not symbols.end:
            raise OptionError("these sentences have no end: say how many symbols to draw with length=")
        most = LONGEST_SAMPLE if length is None else whole_number(length, "length", 0)
        codes, offsets = self.model_.table.sample(n, symbols.end_code, most, seed)
        return _core.gather_all(list(symbols.names), codes, offsets)

    # ------------------------------------------------------------------------------------------ files

    def save_arpa(self, path: str | os.PathLike[str] | IO[bytes] | IO[str]) -> None:
        """Write an ARPA file to path, atomically, and compressed for .gz.

        Other tools that read it compute the probabilities of this chain by backing off.
        """
        self._check_fitted("save_arpa")
        if not self.model_.symbols.end:
            raise QuestionError(
                f"an ARPA file is about sentences that end in {END!r}, but this chain has no end; fit with end=True"
            )
        write_arpa(self.model_, path)

    @classmethod
    def from_arpa(cls, path: str | os.PathLike[str] | IO[bytes] | IO[str]) -> Self:
        """Make a chain from the ARPA file at path; it has no counts, so partial_fit cannot continue it."""
        model = read_arpa(path)
        chain = cls(model.order, unknown=model.symbols.unknown)
        chain.fit_ = ChainFit(None, model)
        return chain

    # ------------------------------------------------------------------------------------------ inside

    _option_kinds = staticmethod(lambda: kinds_of(*map(type, smoothings.NAMES.values())))
    _check_options = checked_options

    @classmethod
    def _upgraded(cls, state: State) -> State:
        if "options" in state.settings:
            return state
        given = State("smoothing", state.setting("smoothing", dict))
        closed = state.setting("closed", bool)
        options = {
            "order": state.setting("order", int),
            "smoothing": _old_smoothing(given),
            "unknown": next(iter(state.names("unknown")), None),
            "min_count": state.setting("min_count", int),
            "vocabulary": {"list": state.strings("vocabulary")} if closed else None,
            "end": state.setting("end", bool),
        }
        whole = State(cls._kind, {"options": options, "column": state.settings.get("column")})
        counted = state.setting("counted", bool)
        settings = {"end": state.settings.get("own_end", True), "unknown": state.settings.get("own_unknown")}
        part = State("n-gram counts" if counted else "n-gram table", settings, dict(state.arrays))
        if counted:
            chain = cls(**{name: cls._get_option(whole, name, one) for name, one in options.items()})
            write_fields(part, checked_options(chain))
        put_part(whole, "learned", part)
        return whole.replaced(where=state.where)

    def _numbered(self, tokens: Tokens, symbols: Symbols) -> Codes:
        """Return the symbol numbers of tokens, (tokens,)."""
        numbers = symbols.numbers(tokens.pool)
        codes: Codes = numbers[tokens.codes] if len(tokens.codes) else np.zeros(0, dtype=np.int32)
        if symbols.unknown is None and (codes < 0).any():
            first = int(np.argmax(codes < 0))
            raise LabelError(
                f"{tokens.pool.string(int(tokens.codes[first]))!r:.80} is not in the "
                f"vocabulary of {len(symbols.words)}, and unknown=None means that nothing else can come",
                place=Place(*token_place(tokens.offsets, first)),
            )
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


def _one_sentence(tokens: Iterable[str]) -> Tokens:
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
        raise CorpusError(
            f"one sentence is a list of strings, got {tokens!r:.60}; split it first, for example with .split()"
        )
    return read_symbols([list(tokens)], None)[0]


def _perplexity(log_prob: float, tokens: int) -> float:
    """eq:perplexity   Compute exp(-log P / tokens)."""
    with np.errstate(over="ignore"):
        return float(np.exp(-log_prob / tokens))


def _old_smoothing(state: State) -> Any:
    """Read a smoothing of a file of version 1: by name, as a number, or as an object."""
    name, given = state.setting("name", str), state.setting("given", str)
    values = state.setting("values", list)
    if given == "name":
        return name
    if given == "number" and len(values) == 1:
        return values[0]
    kind = type(smoothings.smoothing_of(name)).__name__
    field = {"AddLambda": "value", "KneserNey": "discounts"}.get(kind)
    fields = {field: values[0] if len(values) == 1 else {"tuple": values}} if field and values else {}
    return {"object": {"name": kind, "fields": fields}}
