"""Look a corpus over before training: what is empty, rare, misspelled, broken, or in both train and dev."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import CorpusError, OptionError
from seqlab.tags import Scheme, detect, violations

ERROR, WARNING, NOTE = "error", "warning", "note"
SHOWN = 5  # places that the text names; the data has all


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of trouble in one column.

    kind       a short name: "empty sentence", "invalid sequence", ...
    severity   "error": training would go wrong; "warning": probably a mistake; "note": good to know
    message    a sentence with the numbers
    advice     what to do about it
    places     file:line (or sentence and token) of every case
    column     the column it was found in, when it is about one
    """

    kind: str
    severity: str
    message: str
    advice: str
    places: tuple[str, ...] = ()
    column: str | None = None

    def __str__(self) -> str:
        shown = ", ".join(self.places[:SHOWN])
        more = f", and {len(self.places) - SHOWN} more" if len(self.places) > SHOWN else ""
        where = f"\n    at {shown}{more}" if shown else ""
        return f"{self.severity}: {self.message}; {self.advice}{where}"


@dataclass(frozen=True, slots=True)
class Check(Sequence[Finding]):
    """The findings of a check, worst first; a list that prints itself."""

    title: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No errors and no warnings."""
        return all(finding.severity == NOTE for finding in self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, key: Any) -> Any:
        return self.findings[key]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def of(self, kind: str) -> list[Finding]:
        """The findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def __str__(self) -> str:
        return "\n".join([self.title, *map(str, self.findings or ["nothing to complain about"])])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "title": self.title,
            "ok": self.ok,
            "findings": [asdict(finding) for finding in self.findings],
        }

    def json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


# Columns of CoNLL-U that nobody trains a tagger on.
NO_LABELS = frozenset({"id", "lemma", "feats", "head", "deps", "misc"})
RANK = {ERROR: 0, WARNING: 1, NOTE: 2}
TOO_LONG = 1000  # tokens; more is usually a missing blank line


def check(
    corpus: Corpus,
    column: str | Sequence[str] | None = None,
    *,
    dev: Corpus | None = None,
    scheme: Scheme | str | None = "auto",
) -> Check:
    """Findings about a corpus, worst first.

    column   the label column, or several; None means every column of strings that may hold labels
    dev      another corpus (dev or test), looked through for sentences and labels that train has or has not
    scheme   the tag scheme of the labels; "auto" detects it per column, None means that they are plain labels
    """
    if not isinstance(corpus, Corpus):
        raise OptionError(
            f"check wants a Corpus, got {type(corpus).__name__}; make one with Corpus.from_lists"
        )
    if dev is not None and not isinstance(dev, Corpus):
        raise OptionError(f"dev must be a Corpus, got {type(dev).__name__}; make one with Corpus.from_lists")
    labels = _label_columns(corpus, column)
    found = [*_sentences(corpus), *_words(corpus)]
    for name in labels:
        found += _labels(corpus, name)
        if scheme is not None:
            found += _scheme(corpus, name, scheme)
    if dev is not None:
        found += _overlap(corpus, dev)
        found += [
            finding for name in labels if name in dev.columns for finding in _new_labels(corpus, dev, name)
        ]
    found.sort(key=lambda finding: RANK[finding.severity])
    sizes = f"{_count(len(corpus), 'sentence')}, {_count(corpus.token_count, 'token')}"
    what = f"columns {', '.join(labels)}" if labels else "no label column"
    return Check(
        f"{corpus.name or 'corpus'}: {sizes}, {what}",
        tuple(found),
    )


def _label_columns(corpus: Corpus, column: str | Sequence[str] | None) -> list[str]:
    if column is not None:
        names = [column] if isinstance(column, str) else list(column)
        for name in names:
            corpus.strings(name)  # says so when there is none
        return names
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    return [name for name in strings if name not in NO_LABELS and name != _word_column(corpus)]


def _word_column(corpus: Corpus) -> str | None:
    """The column of words: the one of that name, else the first of several columns of strings."""
    strings = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    if "word" in strings:
        return "word"
    return strings[0] if len(strings) > 1 else None


# ---------------------------------------------------------------- sentences and words


