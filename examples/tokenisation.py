"""Tokenisation, character by character: which characters begin a token?

    python examples/tokenisation.py [folder for the picture]

A full stop ends a sentence, or belongs to *Dr.* or to *3.5*; *can't* is two tokens, *o'clock* is one. Instead of a list
of rules, a model labels every character: B begins a token, I goes on with it, O is a blank. It learns from fifty
sentences of our own, in which | marks a border between tokens where there is no blank.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from seqlab import CRF, HMM, FeatureBag, draw, evaluate
from seqlab.evaluation import Report

TRAIN = """
Dr. Abara isn|'t at home|, so we left a note|.
The ticket costs $|12.50|, doesn|'t it|?
"|Come in|!|" said Mrs. Lindqvist|.
We|'ll meet at 7.30 p.m. in front of St. Anne|'s|.
They sold 1,200 copies in 3.5 weeks|.
I can|'t find my keys|; have you seen them|?
Prof. Iwasaki lives at 14 Mill St. in Dunmore|.
It|'s nearly ten o'clock|, isn|'t it|?
The well-known baker|'s shop is closed|.
He paid £|3.20 for tea (|with milk|)|.
Mr. Okafor hasn|'t called|, but Ms. Brandt has|.
"|Don|'t wait|,|" she wrote|, "|I|'m late|.|"
About 45|% of them didn|'t answer|.
See p. 12 and pp. 40-44|.
Bring bread|, cheese|, apples|, etc. to the picnic|.
The U.N. report is 2.4 MB|, too large to send|.
My sister|'s dog weighs 31.5 kg|!
You|'ve read it|, haven|'t you|?
The train leaves at 6.45 a.m. and arrives at noon|.
Room no. 7 is free (|see the list|)|.
She|'d rather stay|; he wouldn|'t|.
Water boils at 100 degrees|, i.e. earlier than oil|.
We walked 8.2 miles in the rain|: what a day|!
"|Who|'s there|?|" asked Capt. Moreau|.
Eggs cost $|4 a dozen|, up from $|2.75|.
The two-day course isn|'t cheap|.
Some birds|, e.g. owls|, hunt at night|.
Lt. Hale|'s answer was short|: "|No|.|"
There are 10,000 lakes and 52 rivers|.
I|'d say it|'s 5 o'clock|.
Weren|'t you born on Jan. 3|?
The firm (|Dahl Ltd.|) has 1,050 workers|.
Let|'s go|, they|'re waiting|!
The children|'s room is 4.1 metres wide|.
Add 2.5 g of salt|; stir well|.
He won|'t sell|: the price is £|900|.
"|Mr. Vance|,|" I said|, "|you|'re early|.|"
Only 3|% of the long-distance runners stopped|.
It rained on Feb. 9 and Mar. 2|.
What|'s that|? It|'s an old hand-made clock|.
Mrs. Pell doesn|'t like tea|.
The museum is on Queen St. near the bridge|.
You don|'t see the moon|, do you|?
We have 6 chairs|, 2 tables|, and a lamp|.
I|'ve met Dr. Sorel twice|.
The river is 1.8 miles wide here|.
Aren|'t these Tom|'s gloves|?
Nobody (|not even Sgt. Ross|) knew why|.
At 11.15 p.m. the lights went out|!
They|'ll pay 1,500 at once|, won|'t they|?
"""
TEST = """
Mr. Hale can|'t come before 8.20 p.m.|, can he|?
"|It|'s over|,|" said Dr. Moreau|.
The baker|'s boat weighs 2,400 kg (|empty|)|.
We|'ve seen 12|% more owls|, e.g. near the lake|.
Prof. Brandt doesn|'t live on Mill St. now|; she|'s moved|.
Isn|'t that the $|7.50 ticket|?
Mrs. Ross wouldn|'t pay £|1,100 for a hand-made lamp|!
They left at 9 o'clock on Feb. 4|.
"|Aren|'t you Capt. Lindqvist|?|" I asked|.
Oil|'s dearer|: it|'s up to $|3.05 a litre|.
"""

Rows = list[list[str]]


def labelled(text: str) -> tuple[Rows, Rows]:
    """Characters of every sentence, and their labels."""
    X, y = [], []
    for line in text.strip().splitlines():
        characters, labels, border = [], [], True
        for character in line:
            if character != "|":
                characters.append(character)
                labels.append("O" if character == " " else "B" if border else "I")
            border = character in "| "
        X.append(characters)
        y.append(labels)
    return X, y


def windows(X: Rows) -> list[list[list[str]]]:
    """For every character what stands around it: an HMM's state may emit several features at once."""
    rows = []
    for row in X:
        padded = ["^", "^", *row, "$", "$"]
        rows.append([[f"{d:+d} {padded[t + 2 + d]}" for d in (-2, -1, 0, 1, 2)] for t in range(len(row))])
    return rows


def judged(gold: Rows, found: Rows) -> Report:
    """Tokens are spans: right only with the right beginning and end."""
    return evaluate(gold, found, scheme="IOB2")


def tokens(characters: list[str], labels: list[str]) -> str:
    """The text with a bar between tokens."""
    marks = ("|" if label == "B" and t else "" for t, label in enumerate(labels))
    return "".join(mark + c for mark, c in zip(marks, characters, strict=True)).replace(" ", "")


def main(folder: Path) -> None:
    """Train three models, compare them on new sentences, draw a piece of one."""
    (X, y), (X_new, y_new) = labelled(TRAIN), labelled(TEST)
    print(
        f"{len(X)} sentences to learn from, {sum(row.count('B') for row in y_new)} tokens in {len(X_new)} new ones\n"
    )
    plain = HMM(order=3, smoothing="witten-bell", unknown="none").fit(X, y)
    wide = HMM(emissions=FeatureBag(), smoothing=0.1).fit(windows(X), y)
    crf = CRF("segment").fit(X, y)
    found = {
        "split at blanks": labelled(TEST.replace("|", ""))[1],
        "HMM, one character": plain.predict(X_new),
        "HMM, five characters": wide.predict(windows(X_new)),
        "CRF, preset segment": crf.predict(X_new),
    }
    print("                       characters right   tokens F1")
    for name, labels in found.items():
        report = judged(y_new, labels)
        print(f"{name:<22} {report.accuracy:16.1%} {report.spans.f1:11.3f}")
    print()
    for name, labels in list(found.items())[1:]:
        print(f"{name:<22} {tokens(X_new[4], labels[4])}")

    piece = list("It's $4.20.")
    picture = draw.trellis_picture(
        wide.trellis(windows([piece])[0]),
        ["␣" if c == " " else c for c in piece],
        title="Where do tokens begin?",
    )
    picture.save(folder / "tokenisation.svg")
    print(f"\npicture: {folder / 'tokenisation.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
