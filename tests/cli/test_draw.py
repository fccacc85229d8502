"""Pictures from the shell."""

import json

import pytest

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