def _sentences(corpus: Corpus) -> Iterator[Finding]:
    lengths = corpus.lengths
    if not len(corpus):
        yield Finding("no sentences", ERROR, "the corpus has no sentences", "look at the file")
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        yield Finding(
            "empty sentence", WARNING, f"{_have(len(empty), 'sentence')} no tokens", "drop them",
            tuple(corpus.place(int(s)) for s in empty),
        )  # fmt: skip
    long = np.flatnonzero(lengths > TOO_LONG)
    if len(long):
        yield Finding(
            "long sentence", WARNING, f"{_have(len(long), 'sentence')} more than {TOO_LONG} tokens",
            "see whether blank lines between sentences are missing", tuple(corpus.place(int(s)) for s in long),
        )  # fmt: skip
    single = int(np.count_nonzero(lengths == 1))
    if single and single * 2 > len(corpus):
        yield Finding(
            "one-token sentences", WARNING, f"{single} of {len(corpus)} sentences have one token",
            "see whether the file has a blank line after every token",
        )  # fmt: skip


def _words(corpus: Corpus) -> Iterator[Finding]:
    name = _word_column(corpus)
    if name is None:
        return
    strings = corpus.strings(name)
    tests: tuple[tuple[str, Callable[[str], bool], str], ...] = (
        ("empty word", lambda word: not word.strip(), "fill them or drop the tokens"),
        (
            "word with blanks at its ends",
            lambda word: bool(word.strip()) and word != word.strip(),
            "strip them",
        ),
        ("word with control characters", _has_control, "the file may have been decoded wrongly"),
    )
    for kind, test, advice in tests:
        places = _places(corpus, strings, test)
        if places:
            yield Finding(kind, WARNING, f"{_count(len(places), 'token')}: {kind}", advice, places, name)
    decomposed = _places(corpus, strings, lambda word: not unicodedata.is_normalized("NFC", word))
    if decomposed:
        yield Finding(
            "word not in NFC", NOTE, f"{_count(len(decomposed), 'token')} not in Unicode's composed form",
            "normalise training data and input alike, or the same word will be two", decomposed, name,
        )  # fmt: skip


def _has_control(word: str) -> bool:
    return any(unicodedata.category(c) == "Cc" or c == "\ufffd" for c in word)


def _places(corpus: Corpus, strings: StringColumn, test: Callable[[str], bool]) -> tuple[str, ...]:
    """Where the strings stand that pass a test; each distinct string is tested once."""
    used = np.unique(strings.codes)
    bad = [code for code in used.tolist() if test(strings.values[code])]
    return _token_places(corpus, np.flatnonzero(np.isin(strings.codes, bad))) if bad else ()


def _token_places(corpus: Corpus, tokens: npt.NDArray[Any]) -> tuple[str, ...]:
    sentences = np.searchsorted(corpus.offsets, tokens, side="right") - 1
    within = tokens - corpus.offsets[sentences]
    return tuple(corpus.place(int(s), int(t)) for s, t in zip(sentences, within, strict=True))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _have(number: int, noun: str) -> str:
    return f"{_count(number, noun)} {'has' if number == 1 else 'have'}"


# ---------------------------------------------------------------- labels


def _labels(corpus: Corpus, name: str) -> Iterator[Finding]:
    strings = corpus.strings(name)
    used, counts = np.unique(strings.codes, return_counts=True)
    labels = {strings.values[code]: int(n) for code, n in zip(used.tolist(), counts.tolist(), strict=True)}
    code_of = dict(zip(labels, used.tolist(), strict=True))

    def places(some: Sequence[str]) -> tuple[str, ...]:
        return _token_places(
            corpus, np.flatnonzero(np.isin(strings.codes, [code_of[label] for label in some]))
        )

    blank = [label for label in labels if not label.strip()]
    if blank:
        count = sum(labels[label] for label in blank)
        yield Finding("empty label", ERROR, f"column {name!r}: {_have(count, 'token')} no label",
                      "label them or leave them out", places(blank), name)  # fmt: skip
    for group in _alike(labels):
        rarest = min(group, key=lambda label: labels[label])
        yield Finding(
            "labels alike", WARNING,
            f"column {name!r}: " + " and ".join(f"{label!r} ({_count(labels[label], 'time')})" for label in group)
            + " differ by case or blanks only",
            "write them alike", places([rarest]), name,
        )  # fmt: skip
    once = [label for label, count in labels.items() if count == 1 and label.strip()]
    if once:
        yield Finding("label seen once", WARNING, f"column {name!r}: {_named(once)} seen once only",
                      "one example teaches a model nothing; look for a misspelling", places(once), name)  # fmt: skip
    few = _one_word_labels(corpus, name, {label for label, count in labels.items() if count > 1})
    if few:
        shown = ", ".join(f"{label!r} (always {word!r})" for label, word in few.items())
        yield Finding("label of one word", NOTE, f"column {name!r}: {shown}",
                      "fine for closed classes; otherwise the labels are too narrow", column=name)  # fmt: skip
    if len(labels) == 1 and corpus.token_count > 1:
        yield Finding("one label", ERROR, f"column {name!r} has one label only, {next(iter(labels))!r}",
                      "there is nothing to learn; is it the right column?", column=name)  # fmt: skip


