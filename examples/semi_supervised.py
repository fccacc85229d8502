"""A few labelled sentences, and many without labels: when do these help?

    python examples/semi_supervised.py [folder for the picture]

Labels are dear, text is cheap. We take 5, 10, 20, ... labelled sentences and train a tagger on them alone, and again
with all other sentences as unlabelled text, of which EM guesses the labels. A guess is worth less than a label: what an
unlabelled sentence counts is `unlabelled_weight`. Every figure is a mean over two choices of the labelled sentences.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import seqlab
from seqlab import HMM, BaumWelch, Corpus, FeatureBag, draw
from seqlab.errors import ConvergenceWarning

SIZES = (5, 10, 20, 50, 100, 200, 500)
WAYS = {  # name -> what learns; None: labelled sentences only
    "labelled only": None,
    "unlabelled at 0.1": BaumWelch(max_iterations=2, unlabelled_weight=0.1),
    "unlabelled at 1": BaumWelch(max_iterations=5, unlabelled_weight=1.0),
}


def features(word: str) -> list[str]:
    """The word, its ending and its first letter: enough to say something of a word that was never seen."""
    kind = "upper" if word[0].isupper() else "lower" if word[0].isalpha() else "other"
    return [f"word={word.lower()}", f"ends={word[-2:].lower()}", kind]


def bags(corpus: Corpus) -> list[list[list[str]]]:
    """The features of every word of every sentence."""
    return [[features(word) for word in row] for row in corpus.column("word")]


def accuracy(size: int, learner: BaumWelch | None, choice: int) -> float:
    """Of a model with so many labelled sentences, on the test part."""
    order = np.random.default_rng(choice).permutation(len(X))
    labelled = set(order[:size].tolist())
    if learner is None:
        rows = sorted(labelled)
        model = HMM(emissions=FeatureBag(), smoothing=0.01).fit([X[i] for i in rows], [y[i] for i in rows])
    else:
        some = [row if i in labelled else None for i, row in enumerate(y)]
        model = HMM(emissions=FeatureBag(), smoothing=0.01, learner=learner).fit(X, some)
    return model.score(X_test, y_test)


train, test = seqlab.demo_corpus("train"), seqlab.demo_corpus("test")
X, y = bags(train), list(train.column("pos"))
X_test, y_test = bags(test), list(test.column("pos"))


def main(folder: Path) -> None:
    """Train all models, print a table, draw it."""
    warnings.simplefilter("ignore", ConvergenceWarning)  # few iterations are meant: more would do harm
    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in WAYS}
    print(f"accuracy on {len(y_test)} test sentences; {len(y)} sentences of text in all\n")
    print("labelled   " + "   ".join(WAYS))
    for size in SIZES:
        for name, learner in WAYS.items():
            curves[name].append(
                (size, float(np.mean([accuracy(size, learner, choice) for choice in range(2)])))
            )
        print(
            f"{size:>8}   "
            + "   ".join(f"{points[-1][1]:>{len(name)}.1%}" for name, points in curves.items())
        )

    picture = draw.line_picture(
        curves,
        title="What unlabelled text is worth",
        x_name="labelled sentences",
        y_name="accuracy",
        log_x=True,
    )
    picture.save(folder / "semi_supervised.svg")
    print(f"\npicture: {folder / 'semi_supervised.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
