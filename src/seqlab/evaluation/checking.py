"""Check a corpus before training: what is empty, rare, misspelled, invalid, or in both train and dev."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus, StringColumn
from seqlab.corpus.columns import MISSING, counted
from seqlab.errors import CorpusError, OptionError
from seqlab.shown import Brief, Table, Written, columns_of, cut
from seqlab.tags import Scheme, detect, violations

ERROR, WARNING, NOTE = "error", "warning", "note"
SHOWN = 5  # places that the text names; the data has all


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Brief):
    """One kind of problem in one column.

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
class Check(Written, Sequence[Finding]):
    """The findings of a check, worst first; a list that prints itself under its title."""

    title: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """True if there are no errors and no warnings."""
        return all(finding.severity == NOTE for finding in self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, key: Any) -> Any:
        return self.findings[key]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def of(self, kind: str) -> list[Finding]:
        """List the findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def __repr__(self) -> str:
        return cut(f"Check({self.title!r}, {counted(len(self), 'finding')}{'' if self.ok else ', not ok'})")

    def _columns(self) -> Table:
        columns = columns_of(self.findings, "severity", "kind", "column", "message", "advice", "places")
        return {**columns, "cases": [len(places) for places in columns["places"]]}

    def _views(self) -> Iterator[str | Table]:
        yield self.title
        yield self._columns() if self.findings else "nothing to complain about"

    def __str__(self) -> str:
        return "\n".join([self.title, *map(str, self.findings or ["nothing to complain about"])])

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain lists, dicts and strings."""
        findings = [asdict(finding) for finding in self.findings]
        return {"title": self.title, "ok": self.ok, "findings": findings}