def _named(labels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, labels[:5]))
    return (
        f"{shown} and {len(labels) - 5} more labels are"
        if len(labels) > 5
        else f"{shown} {'is' if len(labels) == 1 else 'are'}"
    )


def _alike(labels: dict[str, int]) -> list[list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for label in labels:
        groups["".join(label.split()).casefold()].append(label)
    return [group for group in groups.values() if len(group) > 1]


def _one_word_labels(corpus: Corpus, name: str, labels: set[str]) -> dict[str, str]:
    """Labels that stand on one word form only, with that word."""
    column = _word_column(corpus)
    if column is None:
        return {}
    words, tags = corpus.strings(column), corpus.strings(name)
    pairs = np.unique(tags.codes.astype(np.int64) * len(words.values) + words.codes)
    tag, word = np.divmod(pairs, max(len(words.values), 1))
    codes, first, counts = np.unique(tag, return_index=True, return_counts=True)
    return {
        tags.values[code]: words.values[word[at]]
        for code, at, count in zip(codes.tolist(), first.tolist(), counts.tolist(), strict=True)
        if count == 1 and tags.values[code] in labels
    }


def _scheme(corpus: Corpus, name: str, scheme: Scheme | str) -> Iterator[Finding]:
    sequences = corpus.column(name)
    if scheme == "auto":
        found = detect(sequences)
        if found.scheme is None or not corpus.token_count:
            return
        scheme = found.scheme
    broken = [(s, violation) for s, some in enumerate(violations(sequences, scheme)) for violation in some]
    if broken:
        reasons = Counter(violation.reason for _, violation in broken)
        usual, count = reasons.most_common(1)[0]
        yield Finding(
            "invalid sequence", ERROR,
            f"column {name!r}: {_count(len(broken), 'label')} in {_count(len({s for s, _ in broken}), 'sentence')} "
            f"out of place for {scheme}; most often ({_count(count, 'time')}): {usual}",
            "repair them with seqlab.tags.repair, or correct the lines",
            tuple(corpus.place(s, violation.position) for s, violation in broken), name,
        )  # fmt: skip


# ---------------------------------------------------------------- train and dev


def _overlap(train: Corpus, dev: Corpus) -> Iterator[Finding]:
    column = _word_column(train)
    if column is None:
        return
    try:
        other = dev.column(column)
    except CorpusError:
        return
    known = {tuple(words) for words in train.column(column) if words}
    both = [s for s, words in enumerate(other) if tuple(words) in known]
    if both:
        tokens = int(dev.lengths[both].sum())
        share = 100 * tokens / max(dev.token_count, 1)
        yield Finding(
            "overlap", WARNING if share > 1 else NOTE,
            f"{len(both)} of {len(dev)} sentences of {dev.name or 'dev'} ({share:.1f} % of its tokens) "
            f"are in train too",
            "scores on them say nothing about new text; take them out of one of the two",
            tuple(dev.place(s) for s in both),
        )  # fmt: skip


def _new_labels(train: Corpus, dev: Corpus, name: str) -> Iterator[Finding]:
    known = {label for sentence in train.column(name) for label in sentence}
    strings = dev.strings(name)
    places = _places(dev, strings, lambda label: label not in known)
    if places:
        new = sorted({strings.values[code] for code in np.unique(strings.codes).tolist()} - known)
        yield Finding(
            "new label", WARNING, f"column {name!r}: {_named(new)} in {dev.name or 'dev'} but not in train",
            "a model cannot predict a label it has not seen", places, name,
        )  # fmt: skip
