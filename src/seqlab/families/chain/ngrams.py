"""Counts of n-grams, the table of their probabilities, and ARPA files, which other tools read and write too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus, Sentence
from seqlab.corpus.columns import offsets_of, token_place
from seqlab.corpus.io.reader import BOM, CHUNK, opened
from seqlab.corpus.io.writer import opened_target
from seqlab.corpus.lists import spelled
from seqlab.encode.encoder import listed
from seqlab.errors import CorpusError, OptionError, Place, StoreError
from seqlab.shown import Brief
from seqlab.store.codec import Inside, state_of, value_of
from seqlab.store.fields import Field, Listed, Pool, Sizes, Strings
from seqlab.store.state import State
from seqlab.tagging.door.sentences import word_column
from seqlab.tagging.transitions import END, START

Codes = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Discounts = tuple[tuple[float, float, float], ...]
Levels = list[Any]

MOST_ORDER = 5
MOST_COUNT = 1 << 62
# Numbers of symbols while counting: the words come last, because more may be added later.
RAW_START, RAW_END, RAW_WORDS = 0, 1, 2
NONE = -1


class _Tree(Field):
    """Stored n-grams of 1, 2, ... symbols as arrays: column.0, column.1, ...

    make      makes the native object of a list of levels
    columns   their dtypes by name, in the order of the native object
    """

    def __init__(self, make: Callable[[Levels, State], Any], **columns: Any) -> None:
        self.make = make
        self.columns = {"parent": np.int32, "symbol": np.int32, **columns}

    def put(self, state: State, name: str, value: Any) -> None:  # noqa: ARG002
        for k, level in enumerate(value.arrays()):
            for column, array in zip(self.columns, level, strict=True):
                state.arrays[f"{column}.{k}"] = np.ascontiguousarray(array)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        """Read all levels."""
        levels: Levels = []
        while f"symbol.{(k := len(levels))}" in state.arrays:
            shape = state.array(f"symbol.{k}", np.int32, (None,), mapped=True).shape
            levels.append(tuple(state.array(f"{one}.{k}", kind, shape) for one, kind in self.columns.items()))
        if not 2 <= len(levels) <= MOST_ORDER + 1:
            raise StoreError(f"the order should be from 1 to {MOST_ORDER}, found {len(levels) - 1}")
        return self.make(levels, state)


def _counts_of(levels: Levels, _state: State) -> _core.NgramCounts:
    for k, (_, symbol, count) in enumerate(levels):
        if (count < min(k, 1)).any() or (k > 0 and (symbol == RAW_START).any()):
            raise StoreError("an n-gram has a count below 1, or goes on with the start of a sentence")
    if not len(levels[1][1]) or sum(float(level[2].sum(dtype=np.float64)) for level in levels) > MOST_COUNT:
        raise StoreError("there are no counts, or too many")
    (_, _, alone), (_, last, pairs) = levels[:2]
    inside = bool((last >= 0).all() and (last < len(alone)).all())  # the core rejects others
    if inside and (np.bincount(last, pairs, len(alone)) > alone).any():
        raise StoreError("a symbol has a smaller count than the pairs that end in it")
    return _core.NgramCounts.of(levels)


def _table_of(levels: Levels, state: State) -> _core.NgramTable:
    for _, _, log_prob, log_backoff in levels:
        if not ((log_prob <= 0).all() and (log_backoff < np.inf).all()):
            raise StoreError("a log-probability is NaN or above 0")
    return _core.NgramTable.of(levels, flat=state.settings.get("flat") is True)


@dataclass(frozen=True, eq=False)
class Tokens:
    """Sentences of strings.

    codes     (tokens,)   the number of each token's string in the pool
    offsets   (N + 1,)    sentence i has tokens offsets[i] .. offsets[i + 1]
    """

    codes: Codes
    offsets: Offsets
    pool: _core.StringPool


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts of n-grams: every word under its own name, so that more can be counted later.

    words    those that were seen
    ngrams   of up to order + 1 symbols
    end      whether sentences have an end
    """

    words: Annotated[_core.StringPool, Pool()]
    ngrams: Annotated[_core.NgramCounts, _Tree(_counts_of, count=np.int64)]
    end: bool

    def check(self) -> None:
        """Check that counts and words agree."""
        if self.ngrams.symbols != RAW_WORDS + len(self.words):
            raise StoreError("the counts do not fit the words")
        if any(self.words.find(name) >= 0 for name in (START, END)):
            raise StoreError("a word has the name of the start or the end")

    @staticmethod
    def of(tokens: Tokens, order: int, *, end: bool) -> Counted:
        """Count the n-grams of up to order + 1 symbols (eq:ngram)."""
        size = RAW_WORDS + len(tokens.pool)
        codes = tokens.codes + np.int32(RAW_WORDS)
        ngrams = _core.count_ngrams(codes, tokens.offsets, order, RAW_START, RAW_END if end else NONE, size)
        return Counted(tokens.pool, ngrams, end)

    def plus(self, other: Counted) -> Counted:
        """Add the counts of another instance."""
        pool, numbers = _core.join_pools([self.words, other.words])
        size = RAW_WORDS + len(pool)
        special = np.array([RAW_START, RAW_END], dtype=np.int32)  # the two symbols that are not words
        shifted = [np.concatenate([special, words + np.int32(RAW_WORDS)]) for words in numbers]
        both = zip((self.ngrams, other.ngrams), shifted, strict=True)
        parts = [_core.join_ngrams([ngrams], words, size) for ngrams, words in both]
        return Counted(pool, _core.join_ngrams(parts, np.arange(size, dtype=np.int32), size), self.end)

    @property
    def order(self) -> int:
        """Largest number of symbols in a history."""
        return self.ngrams.order


