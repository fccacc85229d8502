"""Reading letters: a noisy picture alone says less than one that stands in a word.

    python examples/ocr.py [folder for the picture]

Letters are drawn as 5 x 7 pixels, and some of the pixels are flipped by chance: each for itself (specks), or whole rows
of a picture together (streaks). Two models see each picture alone: naive Bayes and logistic regression. Two see the
same pixels and know which letters follow each other in words: a hidden Markov model and a conditional random field.
They are the same pair twice: on words cut into sequences of length one, an HMM is naive Bayes and a CRF is logistic
regression. The words to be read are not those that were learned from.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from seqlab import CRF, HMM, LBFGS, FeatureBag, draw, evaluate

DRAWN = """
.###. ####. .###. ####. ##### ##### .###. #...# .###. ..### #...# #.... #...#
#...# #...# #...# #...# #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.##
#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.#
##### ####. #.... #...# ####. ####. #.### ##### ..#.. ...#. ##... #.... #...#
#...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...#
#...# #...# #...# #...# #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...#
#...# ####. .###. ####. ##### #.... .###. #...# .###. .##.. #...# ##### #...#

#...# .###. ####. .###. ####. .#### ##### #...# #...# #...# #...# #...# #####
##..# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# #...# #...# ....#
#.#.# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. .#.#. ...#.
#..## #...# ####. #...# ####. .###. ..#.. #...# #...# #.#.# ..#.. ..#.. ..#..
#...# #...# #.... #.#.# #.#.. ....# ..#.. #...# #...# #.#.# .#.#. ..#.. .#...
#...# #...# #.... #..#. #..#. ....# ..#.. #...# .#.#. ##.## #...# ..#.. #....
#...# .###. #.... .##.# #...# ####. ..#.. .###. ..#.. #...# #...# ..#.. #####
"""
WORD = 53  # the word that is shown: one where its letters together tell what each alone does not
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TRAIN = """
after again along answer apple autumn basket before behind better between bitter bottle branch bread bridge
bright brother butter candle carpet castle cellar chair change cheese cherry circle clever copper corner
cotton country cousin dance daughter dinner doctor dream early earth engine enough evening fallen father
feather finger flower follow forest friend garden gentle ginger glass grand ground hammer harbour heather
hollow honey horse hundred island jacket jumper kettle kitchen ladder lantern leather lemon letter little
market matter meadow middle minute mirror morning mother mountain narrow needle nothing number ocean orange
other paper parcel pepper pillow planet plenty pocket potato quarter quiet rabbit rather reason river rocket
round saddle sailor season second shadow shoulder silver simple sister slender smooth spring square station
stone street strong summer supper table tender thirty thread throw ticket timber together travel trouble
turnip under useful valley velvet village violin visit wander water weather window winter wonder worker
writer yellow yesterday zebra fox axe mixed lazy dozen
"""
TEST = """
amber anchor barn beaver blanket border broken bucket carrot chapter chimney clatter coffee daisy desert
donkey dragon eagle feeder finder flannel glitter grocer handle hazel hunter insect jungle kindle laughter
linger madder mantle mustard nettle oyster pebble pigeon plaster poster quilt ribbon rubber salmon scatter
seller shelter singer slower sparrow sugar swallow temper thunder tower trumpet umber vessel waiter walnut
whisper wrench young exact breeze
"""
NOISE = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
FLIPPED = {
    "specks": (5, 0.2),
    "streaks": (1, 0.1),
}  # how many pixels of a row decide for themselves; how often one is flipped

Words = tuple[
    list[list[list[str]]], list[list[str]]
]  # of each letter the 35 pixels with their colours; the letters


def alphabet() -> dict[str, np.ndarray]:
    """The pictures of letters: 7 rows of 5 pixels that are on or off."""
    blocks = [[line.split() for line in block.splitlines()] for block in DRAWN.strip().split("\n\n")]
    pictures = [
        np.array([[*row[i]] for row in block]) == "#" for block in blocks for i in range(len(block[0]))
    ]
    return dict(zip(LETTERS, pictures, strict=True))


def blurred(words: list[str], kind: str, noise: float, seed: int) -> list[np.ndarray]:
    """Pictures of words, with a share of their pixels flipped."""
    clean, rng = alphabet(), np.random.default_rng(seed)
    pictures = [np.stack([clean[letter] for letter in word]) for word in words]
    return [row ^ (rng.random((len(row), 7, FLIPPED[kind][0])) < noise) for row in pictures]


def seen(pictures: list[np.ndarray]) -> list[list[list[str]]]:
    """What models see of pictures: every pixel, with its colour."""
    names = [(r, c) for r in range(7) for c in range(5)]
    colour = ("off", "on")
    return [[[f"{r},{c} {colour[int(on[r, c])]}" for r, c in names] for on in row] for row in pictures]


def alone(words: Words) -> Words:
    """Every letter as a word of its own: sequences of length one."""
    return [[one] for row in words[0] for one in row], [[one] for row in words[1] for one in row]


def readings(kind: str, noise: float, words: list[list[list[str]]]) -> dict[str, list[list[str]]]:
    """Train the four models, each on every word three times, blurred anew; read other words with each."""
    spelled = TRAIN.split() * 3
    taught = seen(blurred(spelled, kind, noise, 1)), [list(word) for word in spelled]
    generative = HMM(emissions=FeatureBag(), smoothing=1.0)
    discriminative = CRF(None, LBFGS(l2=1.0))
    found = {}
    for name, model in {"naive Bayes": generative, "logistic regression": discriminative}.items():
        model.fit(*alone(taught))
        found[name] = [[label for [label] in model.predict([[one] for one in word])] for word in words]
    for name, model in {"HMM": generative, "CRF": discriminative}.items():
        found[name] = model.fit(*taught).predict(words)
    return found


def main(folder: Path) -> None:
    """Read blurred words with four models, show one of them, draw how much noise each can bear."""
    spelled = TEST.split() * 3
    gold = [list(word) for word in spelled]
    print(f"{len(TRAIN.split())} words to learn from, {len(TEST.split())} others to read, three times each\n")
    print("                       specks              streaks")
    print("                       letters    words    letters    words")
    pictures = {kind: blurred(spelled, kind, noise, 2) for kind, (_, noise) in FLIPPED.items()}
    found = {kind: readings(kind, noise, seen(pictures[kind])) for kind, (_, noise) in FLIPPED.items()}
    for name in found["specks"]:
        reports = [evaluate(gold, found[kind][name]) for kind in FLIPPED]
        figures = "".join(f"{report.accuracy:10.1%}{report.sentence_accuracy:9.1%}" for report in reports)
        print(f"{name:<20}{figures}")

    print(f"\n{spelled[WORD]}, with one pixel in five flipped")
    for row in range(7):
        lines = ["".join(".#"[int(on)] for on in letter[row]) for letter in pictures["specks"][WORD]]
        print(f"  {'  '.join(lines)}")
    for name, words in found["specks"].items():
        print(f"  {name:<20} {''.join(words[WORD])}")

    curves: dict[str, list[tuple[float, float]]] = {}
    for noise in NOISE:
        for name, labels in readings("specks", noise, seen(blurred(spelled, "specks", noise, 2))).items():
            curves.setdefault(name, []).append((noise, evaluate(gold, labels).accuracy))
    picture = draw.line_picture(
        curves, title="How much noise can be borne?", x_name="pixels flipped", y_name="letters right"
    )
    picture.save(folder / "ocr.svg")
    print(f"\npicture: {folder / 'ocr.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
