"""Parts of speech from text alone, and what a dictionary is worth.

    python examples/pos_induction.py [folder for the picture]

A hidden Markov model with as many states as there are parts of speech learns from sentences without any label. Do its
states turn out to be nouns and verbs? Each state is named by the part of speech that it mostly goes with (many-to-one),
and we count how many tokens are right; from a random start, and from clusters of words with the same neighbours. Then
the model is given a dictionary that says what common words can be; no
sentence is labelled still.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import seqlab
from seqlab import HMM, BaumWelch, draw
from seqlab.errors import ConvergenceWarning
from seqlab.evaluation import many_to_one, one_to_one, v_measure

CLOSED = {
    "ADP",
    "AUX",
    "CCONJ",
    "DET",
    "PART",
    "PRON",
    "PUNCT",
    "SCONJ",
}  # their words are few, frequent, and known
SIZES = (100, 200, 400, 800, 1600)
LEARNER = BaumWelch(max_iterations=12)
PRIOR = 0.1

Rows = list[list[str]]


def text() -> tuple[Rows, Rows]:
    """Words in lower case, and their true parts of speech, which serve for judging and for making the dictionary."""
    corpus = seqlab.demo_corpus("train")
    return [[word.lower() for word in row] for row in corpus.column("word")], [
        list(row) for row in corpus.column("pos")
    ]


def named(found: Rows, gold: Rows) -> dict[str, str]:
    """Each state's name: the label that it mostly meets."""
    pairs = Counter(pair for a, b in zip(found, gold, strict=True) for pair in zip(a, b, strict=True))
    names: dict[str, str] = {}
    for (state, label), _ in pairs.most_common():
        names.setdefault(state, label)
    return names


def accuracy(found: Rows, gold: Rows) -> float:
    """The share of tokens with the right label; no renaming."""
    pairs = [pair for a, b in zip(found, gold, strict=True) for pair in zip(a, b, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


def dictionary(X: Rows, y: Rows) -> dict[str, set[str]]:
    """What every word can be, the most frequent word first."""
    often = Counter(word for row in X for word in row)
    entries: dict[str, set[str]] = {word: set() for word, _ in often.most_common()}
    for words, labels in zip(X, y, strict=True):
        for word, label in zip(words, labels, strict=True):
            entries[word].add(label)
    return entries


def main(folder: Path) -> None:
    """Induce without help, then with larger and larger dictionaries."""
    warnings.simplefilter("ignore", ConvergenceWarning)  # few iterations are meant: more would do harm
    X, y = text()
    tags = sorted({label for row in y for label in row})
    learner = BaumWelch(max_iterations=40)
    print(f"no help: {len(tags)} states   many-to-one   one-to-one   V-measure")
    for init in ("random", "clusters"):
        alone = HMM(len(tags), init=init, smoothing=PRIOR, learner=learner, seed=1).fit(X)
        found = alone.predict(X)
        scores = many_to_one(y, found), one_to_one(y, found), v_measure(y, found)
        print("  init={:<19}{:>10.1%}{:>13.1%}{:>12.3f}".format(init, *scores))
    print("the four most frequent states of the last one, and their words")
    names = named(found, y)
    for state in alone.labels_[:4]:
        words = " ".join(word for word, _ in alone.top_symbols(state, 8))
        print(f"  {state}  mostly {names[state]:<6} {words}")

    entries = dictionary(X, y)
    rest = set(tags) - CLOSED
    curves: dict[str, list[tuple[float, float]]] = {
        "as a start": [],
        "as a rule": [],
        "rule, others open": [],
    }
    print("\nwith a dictionary of the most frequent words: accuracy, no renaming")
    print("  words   " + "   ".join(curves))
    for size in (*SIZES, len(entries)):
        listed = dict(list(entries.items())[:size])
        closed = {word: listed.get(word, rest) for word in entries}
        ways = {
            "as a start": {"init": listed},
            "as a rule": {"allowed": listed},
            "rule, others open": {"allowed": closed},
        }
        for name, options in ways.items():
            model = HMM(states=tags, smoothing=PRIOR, learner=LEARNER, seed=1, **options).fit(X)
            curves[name].append((size, accuracy(model.predict(X), y)))
        print(
            f"  {size:>5}   "
            + "   ".join(f"{points[-1][1]:>{len(name)}.1%}" for name, points in curves.items())
        )

    picture = draw.line_picture(
        curves,
        title="What a dictionary is worth",
        x_name="words in the dictionary",
        y_name="accuracy",
        log_x=True,
    )
    picture.save(folder / "pos_induction.svg")
    print(f"\npicture: {folder / 'pos_induction.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
