"""Converted models beside the tools that made them: libwapiti for Wapiti, pycrfpp for CRF++, where installed."""

import math

import numpy as np
import pytest

from oracle.foreign_files import crfpp, crfpp_binary
from seqlab import convert_model, demo_corpus

PATTERNS = """*
u:word=%x[0,0]
u:two words=%x[-1,0]/%x[0,0]
*:tags=%x[-1,1]/%X[0,1]
u:end=%m[0,0,".?.?$"]
u:capital=%t[0,0,"^\\u"]
b
"""


def lines(sentence, *columns):
    return "\n".join(map(" ".join, zip(*(sentence[column] for column in columns), strict=True)))


def rows(sentences):
    return [list(zip(sentence["word"], sentence["pos"], strict=True)) for sentence in sentences]


def test_a_wapiti_model_gives_wapitis_labels(tmp_path):
    wapiti = pytest.importorskip("wapiti")
    corpus = demo_corpus()
    model = wapiti.Model(patterns=PATTERNS)
    for sentence in corpus[:300]:
        model.add_training_sequence(lines(sentence, "word", "pos", "chunk"))
    model.train()
    path = tmp_path / "wapiti.model"
    model.save(str(path))
    new = corpus[300:]
    theirs = [model.label_sequence(lines(sentence, "word", "pos")).decode().split() for sentence in new]
    assert convert_model(path).predict(rows(new)) == theirs


@pytest.mark.parametrize("write", [crfpp_binary, crfpp])
def test_a_crfpp_model_gives_the_labels_of_crfpp(write, tmp_path):
    """The library reads the binary form only; the text that stands for it must say the same."""
    pycrfpp = pytest.importorskip("pycrfpp")
    rng = np.random.default_rng(5)
    words, tags = ["a", "b", "dog", "run"], ["N", "V"]
    names = [f"U0:{word}" for word in words]
    names += [f"U1:{word}/{tag}" for word in [*words, "_B-1"] for tag in tags]
    weights = {name: rng.uniform(-2, 2, 3).tolist() for name in names}
    weights |= {name: rng.uniform(-1, 1, 9).tolist() for name in ["B", *(f"B1:{tag}" for tag in tags)]}
    binary, path = tmp_path / "binary", tmp_path / "model"
    binary.write_bytes(crfpp_binary(weights))
    made = write(weights)
    path.write_bytes(made if isinstance(made, bytes) else made.encode())
    theirs, ours = pycrfpp.Tagger(f"-m {binary} -v 2 -n 1"), convert_model(path)
    for _ in range(300):
        length = int(rng.integers(1, 10))
        both = rng.choice([*words, "new"], length).tolist(), rng.choice(tags, length).tolist()
        sentence = list(zip(*both, strict=True))
        theirs.clear()
        for word, tag in sentence:
            theirs.add(f"{word} {tag}")
        theirs.parse()
        labels = ours.predict([sentence])[0]
        assert labels == [theirs.y2(i) for i in range(length)]
        assert math.exp(ours.log_prob(sentence, labels)) == pytest.approx(theirs.prob(), abs=1e-6)
