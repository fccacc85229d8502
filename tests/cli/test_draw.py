"""Pictures from the shell."""

import json

import numpy as np
import pytest

import seqlab

SENTENCE = ("-f", "slash", "-s", "The/DET old/ADJ man/NOUN")


def words_of(svg):
    assert svg.startswith("<svg")
    return svg


@pytest.mark.parametrize("what", ["trellis", "moves", "learning", "confusion", "reliability"])
def test_every_picture_of_a_model_is_written(shell, folder, crf, tmp_path, what):
    files = {
        "trellis": SENTENCE,
        "confusion": (folder / "train.txt",),
        "reliability": (folder / "train.txt",),
    }
    target = tmp_path / "picture.svg"
    out = shell.done("draw", what, crf, *files.get(what, ()), "-o", target)
    assert out.startswith(f"wrote {target}: ")
    svg = words_of(target.read_text(encoding="utf-8"))
    if what in {"trellis", "confusion"}:
        assert "B-NP" in svg


def test_a_trellis_shows_the_words_and_as_many_paths_as_asked(shell, crf):
    svg = words_of(shell.done("draw", "trellis", crf, *SENTENCE, "--nbest", 2, "-o", "-"))
    for word in ("The", "old", "man", "path 2"):
        assert word in svg


def test_tables_show_the_numbers_of_the_algorithms(shell, crf):
    svg = words_of(shell.done("draw", "tables", crf, *SENTENCE, "-o", "-"))
    for word in ("The", "man", "forward:", "backward:", "Viterbi:", "B-NP"):
        assert word in svg
    only = words_of(shell.done("draw", "tables", crf, *SENTENCE, "--table", "viterbi", "--logs", "-o", "-"))
    assert "forward:" not in only
    assert "(logs)" in only
    assert "one sentence is wanted" in shell.refused("draw", "tables", crf)


def test_moves_may_be_the_strongest_only(shell, crf):
    svg = words_of(shell.done("draw", "moves", crf, "--top", 2, "-o", "-"))
    assert "weaker moves, not shown: " in svg


def test_graphs_need_no_model_and_facts_are_data(shell, tmp_path):
    target = tmp_path / "hmm.svg"
    found = json.loads(shell.done("draw", "graph", "hmm", "--plates", "-o", target, "--json"))
    assert found["picture"] == str(target)
    assert found["width"] > 0
    words_of(target.read_text(encoding="utf-8"))


def test_what_cannot_be_drawn_is_said(shell, crf, perceptron, folder, tmp_path):
    assert "is none of trellis" in shell.refused("draw", "portrait", crf)
    assert "one sentence is wanted" in shell.refused("draw", "trellis", crf)
    assert "needs labelled sentences" in shell.refused("draw", "confusion", crf)
    assert "model must be one of" in shell.refused("draw", "graph", "cat")
    assert "does not take" in shell.refused("draw", "moves", crf, folder / "train.txt")
    assert ".svg, .png or .pdf" in shell.refused("draw", "moves", crf, "-o", tmp_path / "a.gif")
    assert "no meaning" in shell.refused("draw", "reliability", perceptron, folder / "train.txt")


@pytest.fixture
def points(tmp_path):
    """A table of two numbers and a class, of three well separated classes."""
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(at, 0.5, (20, 2)) for at in ((0, 0), (4, 3), (0, 5))])
    kinds = np.repeat(["red", "green", "blue"], 20)
    path = tmp_path / "points.csv"
    lines = [f"{x},{y},{kind}" for (x, y), kind in zip(rows, kinds, strict=True)]
    path.write_text("\n".join(["x,y,kind", *lines]) + "\n", encoding="utf-8")
    return path, rows, kinds


@pytest.mark.parametrize(
    "kind", ["mrf", "factorisations", "memm-whole", "discriminative", "generative", "markov-chain", "crf"]
)
def test_every_kind_of_graph_is_drawn_as_in_python(shell, kind):
    assert shell.done("draw", "graph", kind, "-o", "-") == seqlab.draw.graphical_model_picture(kind).svg()
    if kind != "factorisations":
        svg = shell.done("draw", "graph", kind, "--plates", "--length", 3, "--theme", "dark", "-o", "-")
        picture = seqlab.draw.graphical_model_picture(kind, plates=True, length=3)
        assert svg == picture.svg(theme="dark")


