"""Draw the pictures of docs/guide/pictures.md into docs/pictures, as the guide says.

python tools/guide_pictures.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.linear_model import Perceptron
from sklearn.svm import SVC, LinearSVC

import seqlab
from seqlab import draw

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WORDS = ["the", "old", "man", "the", "boat"]
TOKENS = ["Ingrid", "Solheim", "lives", "in", "New", "York"]


def main() -> None:
    """Write them all."""
    train, test = seqlab.demo_corpus("train")[:300], seqlab.demo_corpus("test")[:100]
    crf = seqlab.CRF("ner", seqlab.LBFGS(max_iterations=20), constraints="IOB2")
    crf.fit(train, "entity", dev=test)
    gold = [list(sentence["entity"]) for sentence in test]
    pictures = {
        "trellis": draw.trellis_picture(crf.trellis(TOKENS), TOKENS, nbest=2),
        "tables": draw.tables_picture(_garden_path().trellis(WORDS), WORDS),
        "moves": draw.transition_picture(crf),
        "states": draw.state_diagram(_garden_path(), title="Adjectives, nouns, verbs, determiners"),
        "hmm-plates": draw.graphical_model_picture("hmm", plates=True),
        "crf": draw.graphical_model_picture("crf"),
        **{
            model: draw.graphical_model_picture(model)
            for model in ("mrf", "memm-whole", "discriminative", "factorisations")
        },
        **_planes(),
        "learning": draw.learning_picture(crf),
        "confusion": draw.confusion_picture(crf.evaluate(test, "entity"), most=6),
        "reliability": draw.reliability_picture(crf.predict_proba(test), gold, crf.labels_),
    }
    for name, picture in pictures.items():
        picture.save(FOLDER / f"{name}.svg")


def _planes() -> dict[str, draw.Picture]:
    """Draw boundaries and a mixture over the same points."""
    chance = np.random.default_rng(3)
    points = np.concatenate([chance.normal(centre, 0.7, (30, 2)) for centre in ((0, 0), (4, 3), (0, 5))])
    kinds = np.repeat(["wheat", "rye", "oats"], 30)
    two = points[:60], kinds[:60]
    both = {"SVM": SVC(kernel="linear", C=1000).fit(*two), "perceptron": Perceptron().fit(*two)}
    means = seqlab.GaussianMeans(n_components=3, variance=0.5, restarts=5).fit(points)
    three = LinearSVC().fit(points, kinds)
    return {
        "margins": draw.boundary_picture(both, *two, title="Two lines, two margins"),
        "three-classes": draw.boundary_picture(three, points, kinds, title="Three classes"),
        "mixture": draw.mixture_picture(means, points),
    }


def _garden_path() -> seqlab.HMM:
    return seqlab.HMM.from_tables(
        [0, 0.2, 0.1, 0.7],
        [[0.1, 0.9, 0, 0], [0, 0.2, 0.7, 0.1], [0.1, 0.3, 0.1, 0.5], [0.3, 0.7, 0, 0]],
        [[0.2, 0.8, 0, 0], [0.4, 0.2, 0, 0.4], [0.5, 0, 0, 0.5], [0, 0, 1, 0]],
        states=["A", "N", "V", "D"],
        symbols=["man", "old", "the", "boat"],
    )


if __name__ == "__main__":
    main()
