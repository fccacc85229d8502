"""CRF++ and Wapiti models, written here by hand: every path scored by its attributes' names."""

import itertools
import random

import numpy as np
import pytest

import seqlab
from oracle.foreign_files import LABELS, crfpp, crfpp_binary, wapiti

WORDS, TAGS = ["a", "b", "a/b", "é", "/", "zz"], ["N", "V", "b/N"]


def crfpp_attributes(sentence, t):
    """(those of labels, those of pairs) that the template of foreign_files makes, written out."""
    (word, tag), before = sentence[t], sentence[t - 1][0] if t else "_B-1"
    return [f"U0:{word}", f"U1:{before}/{tag}"], ["B", f"B1:{tag}"]


def wapiti_attributes(sentence, t):
    (word, tag), before = sentence[t], sentence[t - 1][1] if t else "_x-1"
    last = word[-1] if word[-1].isascii() else "\\xa9"  # half of é
    both = f"*:t={tag}/{before}"
    return [f"u:w={word}", both, f"u:s={last}"], [both, "b"]


def best(sentence, attributes, node, edge, labels=LABELS):
    """The path with the largest score, the first of those that score alike; by trying all of them."""
    L = len(labels)

    def score(path):
        total = 0.0
        for t, y in enumerate(path):
            of_label, of_pair = attributes(sentence, t)
            total += sum(node[name][y] for name in of_label if name in node)
            if t:
                total += sum(edge[name][path[t - 1] * L + y] for name in of_pair if name in edge)
        return total

    paths = list(itertools.product(range(L), repeat=len(sentence)))
    scores = np.array([score(path) for path in paths])
    return [labels[y] for y in paths[int(np.argmax(scores))]]


def sentences(rng, count=40):
    return [[(rng.choice(WORDS), rng.choice(TAGS)) for _ in range(rng.randint(1, 5))] for _ in range(count)]


def weights(rng, attributes):
    """Of about half of all attributes that the words can make."""
    node, edge = {}, {}
    for sentence in sentences(rng, 60):
        for t in range(len(sentence)):
            of_label, of_pair = attributes(sentence, t)
            for name in of_label:
                node.setdefault(name, [rng.uniform(-1, 1) for _ in LABELS])
            for name in of_pair:
                edge.setdefault(name, [rng.uniform(-1, 1) for _ in range(len(LABELS) ** 2)])
    drop = [name for name in {**node, **edge} if name != "B" and rng.random() < 0.3]
    for name in drop:
        node.pop(name, None)
        edge.pop(name, None)
    return node, edge


@pytest.mark.parametrize("seed", range(4))
def test_crfpp_scores_what_the_file_says(tmp_path, seed):
    rng = random.Random(seed)
    node, edge = weights(rng, crfpp_attributes)
    path = tmp_path / "model.txt"
    path.write_text(crfpp({**node, **edge}, cost=1.5), encoding="utf-8")
    tagger = seqlab.convert_model(path)
    X = sentences(rng)
    assert tagger.predict(X) == [best(x, crfpp_attributes, node, edge) for x in X]
    binary = tmp_path / "model"
    binary.write_bytes(crfpp_binary({**node, **edge}, cost=1.5))
    same = seqlab.convert_model(binary)
    assert same.predict(X) == tagger.predict(X)
    assert sorted(same.encoder_.attributes) == sorted(tagger.encoder_.attributes)
    tagger.save(tmp_path / "ours")
    assert seqlab.load(tmp_path / "ours").predict(X) == tagger.predict(X)
    corpus = seqlab.Corpus.from_lists(X, columns=("form", "xpos"))
    assert tagger.predict(corpus) == tagger.predict(X)
    named = seqlab.convert_model(path, columns=("form", "xpos"))
    assert named.predict(corpus) == tagger.predict(X)
    assert "form[0]" in str(named.features)