def test_states_are_drawn_as_in_python(shell, tmp_path):
    hmm = seqlab.HMM.from_tables(
        [1, 0], [[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.1, 0.9]], symbols=list("ab")
    )
    hmm.save(tmp_path / "hmm.model")
    assert (
        shell.done("draw", "states", tmp_path / "hmm.model", "-o", "-")
        == seqlab.draw.state_diagram(hmm).svg()
    )
    few = seqlab.draw.state_diagram(hmm, most=1, top=1).svg()
    assert shell.done("draw", "states", tmp_path / "hmm.model", "--most", 1, "--top", 1, "-o", "-") == few


def test_states_are_those_of_a_hidden_markov_model(shell, crf):
    assert "of a fitted HMM" in shell.refused("draw", "states", crf)
    assert "means nothing" in shell.refused("draw", "states", crf, "--plates")


def test_boundaries_are_those_of_classifiers_taught_by_the_file(shell, points, tmp_path):
    path, _, _ = points
    svg = words_of(shell.done("draw", "boundary", path, "-o", "-"))
    for word in ("red", "green", "blue", "f = 0 of red", "LinearSVC"):
        assert word in svg
    several = ("--classifier", "LogisticRegression", "--classifier", "Perceptron")
    svg = words_of(shell.done("draw", "boundary", path, *several, "-o", "-"))
    assert "LogisticRegression" in svg
    assert "Perceptron" in svg
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("x,y,class\n0,0,0\n1,0,0\n4.5,3,1\n5,4,1\n", encoding="utf-8")
    assert ", margin " in shell.done("draw", "boundary", numbers, "-o", "-")


def test_mixtures_are_drawn_with_and_without_points(shell, points, tmp_path):
    path, rows, _ = points
    means = seqlab.GaussianMeans(3, variance=0.25, restarts=5).fit(rows)
    means.save(tmp_path / "means.model")
    svg = shell.done("draw", "mixture", tmp_path / "means.model", path, "-o", "-")
    assert svg == seqlab.draw.mixture_picture(means, rows).svg()
    assert words_of(shell.done("draw", "mixture", tmp_path / "means.model", "-o", "-")) != svg
    hmm = seqlab.HMM(3, emissions=seqlab.Gaussian()).fit([rows])
    hmm.save(tmp_path / "hmm.model")
    line = shell.done("draw", "mixture", tmp_path / "hmm.model", path, "--numbers", 1, "-o", "-")
    assert line == seqlab.draw.mixture_picture(hmm, [rows], columns=[1]).svg()


def test_points_that_cannot_be_drawn_are_said(shell, points, crf, folder, tmp_path):
    path, rows, _ = points
    assert "scikit-learn has no such classifier" in shell.refused(
        "draw", "boundary", path, "--classifier", "Tree"
    )
    assert "numbers are wanted" in shell.refused("draw", "boundary", folder / "train.txt")
    assert "does not take" in shell.refused("draw", "boundary", path, path)
    assert "a fitted GaussianMeans" in shell.refused("draw", "mixture", crf)
    seqlab.GaussianMeans(2).fit(rows).save(tmp_path / "means.model")
    assert "as 0,1" in shell.refused("draw", "mixture", tmp_path / "means.model", "--numbers", "x")
    assert "between 0 and 1" in shell.refused("draw", "mixture", tmp_path / "means.model", "--numbers", "0,7")
    for text, wanted in (
        ("x,y,kind\n1,2,a\n3,4,a\n", "two classes at least"),
        ("x,y,kind\n1,,a\n3,4,b\n", "cannot learn from"),
        ("x,kind\n1,a\n3,b\n", "two numbers a row"),
        ("x,y\n1,2\n3,4\n", "a table of two numbers and a class"),
    ):
        wrong = tmp_path / "wrong.csv"
        wrong.write_text(text, encoding="utf-8")
        assert wanted in shell.refused("draw", "boundary", wrong)