@dataclass(frozen=True, eq=False, repr=False)
class Symbols(Brief):
    """The symbols that can follow a history: words by name, then the unknown word, then the end.

    words     in order, without the unknown one
    unknown   the name of the unknown word; None if there is none
    end       whether sentences have an end
    """

    words: Annotated[tuple[str, ...], Strings()]
    unknown: Annotated[str | None, Listed()]
    end: bool

    def check(self) -> None:
        """Reject reserved names."""
        if list(self.words) != sorted(self.words) or {START, END, self.unknown} & set(self.words):
            raise StoreError(
                "a word is there twice, or has the name of the start, the end or the unknown word"
            )

    @staticmethod
    def of(words: Sequence[str], unknown: str | None, *, end: bool) -> Symbols:
        """Take words in any order; the unknown one may be among them."""
        return Symbols(tuple(sorted({*words} - {unknown})), unknown, end)

    def __reduce__(self) -> tuple[object, ...]:
        return Symbols, (self.words, self.unknown, self.end)

    @cached_property
    def all_words(self) -> tuple[str, ...]:
        """The words and the unknown one: the symbols of a history."""
        return self.words if self.unknown is None else (*self.words, self.unknown)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All symbols; the start symbol, which only begins histories, has the next number."""
        return (*self.all_words, END) if self.end else self.all_words

    @cached_property
    def pool(self) -> _core.StringPool:
        """String pool of the names and the start symbol, to look up numbers."""
        pool = _core.StringPool()
        for name in (*self.names, START):
            pool.intern(name)
        return pool

    @property
    def end_code(self) -> int:
        """The number of the end; -1 if sentences have none."""
        return len(self.names) - 1 if self.end else NONE

    @property
    def unknown_code(self) -> int:
        """The number of the unknown word; -1 if there is none."""
        return NONE if self.unknown is None else len(self.words)

    def numbers(self, pool: _core.StringPool) -> Codes:
        """Number every string of a pool: the number of the unknown word, or -1, for words outside the vocabulary."""
        numbers = np.array(_core.translate(pool, self.pool))
        special = numbers >= len(self.all_words)  # text has no start and end symbols
        numbers[special | (numbers < 0)] = self.unknown_code
        return numbers


@dataclass(frozen=True, eq=False, repr=False)
class NgramModel(Brief):
    """Probabilities of symbols after histories.

    discounts   those of Kneser-Ney for n-grams of 1, 2, ... symbols; () for other smoothing
    """

    stored_kind: ClassVar[str] = "n-gram table"
    stored_facts: ClassVar[tuple[str, ...]] = ("flat",)

    symbols: Annotated[Symbols, Inside(Symbols, "")]
    table: Annotated[_core.NgramTable, _Tree(_table_of, log_prob=np.float64, log_backoff=np.float64)]
    discounts: Discounts = ()

    def check(self) -> None:
        """Check that table and symbols agree."""
        if self.table.predicted != len(self.symbols.names):
            raise StoreError("the table does not fit the words")

    def __reduce__(self) -> tuple[object, ...]:
        return value_of, (NgramModel, state_of(self))

    @property
    def flat(self) -> bool:
        """True if all symbols unseen after a history have equal probability."""
        return self.table.flat

    @property
    def order(self) -> int:
        """Largest number of symbols in a history."""
        return self.table.order

    def log_probs(self, codes: Codes, offsets: Offsets, threads: int) -> npt.NDArray[np.float64]:
        """Compute the log-probability of every symbol and of every end, one sentence after another (eq:backoff)."""
        out = np.empty(len(codes) + (len(offsets) - 1 if self.symbols.end else 0))
        self.table.score(codes, offsets, self.symbols.end_code, threads, out)
        return out

    def following(self, history: Codes, *, start: bool) -> npt.NDArray[np.float64]:
        """Compute probabilities (names,) after a history; with `start`, it begins a sentence."""
        out = np.empty(len(self.symbols.names))
        self.table.next(history, start, out)
        return out


def read_symbols(X: Any, column: Any, *, usual: str | None = None) -> tuple[Tokens, str | None]:
    """Read sentences, and find their column.

    X        a Corpus, sentences of one, or lists of strings
    column   its name, if X has columns; None for the usual one
    usual    the column of training; None for the words
    """
    if column is not None and not isinstance(column, str):
        raise OptionError(
            f"y is the name of the column that holds the symbols, or None, got {column!r:.80}; a chain has no labels"
        )
    if isinstance(X, (str, bytes, Mapping, Sentence)) or not isinstance(X, Iterable):
        raise CorpusError(f"X must be a Corpus or a list of sentences, each a list of strings, got {X!r:.60}")
    sentences = [] if isinstance(X, Corpus) else listed(X)
    if sentences and all(isinstance(one, Sentence) for one in sentences):
        X = Corpus.from_lists(sentences)
    if isinstance(X, Corpus):
        name = word_column(X, usual if column is None else column)
        if name is None:
            have = ", ".join(map(repr, X.columns))
            raise CorpusError(f"there are no symbols: the columns {have} hold no strings")
        strings = X.strings(name).compact()
        return Tokens(strings.codes, X.offsets, strings.pool), name
    if column is not None:
        raise OptionError(f"{column!r} names a column, but X is a list without columns; pass a Corpus")
    return _of_lists(sentences), None


def _of_lists(sentences: list[Any]) -> Tokens:
    pool = _core.StringPool()
    codes, lengths, s, t = pool.intern_lists(spelled(sentences))
    if codes is None and t < 0:
        raise CorpusError(
            f" is {sentences[s]!r:.60}, but a list of strings is wanted; X is a list of sentences: "
            f"for one sentence write [tokens], for the characters of a string list(...)",
            place=Place(s, of="X"),
        )
    if codes is None:
        raise CorpusError(
            f"{sentences[s][t]!r:.60} is no string of sound Unicode; "
            f"symbols are strings, numbers become some with str(...)",
            place=Place(s, t, of="X"),
        )
    return Tokens(codes, offsets_of(lengths), pool)


def check_no_edges(tokens: Tokens) -> None:
    """Reject text that contains the names of start or end."""
    for name in (START, END):
        number = tokens.pool.find(name)
        if number >= 0:
            first = int(np.argmax(tokens.codes == number))
            raise CorpusError(
                f" is {name!r}, which is the chain's own name for the "
                f"{'start' if name == START else 'end'} of a sentence and is added by itself; leave it out",
                place=Place(*token_place(tokens.offsets, first)),
            )


UNKNOWN = ("<unk>", "<UNK>")
_SPACE = re.compile(r"[\0\t\n\v\f\r ]")

_TROUBLES = {
    "no data": "there is no line \\data\\, with which an ARPA file begins; is it the right file?",
    "count line": "found {text!r}, but a line such as 'ngram 1=5000' is wanted, lengths from 1 up without a gap",
    "no counts": "found {text!r} after \\data\\, but lines such as 'ngram 1=5000' are wanted",
    "too long": "found {text!r}, but n-grams of at most {longest} words are wanted (order {order})",
    "header": "found {text!r}, but the heading of the next n-grams or \\end\\ is wanted",
    "how many": "the section ended after a wrong number of {text} that \\data\\ promised; is the file complete?",
    "fields": "a log-probability, {text} words and at most one back-off weight are wanted, separated by white space",
    "number": "found {text!r} where a number is wanted",
    "positive": "the log-probability {text} is above 0, which no probability has",
    "stranger": "the word {text!r} is not among the 1-grams",
    "prefix": "the first {text} words of this n-gram are no {text}-gram of the file",
    "twice": "this n-gram stands here for the second time",
    "no end": "the file ends without a line \\end\\; is it complete?",
    "utf8": "the word is not sound UTF-8; convert the file first",
}


def write_arpa(model: NgramModel, target: Any) -> None:
    """Write a model to a file, atomically and compressed for .gz, or to a stream.

    Backing off gives the probabilities of the model after every history that begins a sentence or has full length.
    """
    for name in model.symbols.all_words:
        if not name or _SPACE.search(name):
            raise CorpusError(
                f"the symbol {name!r:.80} cannot stand in an ARPA file, which separates words by white space; "
                f"replace its white space before training"
            )
    text = model.table.arpa(model.symbols.pool)
    with opened_target(target) as put:
        put(text)


def read_arpa(source: Any) -> NgramModel:
    """Read a model; errors name the line."""
    with opened(source) as given:
        text, name = b"".join(iter(lambda: given.read(CHUNK), b"")), given.name
    file = _made(_core.read_arpa(text.removeprefix(BOM), MOST_ORDER + 1), name)
    words: list[str] = file.words.strings()
    known = frozenset(words)
    for special, edge in ((START, "start"), (END, "end")):
        if special not in known:
            raise CorpusError(
                f"the 1-grams have no {special}, which stands for the {edge} of a sentence; "
                f"is it a language model of sentences?",
                place=Place(path=name),
            )
    unknown = next((one for one in UNKNOWN if one in known), None)
    symbols = Symbols.of([word for word in words if word not in {START, END, unknown}], unknown, end=True)
    numbers = np.array(_core.translate(file.words, symbols.pool), dtype=np.int32)
    return NgramModel(symbols, _made(file.table(numbers, len(symbols.names)), name))


def _made(answer: tuple[Any, str, int, str], name: str) -> Any:
    found, trouble, line, text = answer
    if found is None:
        said = _TROUBLES[trouble].format(text=text, longest=MOST_ORDER + 1, order=MOST_ORDER)
        raise CorpusError(said, place=Place(path=name, line=line))
    return found