@pytest.mark.parametrize("seed", range(4))
def test_wapiti_scores_what_the_file_says(tmp_path, seed):
    rng = random.Random(seed)
    node, edge = weights(rng, wapiti_attributes)
    both = {name: [*node.get(name, [0.0] * 3), *edge[name]] for name in edge if name[0] == "*"}
    rows = {name: row for name, row in node.items() if name[0] == "u"} | both
    rows |= {name: row for name, row in edge.items() if name[0] == "b"}
    edge = {name: row[-9:] for name, row in rows.items() if name[0] in "*b"}
    node = {name: row[:3] for name, row in rows.items() if name[0] in "*u"}
    content = wapiti(rows).encode().replace(b"8:u:s=\\xa9,", b"5:u:s=\xa9,")
    path = tmp_path / "model"
    path.write_bytes(content)
    tagger = seqlab.convert_model(path)
    X = sentences(rng)
    assert tagger.predict(X) == [best(x, wapiti_attributes, node, edge) for x in X]
    tagger.save(tmp_path / "ours")
    assert seqlab.load(tmp_path / "ours").predict(X) == tagger.predict(X)


def test_a_wapiti_memm_is_one_here(tmp_path):
    rows = {"u:w=a": [2.0, 0.0, 0.0], "u:w=b": [0.0, 1.5, 0.0], "b": [0.0, 3.0, 0.0, 0, 0, 5.0, 1.0, 0, 0]}
    path = tmp_path / "model"
    path.write_text(wapiti(rows, kind="1#", patterns=("u:w=%x[0,0]", "b")))
    tagger = seqlab.convert_model(path)
    assert isinstance(tagger, seqlab.MEMM)
    node = np.array([[2.0, 0, 0], [0, 1.5, 0]])
    moves = np.array(rows["b"]).reshape(3, 3)
    first = np.exp(node[0]) / np.exp(node[0]).sum()
    later = np.exp(moves + node[1]) / np.exp(moves + node[1]).sum(axis=1, keepdims=True)
    posterior = tagger.posterior([("a", "N"), ("b", "N")])
    np.testing.assert_allclose(posterior.node[1], first @ later)


def test_older_wapiti_files_have_no_kind(tmp_path):
    path = tmp_path / "model"
    path.write_text(wapiti({"u:w=a": [0.0, 1.0, 0.0]}, kind="", patterns=("u:w=%x[0,0]",), more=""))
    assert seqlab.convert_model(path).tag(["a", "b"]) == ["B-X", "O"]


def test_wapiti_attributes_that_come_ready_made(tmp_path):
    path = tmp_path / "model"
    path.write_text(wapiti({"uone": [0.0, 1.0, 0.0], "utwo": [0.0, 0.0, 3.0]}, patterns=()))
    assert seqlab.convert_model(path).tag([["uone"], ["uone", "utwo"]]) == ["B-X", "I-X"]


def test_a_name_that_can_be_read_in_two_ways_counts_in_both(tmp_path):
    path = tmp_path / "model"
    path.write_text(
        crfpp({"U1:a/b/N": [0.0, 2.0, 0.0], "B": [0.0] * 9}, template=("U1:%x[0,0]/%x[0,1]", "B"))
    )
    tagger = seqlab.convert_model(path)
    assert tagger.predict([[("a/b", "N")], [("a", "b/N")], [("a", "N")]]) == [["B-X"], ["B-X"], ["O"]]


def test_the_same_line_twice_counts_twice(tmp_path):
    path = tmp_path / "model"
    rows = {"U:a": [0.0, 1.0, 0.0], "U:b": [1.5, 0.0, 0.0], "B": [0.0] * 9}
    path.write_text(crfpp(rows, template=("U:%x[0,0]", "U:%x[0,0]", "U:%x[0,1]", "B", "B")))
    assert seqlab.convert_model(path).tag([("a", "b")]) == ["B-X"]  # 2 against 1.5


def test_files_from_windows_and_other_encodings(tmp_path):
    path = tmp_path / "model"
    text = crfpp({"U0:é": [0.0, 0.0, 1.0], "B": [0.0] * 9})
    path.write_bytes(text.encode("latin-1").replace(b"\n", b"\r\n"))
    with pytest.raises(seqlab.errors.StoreError, match=r"model:15: this is not utf-8; .*encoding='latin-1'"):
        seqlab.convert_model(path)
    assert seqlab.convert_model(path, encoding="latin-1").tag([("é", "N")]) == ["I-X"]


def test_attributes_that_the_template_never_makes_do_nothing(tmp_path):
    path = tmp_path / "model"
    path.write_text(crfpp({"U9:a": [0.0, 9.0, 0.0], "U0:a": [0.0, 0.0, 1.0], "B": [0.0] * 9}))
    tagger = seqlab.convert_model(path)
    assert tagger.encoder_.attributes == ["U0:a"]
    assert tagger.tag([("a", "N")]) == ["I-X"]