# Columns of CoNLL-U that are not used as labels.
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
    """Check a corpus; returns findings, the worst first.

    column   the label column, or several; None means every column of strings that may hold labels
    dev      another corpus (dev or test), checked for sentences that train has, and labels that it does not have
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
    sizes = f"{counted(len(corpus), 'sentence')}, {counted(corpus.token_count, 'token')}"
    what = f"columns {', '.join(labels)}" if labels else "no label column"
    return Check(f"{corpus.name or 'corpus'}: {sizes}, {what}", tuple(found))


def _label_columns(corpus: Corpus, column: str | Sequence[str] | None) -> list[str]:
    if column is not None:
        names = [column] if isinstance(column, str) else list(column)
        for name in names:
            corpus.strings(name, missing=True)  # raises an error when there is none
        return names
    not_labels = {*NO_LABELS, _word_column(corpus)}
    return [name for name in _string_columns(corpus) if name not in not_labels]


def _string_columns(corpus: Corpus) -> list[str]:
    return [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]


def _word_column(corpus: Corpus) -> str | None:
    """Find the column of words: the one of that name, else the first of several columns of strings."""
    strings = _string_columns(corpus)
    return "word" if "word" in strings else strings[0] if len(strings) > 1 else None


# ---------------------------------------------------------------- sentences and words


def _sentences(corpus: Corpus) -> Iterator[Finding]:
    if not len(corpus):
        yield Finding("no sentences", ERROR, "the corpus has no sentences", "look at the file")
    hint = "see whether blank lines between sentences are missing"
    for kind, wrong, what, advice in (
        ("empty sentence", corpus.lengths == 0, "no tokens", "drop them"),
        ("long sentence", corpus.lengths > TOO_LONG, f"more than {TOO_LONG} tokens", hint),
    ):
        places = tuple(corpus.place(int(s)) for s in np.flatnonzero(wrong))
        if places:
            yield Finding(kind, WARNING, f"{_have(len(places), 'sentence')} {what}", advice, places)
    single = int(np.count_nonzero(corpus.lengths == 1))
    if single and single * 2 > len(corpus):
        yield Finding(
            "one-token sentences", WARNING, f"{single} of {len(corpus)} sentences have one token",
            "see whether the file has a blank line after every token",
        )  # fmt: skip


# No-break and zero-width spaces. The joiners U+200C and U+200D are letters of many scripts.
HIDDEN = re.compile("[\u00a0\u2007\u202f\u200b\u2060\ufeff]")

# kind, severity, test, description of the tokens, advice
WORD_TESTS: tuple[tuple[str, str, Callable[[str], bool], str, str], ...] = (
    ("empty word", WARNING, lambda word: not word.strip(), ": empty word", "fill them or drop the tokens"),
    ("word with blanks at its ends", WARNING, lambda word: word.strip() not in {"", word},
     ": word with blanks at its ends", "strip them"),
    ("word with control characters", WARNING,
     lambda word: any(unicodedata.category(c) == "Cc" or c == "\ufffd" for c in word),
     ": word with control characters", "the file may have been decoded wrongly"),
    ("word with hidden spaces", WARNING, lambda word: bool(HIDDEN.search(word)),
     ": word with no-break or zero-width spaces", "nobody sees them, but they make another word of it; replace them"),
    ("word not in NFC", NOTE, lambda word: not unicodedata.is_normalized("NFC", word),
     " not in Unicode's composed form", "normalise training data and input alike, or the same word will be two"),
)  # fmt: skip


def _words(corpus: Corpus) -> Iterator[Finding]:
    name = _word_column(corpus)
    for kind, severity, test, what, advice in WORD_TESTS if name else ():
        places = _places(corpus, str(name), test)
        if places:
            yield Finding(kind, severity, f"{counted(len(places), 'token')}{what}", advice, places, name)


def _places(corpus: Corpus, name: str, test: Callable[[str], bool]) -> tuple[str, ...]:
    """Find the places of strings that pass a test; each distinct string is tested once."""
    strings = corpus.strings(name, missing=True)
    bad = [code for code in np.unique(strings.codes).tolist() if code >= 0 and test(strings.values[code])]
    return _places_of(corpus, np.isin(strings.codes, bad))


def _places_of(corpus: Corpus, wrong: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    tokens = np.flatnonzero(wrong)
    sentences = np.searchsorted(corpus.offsets, tokens, side="right") - 1
    within = tokens - corpus.offsets[sentences]
    return tuple(corpus.place(int(s), int(t)) for s, t in zip(sentences, within, strict=True))


def _have(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'has' if number == 1 else 'have'}"


# ---------------------------------------------------------------- labels


def _labels(corpus: Corpus, name: str) -> Iterator[Finding]:
    strings = corpus.strings(name, missing=True)
    used, counts = np.unique(strings.codes[strings.codes != MISSING], return_counts=True)
    labels = {strings.values[code]: int(n) for code, n in zip(used.tolist(), counts.tolist(), strict=True)}

    def places(*some: str) -> tuple[str, ...]:
        return _places(corpus, name, some.__contains__)

    if strings.missing:
        share = f"{strings.missing} of {counted(len(strings), 'token')}"
        yield Finding("missing label", NOTE if labels else ERROR, f"column {name!r}: {share} without a label",
                      "training takes them for labels that are not known, and evaluation leaves them out"
                      if labels else "there is nothing to learn; is it the right column?",
                      _places_of(corpus, strings.codes == MISSING), name)  # fmt: skip
    blank = [label for label in labels if not label.strip()]
    if blank:
        count = sum(labels[label] for label in blank)
        yield Finding("empty label", ERROR, f"column {name!r}: {_have(count, 'token')} no label",
                      "label them or leave them out", places(*blank), name)  # fmt: skip
    hidden = [label for label in labels if HIDDEN.search(label)]
    if hidden:
        yield Finding("label with hidden spaces", WARNING,
                      f"column {name!r}: {_named(hidden)} written with no-break or zero-width spaces",
                      "they cannot be seen, but make another label of it; replace them",
                      places(*hidden), name)  # fmt: skip
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for label in labels:
        alike[HIDDEN.sub("", "".join(label.split())).casefold()].append(label)
    for group in (group for group in alike.values() if len(group) > 1):
        shown = " and ".join(f"{label!r} ({counted(labels[label], 'time')})" for label in group)
        yield Finding("labels alike", WARNING, f"column {name!r}: {shown} differ by case or blanks only",
                      "write them alike", places(min(group, key=labels.__getitem__)), name)  # fmt: skip
    once = [label for label, count in labels.items() if count == 1 and label.strip()]
    if once:
        yield Finding("label seen once", WARNING, f"column {name!r}: {_named(once)} seen once only",
                      "one example teaches a model nothing; look for a misspelling", places(*once), name)  # fmt: skip
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
    more = f" and {len(labels) - 5} more labels" if len(labels) > 5 else ""
    return f"{shown}{more} {'is' if len(labels) == 1 else 'are'}"


def _one_word_labels(corpus: Corpus, name: str, labels: set[str]) -> dict[str, str]:
    """Find labels that occur with one word form only, with that word."""
    column = _word_column(corpus)
    if column is None:
        return {}
    words, tags = (corpus.strings(one, missing=True) for one in (column, name))
    both = (words.codes != MISSING) & (tags.codes != MISSING)
    pairs = np.unique(tags.codes[both].astype(np.int64) * len(words.values) + words.codes[both])
    tag, word = np.divmod(pairs, max(len(words.values), 1))
    codes, first, counts = np.unique(tag, return_index=True, return_counts=True)
    return {
        tags.values[code]: words.values[word[at]]
        for code, at, count in zip(codes.tolist(), first.tolist(), counts.tolist(), strict=True)
        if count == 1 and tags.values[code] in labels
    }


def _scheme(corpus: Corpus, name: str, scheme: Scheme | str) -> Iterator[Finding]:
    # Sentences with a missing label are left out: a tag cannot be checked without its neighbours.
    sequences = [[] if None in labels else labels for labels in corpus.column(name)]
    if scheme == "auto":
        found = detect(sequences)
        if found.scheme is None or not any(sequences):
            return
        scheme = found.scheme
    broken = [(s, violation) for s, some in enumerate(violations(sequences, scheme)) for violation in some]
    if broken:
        ((usual, count),) = Counter(violation.reason for _, violation in broken).most_common(1)
        labels = f"{counted(len(broken), 'label')} in {counted(len({s for s, _ in broken}), 'sentence')}"
        yield Finding(
            "invalid sequence", ERROR,
            f"column {name!r}: {labels} out of place for {scheme}; most often ({counted(count, 'time')}): {usual}",
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
    seen, found = (set(one.strings(name, missing=True).compact().values) for one in (train, dev))
    new = sorted(found - seen)
    if new:
        yield Finding(
            "new label", WARNING, f"column {name!r}: {_named(new)} in {dev.name or 'dev'} but not in train",
            "a model cannot predict a label it has not seen", _places(dev, name, new.__contains__), name,
        )  # fmt: skip
